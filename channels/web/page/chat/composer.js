// Where messages are written.

import { Attachments } from "./attachments.js";
import { CommandList } from "./commands.js";
import { button, byId, h, newId } from "../kit/dom.js";
import { keyOf, store } from "./store.js";
import { isBusy } from "./thread.js";
import { t } from "../kit/texts.js";

/**
 * @import { Place } from "../kit/protocol"
 * @import { Message } from "./outbox.js"
 */

const DRAFT = "parley.draft.";

export class Composer {
  #field = h("textarea", { id: "write", rows: "1", maxlength: "100000", role: "combobox", "aria-expanded": "false", "aria-controls": "commands", "aria-autocomplete": "list", enterkeyhint: "send", "aria-keyshortcuts": "Control+K" });
  #picker = h("input", { type: "file", multiple: true, class: "unseen", tabindex: "-1", "aria-hidden": "true" });
  #send = button(t("send"), "send", () => this.submit(), { class: "send" });
  #stop = h("button", { type: "button", class: "tool stop", title: t("stop"), "aria-label": t("stop"), hidden: true }, h("span", { class: "square" }));
  #attached = new Attachments(() => this.refresh());
  #commands = new CommandList(this.#field, (name, now) => this.#complete(name, now));
  /** @type {Place | null} */
  #place = null;
  #due = false; // sending was asked for while files were still on their way

  /** @param {{ send: (message: Message) => void, stop: () => void }} actions */
  constructor({ send, stop }) {
    this.onSend = send;
    this.#stop.addEventListener("click", stop);
    const clip = button(t("attach"), "clip", () => this.#picker.click());
    const box = h("div", { class: "composer" }, this.#attached.node, this.#field, h("div", { class: "composer-row" }, clip, h("span", { class: "space" }), this.#stop, this.#send));
    byId("dock").append(this.#commands.node, box, this.#picker, h("p", { class: "hint" }, t("hint")));
    this.#field.addEventListener("keydown", (event) => this.#onKey(event));
    this.#field.addEventListener("input", () => this.#typed());
    this.#field.addEventListener("blur", () => this.#commands.close());
    this.#field.addEventListener("paste", (event) => this.#paste(event));
    this.#picker.addEventListener("change", () => {
      this.#attached.add(this.#picker.files ?? []);
      this.#picker.value = "";
      this.focus();
    });
    store.on("commands", () => this.#commands.update());
    this.#catchDrops();
  }

  focus() {
    this.#field.focus();
  }

  // Esc: closes the list of commands; true when there was one.
  close() {
    return this.#commands.close();
  }

  /** @param {Place | null} place */
  show(place) {
    this.#place = place;
    this.#due = false;
    this.#field.placeholder = t(place?.topic ? "writeTopic" : "write");
    this.#field.setAttribute("aria-label", this.#field.placeholder);
    this.#field.value = localStorage.getItem(this.#draftKey()) ?? "";
    this.#fit();
    this.refresh();
  }

  refresh() {
    this.#stop.hidden = !isBusy(store.place);
    const something = this.#field.value.trim() || this.#attached.size;
    if (this.#attached.failed) this.#due = false;
    this.#send.disabled = !something || this.#due;
    if (this.#due && this.#attached.ready) this.submit();
  }

  submit() {
    this.#due = !this.#attached.ready && !this.#attached.failed;
    if (this.#due) this.#send.disabled = true;
    if (!this.#attached.ready || !(this.#field.value.trim() || this.#attached.size)) return;
    const text = this.#field.value.trim();
    localStorage.removeItem(this.#draftKey());
    this.#field.value = "";
    this.#fit();
    this.#commands.close();
    this.onSend({ id: newId(), text, files: this.#attached.take() });
    this.refresh();
    this.focus();
  }

  #draftKey() {
    return DRAFT + (this.#place ? keyOf(this.#place) : "new");
  }

  #typed() {
    const text = this.#field.value;
    if (text) localStorage.setItem(this.#draftKey(), text);
    else localStorage.removeItem(this.#draftKey());
    this.#fit();
    this.#commands.update();
    this.refresh();
  }

  /**
   * @param {string} name
   * @param {boolean} now
   */
  #complete(name, now) {
    this.#field.value = now ? `/${name}` : `/${name} `;
    this.#commands.close();
    this.refresh();
    if (now) this.submit();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    // While an input method composes (Chinese, Japanese), Enter chooses a word.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.#commands.onKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.submit();
    }
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.#attached.add(files);
  }

  #fit() {
    this.#field.style.height = "auto";
    this.#field.style.height = `${Math.min(this.#field.scrollHeight, window.innerHeight * 0.4)}px`;
  }

  #catchDrops() {
    const main = byId("main");
    const sign = byId("drop");
    sign.textContent = t("dropHere");
    const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
    main.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      sign.hidden = false;
    });
    main.addEventListener("dragleave", (event) => {
      if (!main.contains(/** @type {Node | null} */ (event.relatedTarget))) sign.hidden = true;
    });
    main.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      sign.hidden = true;
      this.#attached.add(event.dataTransfer?.files ?? []);
      this.focus();
    });
  }
}
