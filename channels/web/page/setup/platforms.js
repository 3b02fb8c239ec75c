// The chat platforms: which there are, the credentials of one, and its first administrator.

import { h, icon } from "../kit/dom.js";
import { t } from "../kit/texts.js";
import { setupApi } from "./api.js";
import { linked, scanView } from "./scan.js";

/**
 * @import { SetupKey, SetupPlatform, SetupState, SetupWait } from "../kit/protocol"
 * @import { SetupDialog, View } from "./dialog.js"
 */

/**
 * @param {SetupDialog} dialog
 * @param {SetupState} state
 * @returns {View}
 */
export function platformList(dialog, state) {
  const rows = state.platforms.map((each, at) => {
    const says = each.accepted ? (each.admin ? t("setupAdminIs", { name: each.admin }) : t(each.connected ? "setupAdminNone" : "channel_is_on")) : t(each.by_qr ? "channel_by_qr" : "channel_by_hand");
    const open = () => dialog.showPlatform(each.name);
    const button = h(
      "button",
      { type: "button", class: "setup-row", onclick: open, "data-first": at === 0 },
      h("strong", {}, each.title),
      h("span", {}, says),
      each.accepted && icon("check"),
    );
    return h("li", {}, button);
  });
  const next = h("button", { type: "button", class: "primary", onclick: () => dialog.showAgent() }, t("setupNext"));
  const node = h(
    "div",
    {},
    h("h3", { tabindex: "-1" }, t("setupChats")),
    h("p", {}, t("setupChatsSays")),
    h("ul", { class: "setup-rows" }, ...rows),
    h("div", { class: "choices" }, next),
  );
  return { node };
}

/**
 * @param {SetupDialog} dialog
 * @param {SetupState} state
 * @param {string} name
 * @returns {View}
 */
export function platformView(dialog, state, name) {
  return new PlatformView(dialog, state, name);
}

class PlatformView {
  node = h("div", {});
  #dialog;
  #name;
  #title = "";
  #shown = ""; // of what the body below the title is drawn
  #part = h("div", {});

  /**
   * @param {SetupDialog} dialog
   * @param {SetupState} state
   * @param {string} name
   */
  constructor(dialog, state, name) {
    this.#dialog = dialog;
    this.#name = name;
    this.#title = state.platforms.find((each) => each.name === name)?.title ?? name;
    this.node.append(h("h3", { tabindex: "-1" }, this.#title), this.#part);
    this.update(state);
  }

  /** @param {SetupState} state */
  update(state) {
    const platform = state.platforms.find(({ name }) => name === this.#name);
    if (!platform) return;
    const scan = state.scan?.channel === this.#name ? state.scan : null;
    const wait = state.wait?.channel === this.#name ? state.wait : null;
    const shown = JSON.stringify([scan, wait, platform]);
    if (shown === this.#shown) return;
    const first = !this.#shown;
    this.#shown = shown;
    if (scan) this.#draw([scanView(scan), this.#choices(this.#button(t("cancel"), () => this.#dialog.step(setupApi.endWaiting())))]);
    else if (platform.accepted) this.#draw(this.#accepted(platform, wait));
    else this.#draw([this.#form(platform)]);
    if (!first) this.#focus();
  }

  /** @param {(HTMLElement | null)[]} nodes */
  #draw(nodes) {
    this.#part.replaceChildren(...nodes.filter((node) => node !== null));
  }

  // What is to be done next, where what had the focus is gone.
  #focus() {
    if (this.node.contains(document.activeElement)) return;
    /** @type {HTMLElement | null} */
    const next = this.node.querySelector("[data-first]") ?? this.node.querySelector("h3");
    next?.focus();
  }

  /** @param {SetupPlatform} platform */
  #form(platform) {
    const server = h("input", { name: "server", inputmode: "url", autocomplete: "off", spellcheck: "false" });
    const fields = platform.keys.filter(({ given }) => !given).map((key, at) => keyField(key, at === 0 && !platform.by_qr));
    const given = platform.keys.filter((key) => key.given).map(({ variable }) => variable);
    const check = h("button", { class: "primary" }, t("setupCheck"));
    const form = h(
      "form",
      { class: "setup-form" },
      h("ol", { class: "setup-steps" }, ...platform.steps.map((step) => h("li", {}, ...linked(step)))),
      given.length > 0 && h("p", {}, t("channel_environment", { names: given.join(", ") })),
      ...fields.map(({ node }) => node),
      this.#choices(this.#back(), check),
    );
    const complete = () => fields.every(({ field }) => field.value.trim());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.#dialog.busy) this.#check(Object.fromEntries(fields.map(({ name, field }) => [name, field.value.trim()])), server.value.trim());
    });
    // Checked as it is pasted, as soon as nothing is missing.
    form.addEventListener("paste", () => setTimeout(() => complete() && !this.#dialog.busy && form.requestSubmit()));
    const elsewhere = h("details", { class: "setup-more" }, h("summary", {}, t("setupElsewhere")), h("label", {}, t("setupServer"), server));
    if (!platform.by_qr) return h("div", {}, elsewhere, form);
    const scan = this.#button(t("setupScan"), () => this.#dialog.step(setupApi.scan(this.#name, server.value.trim())), "primary");
    scan.dataset.first = "";
    const byHand = h("details", { class: "setup-more" }, h("summary", {}, t("setupByHand")), form);
    return h("div", {}, h("p", {}, t("setupScanSays")), elsewhere, this.#choices(this.#back(), scan), byHand);
  }

  /**
   * @param {Record<string, string>} keys
   * @param {string} server
   */
  async #check(keys, server) {
    const works = await this.#dialog.step(setupApi.channel(this.#name, keys, server), t("channel_checking", { channel: this.#title }));
    const platform = this.#dialog.state?.platforms.find(({ name }) => name === this.#name);
    // Nothing is missing: go on to the administrator without another press.
    if (works && platform?.accepted && !platform.lacking.length && !platform.admin) await this.#wait();
  }

  #wait() {
    return this.#dialog.step(setupApi.wait(this.#name));
  }

