// Messages on their way: kept until the server has them, sent again under the same id.

import { api, Problem } from "../kit/api.js";
import { language, zone } from "../kit/texts.js";
import { keyOf, store } from "./store.js";

/**
 * A message and where it belongs. `key` is its place's, `at` when it was written, `why` what the server said against it.
 * @import { FileRef, Place } from "../kit/protocol"
 * @typedef {{ id: string, text: string, files: FileRef[] }} Message
 * @typedef {Message & Place & { key: string, at: number, state: "waiting" | "sending" | "failed", why: string }} Item
 */

const PREFIX = "parley.outbox."; // one key a message, so that two tabs never overwrite each other

class Outbox extends EventTarget {
  #items = load();
  #busy = false;
  #timer = 0;
  #tries = 0;

  constructor() {
    super();
    window.addEventListener("online", () => this.flush());
    store.on("connection", () => store.connection === "online" && this.flush());
  }

  /**
   * What is waiting for a place, in order.
   * @param {Place} place
   */
  of(place) {
    return this.#items.filter((item) => item.key === keyOf(place));
  }

  /**
   * @param {Place} place
   * @param {Message} message
   */
  add(place, message) {
    /** @type {Item} */
    const item = { ...message, ...place, key: keyOf(place), at: Date.now(), state: "waiting", why: "" };
    this.#items.push(item);
    localStorage.setItem(PREFIX + item.id, JSON.stringify(item));
    this.#changed();
    this.flush();
  }

  /** @param {string} id */
  retry(id) {
    for (const item of this.#items) if (item.id === id) item.state = "waiting";
    this.#changed();
    this.flush();
  }

  /** @param {string} id */
  discard(id) {
    this.#items = this.#items.filter((item) => item.id !== id);
    localStorage.removeItem(PREFIX + id);
    this.#changed();
  }

  async flush() {
    if (this.#busy) return;
    this.#busy = true;
    clearTimeout(this.#timer);
    try {
      let item;
      while ((item = this.#items.find((one) => one.state !== "failed"))) await this.#send(item);
      this.#tries = 0;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#timer = setTimeout(() => this.flush(), Math.min(15_000, 1000 * 2 ** this.#tries++));
    } finally {
      this.#busy = false;
    }
  }

  /** @param {Item} item */
  async #send(item) {
    item.state = "sending";
    this.#changed();
    const body = { id: item.id, text: item.text, topic: item.topic, files: item.files.map((file) => file.id), language, zone };
    try {
      const entry = await api.post(item.chat, body);
      this.#items = this.#items.filter((one) => one.id !== item.id);
      localStorage.removeItem(PREFIX + item.id);
      // What was heard of it meanwhile, as that it waits, is newer than this answer.
      const place = { chat: item.chat, topic: item.topic };
      if (!store.thread(place).entries.has(entry.id)) store.putEntry(place, entry);
    } catch (problem) {
      const passing = problem instanceof Problem && problem.passing;
      item.state = passing ? "waiting" : "failed";
      item.why = passing ? "" : problem instanceof Error ? problem.message : String(problem);
      if (passing) throw problem;
    } finally {
      this.#changed();
    }
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function load() {
  /** @type {Item[]} */
  const items = [];
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(PREFIX)) continue;
    try {
      items.push({ ...JSON.parse(localStorage.getItem(key) ?? ""), state: "waiting", why: "" });
    } catch {
      localStorage.removeItem(key);
    }
  }
  return items.sort((a, b) => a.at - b.at);
}

export const outbox = new Outbox();
