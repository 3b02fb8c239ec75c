// One message or reply as an element that follows its entry.

import { api } from "../kit/api.js";
import { askArguments } from "../kit/dialog.js";
import { button, copyText, h, icon, sizeText } from "../kit/dom.js";
import { renderInto } from "../markdown/blocks.js";
import { t } from "../kit/texts.js";
import { RatingView } from "./rating.js";

/**
 * @import { Entry, FileRef, Question, Step } from "../kit/protocol"
 * @import { Item, outbox } from "./outbox.js"
 * @typedef {(question: string, option: string, text: string) => Promise<boolean>} Decide
 * @typedef {(text: string, byKey: boolean) => void} Ask
 */

const MOST_NOW = 80;
const STATUS = { pending: t("stepPending"), running: t("stepRunning"), done: t("stepDone"), failed: t("stepFailed") };
/** @type {Record<string, import("../kit/dom.js").Icon>} */
const MARKS = { pending: "circle", done: "check", failed: "cross" };
const SHOWN = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Follows a message of the person's. */
export class UserView {
  #text = h("div", { class: "bubble" });
  #note = h("span", { class: "note" });
  #why = h("span", { role: "status" });
  #queued = h("div", { class: "state", hidden: true }, icon("clock"), this.#why);
  #tools = h("div", { class: "entry-tools" });

