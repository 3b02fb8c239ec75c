// Files chosen for the next message: uploaded at once, shown as chips.

import { api, Problem, upload } from "../kit/api.js";
import { button, h, icon, newId, sizeText } from "../kit/dom.js";
import { toast } from "../kit/dialog.js";
import { store } from "./store.js";
import { t } from "../kit/texts.js";

/**
 * @import { FileRef } from "../kit/protocol"
 * @typedef {{ id: string, source: File, url: string, share: number, file: FileRef | null, why: string, bar?: HTMLElement }} Item
 */

const MOST = 20;

export class Attachments {
  node = h("ul", { class: "chosen", hidden: true });
  /** @type {Item[]} */
  #items = [];

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  get ready() {
    return this.#items.every((item) => item.file);
  }

  get failed() {
    return this.#items.some((item) => item.why);
  }

  get size() {
    return this.#items.length;
  }

  /** @param {Iterable<File>} chosen */
  add(chosen) {
    for (const source of chosen) {
      if (this.#items.length >= MOST) return toast(t("tooMany"));
      if (source.size > store.maxUpload) toast(t("tooLarge", { name: source.name, size: sizeText(store.maxUpload) }));
      else this.#start(source);
    }
    return undefined;
  }

  // Hands the uploaded files over and starts anew.
  take() {
    const files = this.#items.flatMap((item) => item.file ?? []);
    for (const item of this.#items) if (item.url) URL.revokeObjectURL(item.url);
    this.#items = [];
    this.#draw();
    return files;
  }

  /** @param {File} source */
  #start(source) {
    const url = source.type.startsWith("image/") && source.type !== "image/svg+xml" ? URL.createObjectURL(source) : "";
    /** @type {Item} */
    const item = { id: newId(), source, url, share: 0, file: null, why: "" };
    this.#items.push(item);
    this.#send(item);
  }

  /** @param {Item} item */
  async #send(item) {
    item.why = "";
    this.#draw();
    try {
      item.file = await upload(item.id, item.source, (share) => {
        item.share = share;
        item.bar?.style.setProperty("--share", String(share));
      });
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      item.why = problem.message || t("uploadFailed");
    }
    this.#draw();
  }

  /** @param {Item} item */
  #remove(item) {
    this.#items = this.#items.filter((one) => one !== item);
    if (item.url) URL.revokeObjectURL(item.url);
    if (item.file) api.discard(item.id).catch(() => {});
    this.#draw();
  }

  #draw() {
    this.node.hidden = !this.#items.length;
    this.node.replaceChildren(...this.#items.map((item) => this.#chip(item)));
    this.changed();
  }

  /** @param {Item} item */
  #chip(item) {
    const name = item.source.name;
    const picture = item.url ? h("img", { src: item.url, alt: "" }) : icon("file");
    const says = item.why || sizeText(item.source.size);
    const label = h("span", { class: "chosen-name" }, h("b", {}, name), h("small", {}, says));
    const again = item.why && button(t("retry"), "retry", () => this.#send(item));
    const away = button(t("removeFile", { name }), "cross", () => this.#remove(item));
    item.bar = h("li", { class: item.why ? "failed" : item.file ? "" : "sending", title: name }, picture, label, again, away);
    item.bar.style.setProperty("--share", String(item.share));
    return item.bar;
  }
}
