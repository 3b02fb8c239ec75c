// Memories from elsewhere: what an import would do is seen before it is done. And the forms of a download.

import { call, Problem } from "../kit/api.js";
import { h } from "../kit/dom.js";
import { language, t } from "../kit/texts.js";

/** @import { ImportCounts, Imported, ImportPreview } from "../kit/protocol" */

const MOST = 8_000_000; // as the chat takes
const SHAPES = { parley: "Parley", mem0: "mem0", chatgpt: "ChatGPT" };

/** The link of a download, and what chooses its form. */
export function downloads() {
  const link = h("a", { class: "plain", href: "/api/memory/export", download: "memory.json" }, t("memoryExport"));
  const options = Object.entries(SHAPES).map(([value, name]) => h("option", { value }, name));
  const choose = () => {
    const own = shape.value === "parley";
    link.href = own ? "/api/memory/export" : `/api/memory/export/${shape.value}`;
    link.download = own ? "memory.json" : `memory-${shape.value}.json`;
  };
  const shape = h("select", { "aria-label": t("memoryShape"), title: t("memoryShape"), onchange: choose }, ...options);
  return h("div", { class: "memory-download" }, link, shape);
}

/**
 * Asks for memories and adds them.
 * @returns {Promise<Imported | null>} null where the person changed their mind
 */
export function importMemories() {
  return new Promise((resolve) => new ImportDialog(resolve).open());
}

class ImportDialog {
  #file = h("input", { type: "file", accept: ".json,.txt,application/json,text/plain", onchange: () => this.#read() });
  #text = h("textarea", { rows: "5", spellcheck: "false", oninput: () => this.#typed() });
  #trouble = h("p", { class: "memory-note bad", role: "alert" });
  #preview = h("div", { class: "memory-preview", role: "status" });
  #go = h("button", { class: "primary" }, t("memoryImportPreview"));
  #dialog = h("dialog", { class: "memory-import", "aria-labelledby": "import-title" });
  #content = ""; // what is to be imported: of the file, or what was pasted
  #seen = 0; // how many would be added; 0 as long as nothing was looked at
  /** @type {Imported | null} */
  #done = null;
  #resolve;

  /** @param {(imported: Imported | null) => void} resolve */
  constructor(resolve) {
    this.#resolve = resolve;
  }

  open() {
    const cancel = h("button", { type: "button", class: "plain", onclick: () => this.#dialog.close() }, t("cancel"));
    const form = h(
      "form",
      { onsubmit: (event) => this.#submit(event) },
      h("h2", { id: "import-title" }, t("memoryImport")),
      h("p", {}, t("memoryImportSays")),
      h("label", {}, h("span", {}, t("memoryImportFile")), this.#file),
      h("label", {}, h("span", {}, t("memoryImportText")), this.#text),
      this.#trouble,
      this.#preview,
      h("div", { class: "choices" }, cancel, this.#go),
    );
    this.#dialog.append(form);
    this.#dialog.addEventListener("close", () => {
      this.#dialog.remove();
      this.#resolve(this.#done);
    });
    this.#changed("");
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }

  async #read() {
    const file = this.#file.files?.[0];
    this.#text.value = "";
    this.#changed(file && file.size <= MOST ? await file.text().catch(() => "") : "");
    if (file && !this.#content) this.#trouble.textContent = t(file.size > MOST ? "memoryImportLarge" : "memoryImportUnreadable");
  }

  #typed() {
    this.#file.value = "";
    this.#changed(this.#text.value);
  }

  /** @param {string} content */
  #changed(content) {
    this.#content = content;
    this.#seen = 0;
    this.#trouble.textContent = "";
    this.#preview.replaceChildren();
    this.#go.textContent = t("memoryImportPreview");
    this.#go.disabled = !content.trim();
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    this.#go.disabled = true;
    this.#trouble.textContent = "";
    const text = this.#content;
    try {
      if (this.#seen) await this.#add(text);
      else await this.#look(text);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#trouble.textContent = problem.status === 0 ? t("gone") : problem.message;
      this.#go.disabled = false;
    }
  }

  /** @param {string} text */
  async #look(text) {
    /** @type {ImportPreview} */
    const preview = await call("POST", asked("preview"), { text });
    if (text !== this.#content) return; // Something else was chosen meanwhile.
    this.#seen = preview.added;
    const more = preview.added - preview.facts.length;
    const facts = preview.facts.map((fact) => h("li", {}, fact));
    if (more > 0) facts.push(h("li", {}, t("memoryImportMore", { n: more })));
    this.#preview.replaceChildren(...counted(preview), ...(facts.length ? [h("ul", {}, ...facts)] : []));
    if (!preview.added) return;
    this.#go.textContent = t("memoryImportAdd", { n: preview.added });
    this.#go.disabled = false;
  }

  /** @param {string} text */
  async #add(text) {
    this.#done = await call("POST", asked("add"), { text });
    this.#dialog.close();
  }
}

/** @param {string} step */
function asked(step) {
  return `/api/memory/import/${step}?language=${encodeURIComponent(language)}`;
}

/** @param {ImportCounts} counts */
function counted({ added, known, left_out, shortened, secrets }) {
  const says = [
    t("memoryImportWould", { n: added, known }),
    left_out && t("memoryImportLeftOut", { n: left_out }),
    shortened && t("memoryImportShortened", { n: shortened }),
    secrets && t("memorySecrets", { n: secrets }),
  ];
  return says.filter(Boolean).map((text) => h("p", {}, String(text)));
}
