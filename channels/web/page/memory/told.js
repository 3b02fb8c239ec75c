// What the agent was told of the memory for the last answer in the open conversation, and why.

import { h } from "../kit/dom.js";
import { keyOf } from "../chat/store.js";
import { call } from "../kit/api.js";
import { t } from "../kit/texts.js";

/** @import { Place, Told, ToldFact } from "../kit/protocol" */

const REASONS = /** @type {const} */ ({ words: "memoryWhyWords", correction: "memoryWhyCorrection", always: "memoryWhyAlways", sure: "memoryWhySure" });

export class ToldView {
  #summary = h("summary", {});
  #list = h("div", {});
  /** @type {Place | null} */
  #place;
  #shown = "";

  /** @param {Place | null} place */
  constructor(place) {
    this.#place = place;
    this.node = h("details", { class: "memory-told", hidden: true }, this.#summary, this.#list);
  }

  /** Loads it again. What goes wrong is thrown. */
  async load() {
    if (!this.#place) return;
    const key = `web:${keyOf(this.#place).replace("/", ":")}`;
    /** @type {Told} */
    const told = await call("GET", `/api/memory/told?conversation=${encodeURIComponent(key)}`);
    const wanted = JSON.stringify(told);
    if (wanted === this.#shown) return;
    this.#shown = wanted;
    this.#draw(told);
  }

  /** @param {Told} told */
  #draw({ known, facts, others }) {
    this.#summary.textContent = t("memoryTold", { n: facts.length });
    const none = !facts.length && !others && h("p", {}, t(known ? "memoryToldNothing" : "memoryToldUnknown"));
    const rows = facts.length > 0 && h("ul", {}, ...facts.map(row));
    const more = others > 0 && h("p", {}, t("memoryToldOthers", { n: others }));
    this.#list.replaceChildren(...[none, rows, more].filter((node) => node !== false));
    this.node.hidden = false;
  }
}

/** @param {ToldFact} fact */
function row({ content, reason, words }) {
  const quoted = words.map((word) => `“${word}”`).join(", ");
  return h("li", {}, h("span", {}, content), h("span", { class: "fact-meta" }, t(REASONS[reason], { words: quoted })));
}
