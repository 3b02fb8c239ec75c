// Which agent answers: it is asked to say hello before it is kept.

import { h } from "../kit/dom.js";
import { t } from "../kit/texts.js";
import { setupApi } from "./api.js";

/**
 * @import { SetupAgent, SetupState } from "../kit/protocol"
 * @import { SetupDialog, View } from "./dialog.js"
 */

const MODEL = "openai:gpt-5-mini";
const SERVER = "http://127.0.0.1:2024";

/**
 * @param {SetupDialog} dialog
 * @param {SetupState} state
 * @returns {View}
 */
export function agentView(dialog, state) {
  const chosen = state.agents.findIndex((each) => state.agent && each.kind === state.agent.kind && (each.kind !== "project" || each.name === state.agent.name));
  const options = state.agents.map((agent, at) => option(dialog, agent, at === Math.max(0, chosen)));
  const form = h(
    "form",
    { class: "setup-form" },
    h("fieldset", {}, h("legend", {}, h("h3", { tabindex: "-1" }, t("agent_ask"))), ...options.map(({ node }) => node)),
    h("div", { class: "choices" }, h("button", { type: "button", class: "plain", onclick: () => dialog.showChats() }, t("setupBack")), h("button", { class: "primary" }, t("setupNext"))),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const picked = options.find(({ radio }) => radio.checked);
    if (!picked || dialog.busy) return;
    const said = picked.said();
    if (said && (await dialog.step(setupApi.agent(said), t("agent_checking")))) dialog.showReview();
  });
  return { node: form };
}

/**
 * @param {SetupDialog} dialog
 * @param {SetupAgent} agent
 * @param {boolean} checked
 */
function option(dialog, agent, checked) {
  const radio = h("input", { type: "radio", name: "agent", checked, required: true, "data-first": checked });
  const fields = agent.kind === "model" ? modelFields() : agent.kind === "server" ? serverFields(dialog) : null;
  const label = h("label", { class: "setup-option" }, radio, h("span", {}, labelOf(agent)));
  const node = h("div", { class: "setup-agent" }, label, fields?.node);
  return { node, radio, said: () => (fields ? fields.said() : { kind: agent.kind, name: agent.name }) };
}

/** @param {SetupAgent} agent */
function labelOf({ kind, name }) {
  if (kind === "project") return t("agent_project", { name });
  return t(kind === "model" ? "agent_model" : kind === "server" ? "agent_server" : "agent_demonstration");
}

function modelFields() {
  const name = textField(t("model_ask"), MODEL);
  const key = textField(t("key_ask"), "", "password");
  const url = textField(t("setupBaseUrl"), "");
  const node = h("div", { class: "setup-fields" }, name.node, key.node, url.node);
  return { node, said: () => ({ kind: "model", name: name.field.value.trim(), key: key.field.value.trim(), url: url.field.value.trim() }) };
}

/** @param {SetupDialog} dialog */
function serverFields(dialog) {
  const url = textField(t("server_ask"), SERVER);
  const key = textField(t("setupServerKey"), "", "password");
  const list = h("datalist", { id: "setup-assistants" });
  const name = textField(t("setupAssistant"), "");
  name.field.setAttribute("list", list.id);
  const picks = h("div", { class: "chips-row" });
  const ask = h("button", { type: "button", class: "plain", onclick: look }, t("setupListAssistants"));
  const node = h("div", { class: "setup-fields" }, url.node, key.node, h("div", {}, ask), picks, name.node, list);

  async function look() {
    if (dialog.busy) return;
    await dialog.tried(
      setupApi.assistants(url.field.value.trim(), key.field.value.trim()).then(({ assistants }) => {
        list.replaceChildren(...assistants.map((each) => h("option", { value: each })));
        const choose = (/** @type {string} */ each) => { name.field.value = each; };
        picks.replaceChildren(...assistants.map((each) => h("button", { type: "button", class: "plain", onclick: () => choose(each) }, each)));
        if (!name.field.value && assistants.length) choose(assistants[0]);
      }),
      t("agent_checking"),
    );
  }

  return { node, said: () => ({ kind: "server", name: name.field.value.trim(), key: key.field.value.trim(), url: url.field.value.trim() }) };
}

/**
 * @param {string} label
 * @param {string} value
 */
function textField(label, value, type = "text") {
  const field = h("input", { type, value, autocomplete: "off", spellcheck: "false", maxlength: "4096" });
  return { field, node: h("label", {}, h("span", {}, label), field) };
}
