// Small questions to the person, and bad news.

import { h } from "./dom.js";
import { Problem } from "./api.js";
import { t } from "./texts.js";

// A question in a dialog of its own; whether the person said yes.
export function ask(title, body, action, danger) {
  return new Promise((resolve) => {
    const cancel = h("button", { type: "button", class: "plain", onclick: () => dialog.close("") }, t("cancel"));
    const go = h("button", { class: danger ? "danger" : "primary" }, action);
    const form = h("form", { method: "dialog" }, h("h2", { id: "ask" }, title), body, h("div", { class: "choices" }, cancel, go));
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

export async function askName(current) {
  const field = h("input", { value: current, maxlength: "200", "aria-label": t("newName"), autofocus: true });
  queueMicrotask(() => field.select());
  const sure = await ask(t("rename"), field, t("save"), false);
  const name = field.value.trim();
  return sure && name && name !== current ? name : "";
}

// Other arguments for an action, as JSON text; "" when the person changed their mind.
export async function askArguments(current) {
  const field = h("textarea", { rows: "10", spellcheck: "false", "aria-label": t("editArguments"), class: "code" });
  const note = h("p", { class: "note", role: "alert" });
  field.value = current || "{}";
  field.addEventListener("input", () => {
    field.setCustomValidity(isObject(field.value) ? "" : t("notAnObject"));
    note.textContent = field.validationMessage;
  });
  const sure = await ask(t("editArguments"), h("div", {}, field, note), t("save"), false);
  return sure && isObject(field.value) ? field.value : "";
}

// Another text for a message; "" when the person changed their mind.
export async function askText(current) {
  const field = h("textarea", { rows: "6", maxlength: "100000", "aria-label": t("editMessage"), autofocus: true });
  field.value = current;
  const sure = await ask(t("editMessage"), field, t("editSend"), false);
  const text = field.value.trim();
  return sure && text !== current ? text : "";
}

function isObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export function confirmRemoval(title, isTopic) {
  const says = h("p", {}, t("removeSays", { title }));
  return ask(t(isTopic ? "removeTopic" : "removeChat"), says, t("remove"), true);
}

let hiding = 0;
export function toast(text) {
  document.querySelector(".toast")?.remove();
  const node = h("div", { class: "toast", role: "alert" }, text);
  document.body.append(node);
  clearTimeout(hiding);
  hiding = setTimeout(() => node.remove(), 6000);
}

// Waits for an action, and says so when it did not work.
export async function tell(promise) {
  try {
    return await promise;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    toast(t("actionFailed", { why: problem.status === 0 ? t("gone") : problem.message }));
    return undefined;
  }
}
