// The memory panel: what is remembered of the person at this page, in their hands.

import { call, Problem } from "../kit/api.js";
import { ask } from "../kit/dialog.js";
import { button, h } from "../kit/dom.js";
import { downloads, importMemories } from "./transfer.js";
import { factForm, factRow, focusIn, folded, kindOf, matches } from "./facts.js";
import { named, t } from "../kit/texts.js";
import { store } from "../chat/store.js";
import { summariesOf } from "./summaries.js";
import { ToldView } from "./told.js";

/** @import { Fact, FoundFacts, Memory, MemoryState, MemoryStatus, NewFact, Undone } from "../kit/protocol" */

const AT_ONCE = 100;
const SECTIONS = /** @type {const} */ ([["instruction", "memoryInstructions"], ["fact", "memoryFacts"], ["past", "memoryPast"]]);
const UNDO = /** @type {const} */ ({ done: "memoryUndone", nothing: "memoryUndoNothing", forgotten: "memoryUndoForgotten" });

/** @type {(method: string, path?: string, body?: object) => Promise<any>} */
const memory = (method, path = "", body = undefined) => call(method, "/api/memory" + path, body);

export function openMemory() {
  new Panel().open();
}

class Panel {
  /** @type {Memory | null} */
  #data = null;
  #categories = /** @type {string[]} */ ([]);
  /** The ids of the facts that were found, best first; null where nothing is searched for.
   * @type {string[] | null}
   */
  #found = null;
  #editing = ""; // the id of the fact that is being edited
  #shown = AT_ONCE;
  #note = h("p", { class: "memory-note", role: "status" });
  #stateSays = "";
  #trouble = h("p", { class: "memory-note bad", role: "alert" });
  #heard = h("p", { class: "unseen", role: "status" });
  #kept = h("div", { class: "memory-kept" });
  #told = new ToldView(store.place);
  #refreshing = false;
  #stale = false; // whether something changed since it was loaded
  #search = h("input", { type: "search", placeholder: t("memorySearch"), "aria-label": t("memorySearch"), oninput: () => this.#again() });
  #on = h("input", { type: "checkbox", role: "switch", onchange: () => this.#switch() });
  #list = h("div", { class: "memory-list" });
  #body = h("div", { class: "memory-body", hidden: true });
  #dialog = h("dialog", { class: "memory", "aria-labelledby": "memory-title" });