  /**
   * `edit` changes the message: its pencil is there while that is offered. `withdraw` takes it back while it is queued.
   * @param {Entry} entry
   * @param {{ edit: (entry: Entry) => void, withdraw: (entry: Entry) => void }} actions
   */
  constructor(entry, { edit, withdraw }) {
    this.shown = entry;
    const time = new Date(entry.pos / 1000);
    this.#tools.append(button(t("editMessage"), "pencil", () => edit(this.shown)));
    this.#queued.append(h("button", { type: "button", class: "link", onclick: () => withdraw(this.shown) }, t("withdraw")));
    this.offerEdit(false);
    this.node = h("article", { class: "entry user", title: time.toLocaleString() }, h("h2", { class: "unseen" }, t("you")), files(entry.files), this.#text, this.#note, this.#queued, this.#tools);
  }

  /** @param {Entry} entry */
  update(entry) {
    this.shown = entry;
    this.#text.textContent = entry.text;
    this.#text.hidden = !entry.text;
    this.#note.textContent = entry.withdrawn ? t("withdrawn") : entry.edited ? t("edited") : "";
    this.node.classList.toggle("withdrawn", entry.withdrawn);
  }

  /** @param {boolean} offered */
  offerEdit(offered) {
    this.#tools.hidden = !offered;
  }

  /** @param {"" | "queued" | "waits"} why it waits behind the answer to an earlier message, or for a free place */
  showQueued(why) {
    this.#queued.hidden = !why;
    const text = why ? t(why) : "";
    if (this.#why.textContent !== text) this.#why.textContent = text; // else it would be read out again
  }
}

/**
 * What is left of an entry that cannot be drawn: its words.
 * @param {Entry} entry
 */
export function plainView(entry) {
  const mine = entry.role === "user";
  const text = h("div", { class: mine ? "bubble" : "plain-text" }, String(entry.text ?? ""));
  const note = h("p", { class: "note" }, t("shownPlain"));
  return h("article", { class: `entry ${mine ? "user" : "agent"}` }, h("h2", { class: "unseen" }, t(mine ? "you" : "agent")), text, note);
}

/**
 * A message that is not at the server yet.
 * @param {Item} item
 * @param {outbox} queue
 * @param {boolean} online
 */
export function waitingView(item, queue, online) {
  const state = h("div", { class: `state ${item.state}`, role: "status" });
  if (item.state === "failed") {
    const retry = h("button", { type: "button", class: "link", onclick: () => queue.retry(item.id) }, t("retry"));
    const discard = h("button", { type: "button", class: "link", onclick: () => queue.discard(item.id) }, t("discard"));
    state.append(icon("warn"), t("failed", { why: item.why || t("refusedShort") }), retry, discard);
  } else state.append(t(online ? "sending" : "waiting"));
  const text = item.text && h("div", { class: "bubble" }, item.text);
  return h("article", { class: "entry user waiting" }, h("h2", { class: "unseen" }, t("you")), files(item.files), text, state);
}

export class ReplyView {
  #steps = h("div", { class: "steps" });
  #text = h("div", { class: "prose" });
  #files = h("div");
  #question = h("div");
  #tools = h("div", { class: "entry-tools" });
  #suggestions = h("div", { class: "suggestions", role: "group", "aria-label": t("suggestions"), hidden: true });
  /** @type {RatingView | null} */
  #rating = null;
  /** @type {boolean | null} what the person chose for the list of steps */
  #open = null;
  /** @type {Set<string>} the steps of which the person reads more than the title */
  #unfolded = new Set();
  #drawn = "";

  /** @param {{ decide: Decide, ask: Ask, startTopic: ((entry: Entry) => void) | null }} actions */
  constructor(actions) {
    this.actions = actions;
    this.node = h("article", { class: "entry agent" }, h("h2", { class: "unseen" }, t("agent")), this.#steps, this.#text, this.#files, this.#question, this.#tools, this.#suggestions);
  }

  /** @param {Entry} entry */
  update(entry) {
    this.node.classList.toggle("growing", !entry.final);
    this.node.setAttribute("aria-busy", String(!entry.final));
    this.#drawSteps(entry);
    renderInto(this.#text, entry.text);
    this.#files.replaceChildren(files(entry.files) ?? "");
    this.node.classList.toggle("asks", Boolean(entry.question));
    this.#question.replaceChildren(question(entry.question, this.actions.decide) ?? "");
    if (entry.final && !this.#tools.hasChildNodes()) this.#tools.append(...this.#buttons(entry));
    this.#drawRating(entry);
  }

  /**
   * Shows them until something newer is said. Who has the focus on one keeps it.
   * @param {string[]} texts what may be said next; none takes the others away
   */
  showSuggestions(texts) {
    if (this.#suggestions.hidden === !texts.length) return;
    this.#suggestions.hidden = !texts.length;
    this.#suggestions.replaceChildren(...texts.map((text) => this.#suggestion(text)));
  }

  /** @param {string} text */
  #suggestion(text) {
    const press = (/** @type {MouseEvent} */ event) => {
      // At once: they are taken away with the next frame, and a second press would say it twice.
      for (const each of this.#suggestions.querySelectorAll("button")) each.disabled = true;
      this.actions.ask(text, event.detail === 0);
    };
    return h("button", { type: "button", dir: "auto", onclick: press }, text);
  }

  /**
   * Only when they are other ones than before: what is new is mostly the text, and who has the focus here keeps it.
   * @param {Entry} entry
   */
  #drawSteps({ steps, final }) {
    const wanted = JSON.stringify([steps, final]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;
    const summaries = () => /** @type {HTMLElement[]} */ ([...this.#steps.querySelectorAll("summary")]);
    const focused = summaries().findIndex((each) => each === document.activeElement);
    this.#replaceSteps(steps, final);
    if (focused >= 0) summaries()[focused]?.focus();
  }

  /**
   * @param {Step[]} steps
   * @param {boolean} final
   */
  #replaceSteps(steps, final) {
    if (steps.length < 2) return this.#steps.replaceChildren(...steps.map((step) => h("div", { class: `step ${step.status}` }, ...this.#stepRow(step))));
    const running = !final && steps.findLast((step) => step.status === "running");
    const failed = steps.some((step) => step.status === "failed");
    const mark = running ? h("span", { class: "spinner" }) : icon(failed ? "warn" : "check");
    const summary = h("summary", {}, mark, h("span", {}, running ? running.title : t("steps", { n: steps.length })));
    const rows = steps.map((step) => h("li", { class: step.status }, ...this.#stepRow(step)));
    const details = h("details", { class: failed ? "failed" : "", open: this.#open ?? !final }, summary, h("ol", {}, ...rows));
    summary.addEventListener("click", () => { this.#open = !details.open; });
    return this.#steps.replaceChildren(details);
  }

  /** @param {Step} step */
  #stepRow(step) {
    const mark = step.status === "running" ? h("span", { class: "spinner" }) : icon(MARKS[step.status]);
    return [mark, this.#named(step), h("span", { class: "unseen" }, STATUS[step.status])];
  }

  /** @param {Step} step */
  #named({ id, title, status, details, output }) {
    if (!details && !output) return h("span", {}, title);
    const now = status === "running" && newest(output);
    const summary = h("summary", {}, h("span", {}, title, now ? h("span", { class: "now" }, ` · ${now}`) : ""));
    const said = [details, output].filter(Boolean).map((words) => h("div", {}, words));
    const fold = h("details", { class: "said", open: this.#unfolded.has(id) }, summary, ...said);
    summary.addEventListener("click", () => this.#unfolded[fold.open ? "delete" : "add"](id));
    return fold;
  }

  /** @param {Entry} entry */
  #drawRating(entry) {
    if (!entry.final || !entry.rateable) return;
    if (this.#rating) return this.#rating.update(entry);
    this.#rating = new RatingView(entry, this.actions.decide);
    this.#tools.prepend(...this.#rating.buttons);
    this.#tools.after(this.#rating.form);
  }

  /** @param {Entry} entry */
  #buttons(entry) {
    const copy = button(t("copy"), "copy", async () => {
      await copyText(entry.text);
      copy.replaceChildren(icon("check"));
      setTimeout(() => copy.replaceChildren(icon("copy")), 1500);
    });
    const { startTopic } = this.actions;
    const topic = startTopic && button(t("startTopic"), "topic", () => startTopic(entry));
    const time = new Date(entry.pos / 1000);
    const clock = time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const shown = h("time", { datetime: time.toISOString(), title: time.toLocaleString() }, clock);
    return topic ? [copy, topic, shown] : [copy, shown];
  }
}

/**
 * The end of the last line of what a running step says: what it does now.
 * @param {string} output
 */
function newest(output) {
  const line = output.slice(-2 * MOST_NOW).trim().split("\n").pop() ?? "";
  return line.length <= MOST_NOW ? line : `…${line.slice(1 - MOST_NOW)}`;
}

/**
 * The choices of an open question; once it is decided the entry comes again without them.
 * @param {Question | null} asked
 * @param {Decide} decide
 */
function question(asked, decide) {
  if (!asked) return null;
  const press = async (/** @type {string} */ option, text = "") => {
    for (const each of choices.querySelectorAll("button")) each.disabled = true;
    if (await decide(asked.id, option, text)) return;
    for (const each of choices.querySelectorAll("button")) each.disabled = false;
  };
  const options = asked.options.map((option, at) =>
    h("button", { type: "button", class: at === 0 ? "primary" : "plain", onclick: () => press(option.id) }, option.label),
  );
  if (asked.may_edit) {
    const edit = async () => {
      const text = await askArguments(asked.arguments);
      if (text) await press("edit", text);
    };
    options.push(h("button", { type: "button", class: "plain", onclick: edit }, t("editArguments")));
  }
  const choices = h("div", { class: "choices" }, ...options);
  return choices;
}

/** @param {FileRef[]} found */
export function files(found) {
  if (!found.length) return null;
  return h("ul", { class: "files" }, ...found.map((file) => h("li", {}, fileCard(file))));
}

/** @param {FileRef} file */
function fileCard(file) {
  const props = { href: api.fileUrl(file.id), download: file.name, title: `${file.name} (${sizeText(file.size)})` };
  if (SHOWN.includes(file.mime)) {
    return h("a", { ...props, class: "picture" }, h("img", { src: api.fileUrl(file.id), alt: file.name, loading: "lazy" }));
  }
  return h("a", { ...props, class: "file" }, icon("file"), h("span", { class: "file-name" }, file.name), h("span", { class: "file-size" }, sizeText(file.size)));
}
