// The first set-up in a dialog: chats, agent, and what would be written. The server holds what was entered.

import { Problem } from "../kit/api.js";
import { button, h } from "../kit/dom.js";
import { t } from "../kit/texts.js";
import { setupApi } from "./api.js";
import { agentView } from "./agent.js";
import { platformList, platformView } from "./platforms.js";
import { reviewView, startedView, startingView } from "./review.js";

/**
 * @import { SetupState } from "../kit/protocol"
 * @typedef {{ node: HTMLElement, update?: (state: SetupState) => void }} View
 * @typedef {"chats" | "agent" | "review"} Stage
 */

/** @type {Stage[]} */
const STAGES = ["chats", "agent", "review"];
const LOOK_EVERY = 1000;

/** @param {() => void} closed */
export function openSetup(closed) {
  new SetupDialog(closed).open();
}

export class SetupDialog {
  /** @type {SetupState | null} */
  state = null;
  /** @type {View | null} */
  #view = null;
  #busy = false;
  #over = false; // written: what follows is the start
  #timer = 0;
  #stages = h("ol", { class: "setup-stages" });
  #note = h("p", { class: "setup-note", role: "status" });
  #trouble = h("p", { class: "setup-note bad", role: "alert" });
  #body = h("div", { class: "setup-body" });
  #dialog = h("dialog", { class: "setup", "aria-labelledby": "setup-title" });

  /** @param {() => void} closed */
  constructor(closed) {
    const close = button(t("setupClose"), "cross", () => this.#dialog.close());
    const head = h("div", { class: "setup-head" }, h("h2", { id: "setup-title" }, t("setupTitle")), close);
    this.#dialog.append(head, this.#stages, this.#note, this.#body, this.#trouble);
    this.#dialog.addEventListener("close", () => {
      clearTimeout(this.#timer);
      this.#dialog.remove();
      closed();
    });
  }

  async open() {
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    await this.step(setupApi.state());
    this.showChats();
  }

  close() {
    this.#dialog.close();
  }

  showChats() {
    this.#show("chats", (state) => platformList(this, state));
  }

  /** @param {string} name */
  showPlatform(name) {
    this.#show("chats", (state) => platformView(this, state, name));
  }

  showAgent() {
    this.#show("agent", (state) => agentView(this, state));
  }

  showReview() {
    this.#show("review", (state) => reviewView(this, state));
  }

  async save() {
    if (!(await this.step(setupApi.save()))) return;
    this.#over = true;
    this.#show("review", () => startingView());
    this.#look();
  }

  /**
   * Takes a step; whether it worked. What did not work is said below.
   * @param {Promise<SetupState>} promise
   * @param {string} [note] what to say meanwhile
   */
  async step(promise, note = "") {
    return this.tried(promise.then((state) => this.#take(state)), note);
  }

  /**
   * @param {Promise<unknown>} promise
   * @param {string} [note]
   */
  async tried(promise, note = "") {
    this.#setBusy(true, note);
    this.#trouble.textContent = "";
    try {
      await promise;
      return true;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#trouble.textContent = problem.status === 0 ? t("gone") : t("channel_refused", { problem: problem.message });
      this.#trouble.scrollIntoView({ block: "nearest" });
      return false;
    } finally {
      this.#setBusy(false);
    }
  }

  get busy() {
    return this.#busy;
  }

  /**
   * @param {boolean} busy
   * @param {string} [note]
   */
  #setBusy(busy, note = "") {
    this.#busy = busy;
    this.#dialog.setAttribute("aria-busy", String(busy));
    this.#note.textContent = note;
  }

  /**
   * @param {Stage} stage
   * @param {(state: SetupState) => View} make
   */
  #show(stage, make) {
    if (!this.state) return;
    this.#trouble.textContent = "";
    const names = [t("setupStageChats"), t("setupStageAgent"), t("setupStageReview")];
    const marks = STAGES.map((each, at) => h("li", { "aria-current": each === stage && "step" }, names[at]));
    this.#stages.replaceChildren(...marks);
    this.#view = make(this.state);
    this.#body.replaceChildren(this.#view.node);
    this.#dialog.scrollTop = 0;
    /** @type {HTMLElement | null} */
    const first = this.#body.querySelector("[data-first]") ?? this.#body.querySelector("h3");
    first?.focus();
  }

  /** @param {SetupState} state */
  #take(state) {
    this.state = state;
    if (state.problem) this.#trouble.textContent = state.problem;
    this.#view?.update?.(state);
    if (state.scan || state.wait) this.#look();
  }

  // Looks again soon: something is waited for.
  #look() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#again(), LOOK_EVERY);
  }

  async #again() {
    if (!this.#dialog.open) return;
    try {
      const state = await setupApi.state();
      if (this.#over && !state.written.length) this.#show("review", () => startedView(this));
      else if (!this.#over && !this.#busy) this.#take(state);
      if (this.#over && state.written.length) this.#look();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#look(); // it is starting again, or the line is down for a moment
    }
  }
}