  open() {
    this.#on.setAttribute("aria-label", t("memoryOn"));
    const close = button(t("memoryClose"), "cross", () => this.#dialog.close());
    const head = h("div", { class: "memory-head" }, h("h2", { id: "memory-title" }, t("memory")), close);
    const toggle = h("label", { class: "memory-switch" }, this.#on, h("span", {}, t("memoryOn")));
    const undo = h("button", { type: "button", class: "plain", onclick: () => this.#undo() }, t("memoryUndo"));
    const bring = h("button", { type: "button", class: "plain", onclick: () => this.#import() }, t("memoryImport"));
    const clear = h("button", { type: "button", class: "plain", onclick: () => this.#clear() }, t("memoryClear"));
    const tools = h("div", { class: "memory-tools" }, toggle, undo, bring, downloads(), clear);
    this.#body.append(tools, this.#search, this.#told.node, this.#list, this.#kept);
    this.#dialog.append(head, h("p", {}, t("memorySays")), this.#note, this.#trouble, this.#heard, this.#body);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("cancel", (event) => this.#cancel(event));
    this.#dialog.addEventListener("click", (event) => this.#follow(event));
    const over = store.on("memory", () => this.#refresh());
    this.#dialog.addEventListener("close", () => {
      over();
      this.#dialog.remove();
    });
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    this.#load();
  }

  async #load() {
    this.#note.textContent = t("memoryLoading");
    /** @type {MemoryStatus | undefined} */
    const status = await this.#tried(memory("GET", "/status"));
    this.#note.textContent = this.#stateSays = "";
    if (!status) return;
    if (!status.person) {
      this.#note.textContent = t("memoryDisabled");
      return;
    }
    this.#showState(status.person);
    this.#show(status.data);
    this.#categories = status.config.categories;
    this.#search.before(factForm({ content: "", category: "context" }, t("memoryAdd"), (fact) => this.#add(fact), null, this.#categories));
    this.#body.hidden = false;
    await this.#tried(this.#told.load());
  }

  /** Something changed elsewhere. Who is writing is not disturbed; a look that fails is made again at the next change. */
  async #refresh() {
    this.#stale = true;
    if (this.#refreshing || this.#editing) return;
    this.#refreshing = true;
    try {
      while (this.#stale && !this.#editing) {
        this.#stale = false;
        await this.#lookAgain();
      }
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
    } finally {
      this.#refreshing = false;
    }
  }

  async #lookAgain() {
    /** @type {[MemoryStatus, void]} */
    const [status] = await Promise.all([memory("GET", "/status"), this.#told.load()]);
    if (!status.person || this.#body.hidden) return;
    this.#showState(status.person);
    if (this.#editing) this.#stale = true;
    else if (JSON.stringify(status.data) !== JSON.stringify(this.#data)) {
      this.#show(status.data);
      this.#heard.textContent = "";
      this.#heard.textContent = t("memoryRefreshed");
    }
  }

  /**
   * A link into the page leads out of the panel.
   * @param {Event} event
   */
  #follow(event) {
    const link = event.target instanceof Element && event.target.closest("a[href^='#']");
    if (link) this.#dialog.close();
  }

  /**
   * The answer, or undefined when it did not work: that is said in the panel, where a toast could not be seen.
   * @template T
   * @param {Promise<T>} promise
   */
  async #tried(promise) {
    this.#trouble.textContent = "";
    try {
      return await promise;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#trouble.textContent = t("actionFailed", { why: problem.status === 0 ? t("gone") : problem.message });
      return undefined;
    }
  }

  /**
   * Whether it worked; the memory that came back is shown, and `says` is told to those who listen.
   * @param {Promise<Memory>} promise
   * @param {string} says
   */
  async #change(promise, says) {
    const data = await this.#tried(promise);
    if (!data) return false;
    this.#editing = "";
    this.#show(data);
    this.#note.textContent = says;
    return true;
  }

  /** @param {MemoryState} state */
  #showState({ on, waiting, damaged, secrets, orders, unsaid }) {
    this.#on.checked = on;
    const state = on ? waiting ? t("memoryWaiting", { n: waiting }) : "" : t("memoryIsOff");
    if (state !== this.#stateSays) this.#note.textContent = state; // else what was just done stays said
    this.#stateSays = state;
    this.#trouble.textContent = damaged ? t("memoryDamaged", { name: damaged }) : "";
    const counts = [secrets && t("memorySecrets", { n: secrets }), orders && t("memoryOrders", { n: orders }), unsaid && t("memoryUnsaid", { n: unsaid })];
    this.#kept.replaceChildren(...counts.filter(Boolean).map((says) => h("p", {}, String(says))));
  }

  /** @param {Memory} data */
  #show(data) {
    this.#data = data;
    if (this.#found) this.#again();
    this.#draw();
  }

  async #again() {
    const words = this.#search.value.trim();
    /** @type {FoundFacts | undefined} */
    const found = words ? await this.#tried(memory("GET", `/search?words=${encodeURIComponent(words)}`)) : undefined;
    if (words !== this.#search.value.trim()) return; // Other words were typed meanwhile.
    this.#found = found?.facts ?? null;
    this.#shown = AT_ONCE;
    this.#draw();
  }

  /** @param {Memory} data */
  #factsOf({ facts }) {
    const found = this.#found;
    if (!found) return [...facts].sort((one, two) => (one.createdAt < two.createdAt ? 1 : one.createdAt > two.createdAt ? -1 : 0));
    const kind = folded(this.#search.value.trim());
    const place = (/** @type {Fact} */ { id, category }) => found.includes(id) ? found.indexOf(id) : folded(named(category)) === kind ? found.length : -1;
    return facts.filter((fact) => place(fact) >= 0).sort((one, two) => place(one) - place(two));
  }

  #draw() {
    if (!this.#data) return;
    const words = folded(this.#search.value).split(/\s+/).filter(Boolean);
    const summaries = summariesOf(this.#data).filter(({ name, text }) => matches(words, folded(`${name} ${text}`)));
    const facts = this.#factsOf(this.#data);
    const nodes = [];
    if (summaries.length) {
      const entries = summaries.flatMap(({ name, text }) => [h("dt", {}, name), h("dd", {}, text)]);
      nodes.push(h("h3", {}, t("memorySummaries")), h("dl", {}, ...entries));
    }
    const shown = facts.slice(0, this.#shown);
    for (const [kind, title] of SECTIONS) {
      const n = facts.filter((fact) => kindOf(fact) === kind).length;
      const rows = shown.filter((fact) => kindOf(fact) === kind).map((fact) => this.#fact(fact));
      if (rows.length) nodes.push(h("h3", {}, t(title, { n })), h("ul", kind === "past" ? { class: "past" } : {}, ...rows));
    }
    if (facts.length > this.#shown) {
      const more = () => { this.#shown += AT_ONCE; this.#draw(); };
      nodes.push(h("button", { type: "button", class: "plain", onclick: more }, t("memoryMore", { n: facts.length - this.#shown })));
    }
    if (!nodes.length) nodes.push(h("p", { class: "memory-empty" }, words.length ? t("memoryNoMatch", { words: this.#search.value }) : t("memoryEmpty")));
    const refocus = focusIn(this.#list);
    this.#list.replaceChildren(...nodes);
    refocus();
  }

  /** @param {Fact} fact */
  #fact(fact) {
    if (fact.id !== this.#editing) return factRow(fact, { edit: () => this.#edit(fact.id), forget: () => this.#forget(fact) });
    return h("li", {}, factForm(fact, t("save"), (change) => this.#save(fact, change), () => this.#edit("", fact.id), this.#categories));
  }

  /** @param {string} id */
  #edit(id, back = "") {
    this.#editing = id;
    this.#draw();
    if (id) this.#list.querySelector("textarea")?.focus();
    else this.#focus(back);
    if (!id && this.#stale) this.#refresh();
  }

  /** @param {string} id */
  #focus(id) {
    const row = [...this.#list.querySelectorAll("li")].find((one) => one.dataset.id === id);
    (row?.querySelector("button") ?? this.#search).focus();
  }

  /** @param {Event} event */
  #cancel(event) {
    if (!this.#editing) return;
    event.preventDefault();
    this.#edit("", this.#editing);
  }

  /** @param {NewFact} fact */
  async #add({ content, category }) {
    return this.#change(memory("POST", "/facts", { content, category }), t("memoryDone"));
  }

  /**
   * @param {Fact} fact
   * @param {NewFact} change
   */
  async #save(fact, change) {
    const saved = await this.#change(memory("PATCH", `/facts/${encodeURIComponent(fact.id)}`, change), t("memoryDone"));
    if (saved) this.#focus(fact.id);
    return saved;
  }

  /** @param {Fact} fact */
  async #forget(fact) {
    const sure = await ask(t("memoryForgetAsk"), h("p", {}, t("memoryForgetSays", { what: fact.content })), t("memoryForgetDo"), true);
    if (!sure) return;
    const gone = await this.#change(memory("DELETE", `/facts/${encodeURIComponent(fact.id)}`), t("memoryGone"));
    if (gone) this.#search.focus();
  }

  async #undo() {
    /** @type {Undone | undefined} */
    const undone = await this.#tried(memory("POST", "/undo"));
    if (!undone) return;
    this.#show(undone.data);
    this.#note.textContent = t(UNDO[undone.result]);
  }

  async #import() {
    const imported = await importMemories();
    if (!imported) return;
    this.#show(imported.data);
    this.#note.textContent = t("memoryImportDone", { n: imported.added });
  }

  async #clear() {
    const says = h("p", {}, t("memoryClearSays", { n: this.#data?.facts.length }));
    if (await ask(t("memoryClearAsk"), says, t("memoryClear"), true)) await this.#change(memory("DELETE"), t("memoryGone"));
  }

  async #switch() {
    const state = await this.#tried(memory("PUT", "/switch", { on: this.#on.checked }));
    if (state) this.#showState(state);
    else this.#on.checked = !this.#on.checked;
  }
}
