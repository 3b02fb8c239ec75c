// One fact of the memory panel: as it is read, and as it is written.

import { button, h } from "../kit/dom.js";
import { language, named, t } from "../kit/texts.js";
import { originOf } from "./origin.js";

/** @import { Fact, NewFact } from "../kit/protocol" */

const MOST = 500;

const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const moments = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" });

/** @type {(words: string[], text: string) => boolean} */
export const matches = (words, text) => words.every((word) => text.includes(word));
export const kindOf = (/** @type {Fact} */ { until, category }) => until ? "past" : category === "instruction" ? "instruction" : "fact";
export const folded = (/** @type {string} */ text) => text.normalize("NFKC").toLocaleLowerCase();

/**
 * @param {Fact} fact
 * @param {{ edit: () => void, forget: () => void }} actions
 */
export function factRow(fact, { edit, forget }) {
  const meta = h(
    "div",
    { class: "fact-meta" },
    h("span", { class: "kind" }, named(fact.category)),
    fact.subject && h("span", {}, t("memoryAbout", { who: fact.subject })),
    h("span", {}, t("memorySure", { n: percent(fact) })),
    timeOf(fact.createdAt, (date) => date),
    timeOf(fact.lastConfirmedAt, (date) => t("memoryAgain", { date })),
    fact.until && h("span", { class: "until" }, t("memoryUntil", { date: partial(fact.until) })),
    originOf(fact),
  );
  const tools = h(
    "div",
    { class: "fact-tools" },
    button(t("memoryEdit", { what: fact.content }), "pencil", edit, { title: t("memoryEditDo") }),
    button(t("memoryForget", { what: fact.content }), "trash", forget, { title: t("memoryForgetDo") }),
  );
  return h("li", { class: "fact", dataset: { id: fact.id } }, h("div", { class: "fact-text" }, h("p", {}, fact.content), meta), tools);
}

/**
 * @param {string | undefined} text
 * @param {(date: string) => string} says
 */
function timeOf(text, says) {
  const at = new Date(text ?? "");
  if (Number.isNaN(at.getTime())) return null;
  return h("time", { datetime: text, title: moments.format(at) }, says(dates.format(at)));
}

/**
 * A year, a month or a day, as people write it; a day has no time zone.
 * @param {string} text
 */
function partial(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()) || /^\d{4}$/.test(text)) return text;
  if (/^\d{4}-\d{2}$/.test(text)) return at.toLocaleDateString(language, { year: "numeric", month: "long", timeZone: "UTC" });
  return at.toLocaleDateString(language, { dateStyle: "medium", ...(text.length === 10 && { timeZone: "UTC" }) });
}

/**
 * What gives the focus back to the button of a fact that has it now, once the list is drawn again.
 * @param {HTMLElement} list
 */
export function focusIn(list) {
  const active = document.activeElement;
  const row = active instanceof HTMLElement && list.contains(active) && active.closest("li");
  if (!row) return () => {};
  const id = row.dataset.id;
  const at = [...row.querySelectorAll("button, a")].indexOf(active);
  return () => {
    const same = [...list.querySelectorAll("li")].find((one) => one.dataset.id === id);
    const found = same?.querySelectorAll("button, a")[Math.max(0, at)];
    if (found instanceof HTMLElement) found.focus();
  };
}

/**
 * A form for a new fact (without `cancel`), or for one that is there. `save` says whether it worked.
 * @param {NewFact} fact
 * @param {string} action
 * @param {(change: NewFact) => Promise<boolean>} save
 * @param {(() => void) | null} cancel
 * @param {string[]} categories
 */
export function factForm(fact, action, save, cancel, categories) {
  const field = h("textarea", { rows: cancel ? "2" : "1", maxlength: String(MOST), required: true, "aria-label": cancel ? t("memoryContent") : t("memoryAddWhat"), placeholder: t("memoryAddHint") });
  field.value = fact.content;
  const options = kinds(fact, categories).map((name) => h("option", { value: name, selected: name === fact.category }, named(name)));
  const kind = h("select", { "aria-label": t("memoryCategory") }, ...options);
  const sure = cancel && h("input", { type: "number", min: "0", max: "100", step: "1", required: true, value: String(percent(fact)), "aria-label": t("memoryConfidence"), title: t("memoryConfidence") });
  const go = h("button", { class: "primary" }, action);
  const form = h(
    "form",
    { class: "fact-form" },
    field,
    h("div", { class: "fact-row" }, kind, sure, sure && h("span", { "aria-hidden": "true" }, "%"), h("span", { class: "space" }), cancel && h("button", { type: "button", class: "plain", onclick: () => cancel() }, t("cancel")), go),
  );
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return;
    go.disabled = true;
    const saved = await save(written(fact, field, kind, sure));
    go.disabled = false;
    if (!saved || cancel) return;
    field.value = "";
    field.focus();
  });
  return form;
}

/**
 * The categories that there are, and that of a fact which has another one.
 * @param {NewFact} fact
 * @param {string[]} categories
 */
const kinds = ({ content, category }, categories) => !content || categories.includes(category) ? categories : [...categories, category];

/**
 * Unchanged confidence is sent as it was: what is shown is rounded.
 * @param {NewFact} fact
 * @param {HTMLTextAreaElement} field
 * @param {HTMLSelectElement} kind
 * @param {HTMLInputElement | null} sure
 */
function written(fact, field, kind, sure) {
  const confidence = sure && Number(sure.value) !== percent(fact) ? Number(sure.value) / 100 : fact.confidence;
  return { content: field.value.trim(), category: kind.value, confidence };
}

/** @param {NewFact} fact */
function percent(fact) {
  return Math.round((fact.confidence ?? 1) * 100);
}
