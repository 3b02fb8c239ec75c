// What the person thinks of an answer: two thumbs, and a field for what was wrong with a bad one.

import { button, h } from "../kit/dom.js";
import { t } from "../kit/texts.js";

/**
 * @import { Entry } from "../kit/protocol"
 * @import { Decide } from "./entry.js"
 */

export class RatingView {
  #up;
  #down;
  #form;
  #words = h("input", { type: "text", maxlength: 2000, "aria-label": t("feedbackWords"), placeholder: t("feedbackWords") });
  #entry;

  /**
   * @param {Entry} entry
   * @param {Decide} decide
   */
  constructor(entry, decide) {
    this.#entry = entry;
    this.decide = decide;
    this.#up = button(t("feedbackUp"), "thumbUp", () => this.#rate("up"));
    this.#down = button(t("feedbackDown"), "thumbDown", () => this.#rate("down"));
    const send = h("button", { type: "submit", class: "plain" }, t("feedbackSend"));
    const skip = h("button", { type: "button", class: "link", onclick: () => this.#close() }, t("feedbackSkip"));
    this.#form = h("form", { class: "feedback", hidden: true, onsubmit: (event) => this.#send(event) }, this.#words, send, skip);
    this.#form.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#close(event); });
    this.update(entry);
  }

  get buttons() {
    return [this.#up, this.#down];
  }

  get form() {
    return this.#form;
  }

  /** @param {Entry} entry */
  update(entry) {
    this.#entry = entry;
    this.#mark(entry.rating);
  }

  /** @param {string | null} rating */
  #mark(rating) {
    this.#up.setAttribute("aria-pressed", String(rating === "up"));
    this.#down.setAttribute("aria-pressed", String(rating === "down"));
  }

  /**
   * @param {"up" | "down"} choice
   * @param {string} text
   */
  async #tell(choice, text = "") {
    return this.decide(`feedback:${this.#entry.id}`, choice, text);
  }

  /** @param {"up" | "down"} choice */
  async #rate(choice) {
    if (!(await this.#tell(choice))) return;
    this.#form.hidden = choice === "up";
    if (choice === "down") this.#words.focus();
  }

  /** @param {Event} event */
  async #send(event) {
    event.preventDefault();
    const text = this.#words.value.trim();
    if (text && !(await this.#tell("down", text))) return;
    this.#words.value = "";
    this.#close();
  }

  /** @param {Event} [event] */
  #close(event) {
    event?.stopPropagation();
    this.#form.hidden = true;
    this.#down.focus();
  }
}
