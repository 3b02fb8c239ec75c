// The list of commands above the text field, while a text begins with "/".

import { h } from "../kit/dom.js";
import { store } from "./store.js";
import { t } from "../kit/texts.js";

/** @import { Command } from "../kit/protocol" */

export class CommandList {
  node = h("ul", { class: "commands", id: "commands", role: "listbox", "aria-label": t("commands"), hidden: true });
  /** @type {Command[]} */
  #found = [];
  #at = 0;

  /**
   * @param {HTMLTextAreaElement} field
   * @param {(name: string, now: boolean) => void} choose
   */
  constructor(field, choose) {
    this.field = field;
    this.choose = choose;
  }

  get isOpen() {
    return !this.node.hidden;
  }

  update() {
    const text = this.field.value;
    const typed = /^\/(\S*)$/.exec(text)?.[1].toLowerCase();
    this.#found = typed === undefined ? [] : store.commands.filter((one) => one.name.toLowerCase().startsWith(typed));
    this.#at = 0;
    this.#draw();
  }

  close() {
    const was = this.isOpen;
    this.#found = [];
    this.#draw();
    return was;
  }

  /**
   * True when the key was for the list.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    if (!this.isOpen) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#at = (this.#at + step + this.#found.length) % this.#found.length;
      this.#draw();
    } else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) {
      this.choose(this.#found[this.#at].name, event.key === "Enter");
    } else return false;
    event.preventDefault();
    return true;
  }

  #draw() {
    this.node.hidden = !this.#found.length;
    this.node.replaceChildren(
      ...this.#found.map((one, at) =>
        h(
          "li",
          { id: `command-${at}`, role: "option", "aria-selected": String(at === this.#at), onmousedown: (event) => event.preventDefault(), onclick: () => this.choose(one.name, true) },
          h("code", {}, "/" + one.name),
          h("span", {}, one.summary),
        ),
      ),
    );
    this.node.children[this.#at]?.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-expanded", String(this.isOpen));
    if (this.isOpen) this.field.setAttribute("aria-activedescendant", `command-${this.#at}`);
    else this.field.removeAttribute("aria-activedescendant");
  }
}