  /**
   * @param {SetupPlatform} platform
   * @param {SetupWait | null} wait
   */
  #accepted(platform, wait) {
    const lacks = platform.lacking.map((problem) => h("li", {}, t(platform.connected ? "channel_lacks" : "channel_refused", { problem })));
    const connected = platform.found ? t("channel_connected", { found: platform.found }) : t("channel_connected_nameless");
    const again = () => this.#dialog.step(setupApi.channel(this.#name, {}, ""), t("channel_checking", { channel: this.#title }));
    return [
      platform.connected ? h("p", { class: "setup-good" }, icon("check"), h("span", {}, connected)) : null,
      lacks.length ? h("div", { class: "setup-lacks", role: "alert" }, h("ul", {}, ...lacks)) : null,
      lacks.length && platform.rights ? h("p", {}, ...linked(platform.rights)) : null,
      lacks.length ? this.#choices(this.#button(t("setupCheckAgain"), again)) : null,
      ...this.#admin(platform, wait),
    ];
  }

  /**
   * @param {SetupPlatform} platform
   * @param {SetupWait | null} wait
   */
  #admin(platform, wait) {
    const done = this.#button(t("setupDone"), () => this.#dialog.showChats(), "primary");
    done.dataset.first = "";
    if (platform.admin) return [h("p", { class: "setup-good" }, icon("check"), h("span", {}, t("setupAdminIs", { name: platform.admin }))), this.#choices(done)];
    if (!wait) {
      const become = this.#button(t("setupAdmin"), () => this.#wait(), "primary");
      become.dataset.first = "";
      return [h("h4", {}, t("setupAdminTitle")), h("p", {}, t("setupAdminSays")), this.#choices(this.#later(), become)];
    }
    if (!wait.user) {
      const greet = wait.ready ? platform.greet : t("channel_checking", { channel: this.#title });
      const says = h("p", { class: "setup-wait", role: "status" }, h("span", { class: "spinner" }), h("span", {}, ...linked(greet)));
      return [h("h4", {}, t("setupAdminTitle")), h("p", {}, t("setupAdminSays")), says, this.#choices(this.#later())];
    }
    const no = this.#button(t("setupNotMe"), () => this.#dialog.step(setupApi.admin(false)));
    const yes = this.#button(t("setupItsMe"), () => this.#dialog.step(setupApi.admin(true)), "primary");
    yes.dataset.first = "";
    const who = h("p", { class: "setup-who", role: "alert" }, t("admin_who", { name: wait.name, user: wait.user, text: wait.text }));
    return [h("h4", {}, t("setupAdminTitle")), who, this.#choices(no, yes)];
  }

  #later() {
    return this.#button(t("setupLater"), async () => {
      if (await this.#dialog.step(setupApi.endWaiting())) this.#dialog.showChats();
    });
  }

  #back() {
    return this.#button(t("setupBack"), () => this.#dialog.showChats());
  }

  /**
   * @param {string} label
   * @param {() => unknown} act
   */
  #button(label, act, kind = "plain") {
    return h("button", { type: "button", class: kind, onclick: () => this.#dialog.busy || act() }, label);
  }

  /** @param {...HTMLElement} buttons */
  #choices(...buttons) {
    return h("div", { class: "choices" }, ...buttons);
  }
}

/**
 * @param {SetupKey} key
 * @param {boolean} first
 */
function keyField({ key, variable, secret }, first) {
  const field = h("input", { type: secret ? "password" : "text", autocomplete: "off", spellcheck: "false", required: true, maxlength: "4096", "data-first": first });
  return { name: key, field, node: h("label", {}, h("span", {}, variable), field) };
}
