// What would be written, and the start with it.

import { h, icon } from "../kit/dom.js";
import { t } from "../kit/texts.js";

/**
 * @import { SetupState } from "../kit/protocol"
 * @import { SetupDialog, View } from "./dialog.js"
 */

/**
 * @param {SetupDialog} dialog
 * @param {SetupState} state
 * @returns {View}
 */
export function reviewView(dialog, state) {
  const lines = state.changes.map((line) => h("li", {}, line));
  const back = h("button", { type: "button", class: "plain", onclick: () => dialog.showAgent() }, t("setupBack"));
  const write = h("button", { type: "button", class: "primary", disabled: !lines.length, onclick: () => dialog.busy || dialog.save(), "data-first": true }, t("setupWrite"));
  const node = h(
    "div",
    {},
    h("h3", { tabindex: "-1" }, t(lines.length ? "changes" : "changes_none")),
    state.agent_answer && h("p", { class: "setup-good" }, icon("check"), h("span", {}, t("agent_answered", { found: state.agent_answer }))),
    lines.length > 0 && h("ul", { class: "setup-changes", tabindex: "0" }, ...lines),
    h("p", {}, t("setupWriteSays")),
    h("div", { class: "choices" }, back, write),
  );
  return { node };
}

/** @returns {View} */
export function startingView() {
  return { node: h("p", { class: "setup-wait", role: "status" }, h("span", { class: "spinner" }), t("setupStarting")) };
}

/**
 * @param {SetupDialog} dialog
 * @returns {View}
 */
export function startedView(dialog) {
  const written = dialog.state?.written ?? [];
  const admins = dialog.state?.platforms.filter(({ admin }) => admin) ?? [];
  const close = h("button", { type: "button", class: "primary", onclick: () => dialog.close(), "data-first": true }, t("setupFinish"));
  const node = h(
    "div",
    {},
    h("h3", { tabindex: "-1" }, t("setupStarted")),
    h("p", {}, t("written", { files: written.join(", ") })),
    admins.length > 0 && h("p", {}, t("setupAnswered")),
    h("p", {}, t("setupMore")),
    h("div", { class: "choices" }, close),
  );
  return { node };
}
