// Small questions to the person, and bad news.

import { h } from "./dom.js";
import { parsed, Problem } from "./api.js";
import { t } from "./texts.js";

/**
 * A question in a dialog of its own; whether the person said yes.
 * @param {string} title
 * @param {HTMLElement} body
 * @param {string} action
 * @param {boolean} danger
 * @returns {Promise<boolean>}
 */
export function ask(title, body, action, danger) {
  return new Promise((resolve) => {
    const cancel = h("button", { type: "button", class: "plain", onclick: () => dialog.close("") }, t("cancel"));
    const go = h("button", { class: danger ? "danger" : "primary" }, action);
    const form = h("form", { method: "dialog" }, h("h2", { id: "ask" }, title), body, h("div", { class: "choices" }, cancel, go));
    /** @type {HTMLDialogElement} */
    const dialog = h("dialog", { "aria-labelledby": "ask" }, form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close("yes");
    });
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close(""));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {string} current */
export async function askName(current) {
  const field = h("input", { value: current, maxlength: "200", "aria-label": t("newName"), autofocus: true });
  queueMicrotask(() => field.select());
  const sure = await ask(t("rename"), field, t("save"), false);
  const name = field.value.trim();
  return sure && name && name !== current ? name : "";
}

/**
 * Other arguments for an action, as JSON text; "" when the person changed their mind. Each has a field of its own:
 * texts as they are, anything else as JSON.
 * @param {string} current
 */
export async function askArguments(current) {
  const known = parsed(current || "{}");
  const fields = isObject(known) ? Object.entries(known).map(([name, value]) => new ArgumentField(name, value)) : [];
  const note = h("p", { class: "note", role: "alert" });
  const body = h("div", { class: "arguments" }, fields.map((field) => field.node), note);
  body.addEventListener("input", () => {
    note.textContent = fields.map((field) => field.check()).find(Boolean) ?? "";
  });
  const sure = await ask(t("editArguments"), body, t("editApprove"), false);
  return sure ? JSON.stringify(Object.fromEntries(fields.map((field) => [field.name, field.value]))) : "";
}

class ArgumentField {
  #isText;
  #field;

  /**
   * @param {string} name
   * @param {unknown} value
   */
  constructor(name, value) {
    this.name = name;
    this.#isText = typeof value === "string";
    this.#field = h("textarea", { rows: "1", spellcheck: String(this.#isText), class: this.#isText ? "" : "code" });
    this.#field.value = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    this.#field.rows = Math.min(10, Math.max(this.#field.value.split("\n").length, Math.ceil(this.#field.value.length / 40)));
    this.node = h("label", {}, h("span", {}, name), this.#field);
  }

  get value() {
    return this.#isText ? this.#field.value : parsed(this.#field.value);
  }

  // What is wrong with what stands in it, or "".
  check() {
    this.#field.setCustomValidity(this.value === undefined ? t("notJson", { name: this.name }) : "");
    return this.#field.validationMessage;
  }
}

/**
 * Another text for a message; "" when the person changed their mind.
 * @param {string} current
 */
export async function askText(current) {
  const field = h("textarea", { rows: "6", maxlength: "100000", "aria-label": t("editMessage"), autofocus: true });
  field.value = current;
  const sure = await ask(t("editMessage"), field, t("editSend"), false);
  const text = field.value.trim();
  return sure && text !== current ? text : "";
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {string} title
 * @param {boolean} isTopic
 */
export function confirmRemoval(title, isTopic) {
  const says = h("p", {}, t("removeSays", { title }));
  return ask(t(isTopic ? "removeTopic" : "removeChat"), says, t("remove"), true);
}

let hiding = 0;
/** @param {string} text */
export function toast(text) {
  document.querySelector(".toast")?.remove();
  const node = h("div", { class: "toast", role: "alert" }, text);
  document.body.append(node);
  clearTimeout(hiding);
  hiding = setTimeout(() => node.remove(), 6000);
}

/**
 * Waits for an action, and says so when it did not work.
 * @template T
 * @param {Promise<T>} promise
 */
export async function tell(promise) {
  try {
    return await promise;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    toast(t("actionFailed", { why: problem.status === 0 ? t("gone") : problem.message }));
    return undefined;
  }
}
