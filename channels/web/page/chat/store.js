// What the page knows. Views listen for: chats, place, entries, connection, commands, memory.

/**
 * @import { Chat, Chats, Command, Entry, Page, Place } from "../kit/protocol"
 * @typedef {{ entries: Map<string, Entry>, before: string, loaded: boolean }} Thread
 * @typedef {{ place: Place, entry?: Entry, older?: boolean }} EntriesChange
 * @typedef {{ chats: undefined, place: undefined, entries: EntriesChange, connection: undefined, commands: undefined, memory: undefined }} Changes
 */

/** @param {Place} place */
export const keyOf = (place) => (place.topic ? `${place.chat}/${place.topic}` : place.chat);

/** @type {(one: Place | null, two: Place | null) => boolean} */
export const samePlace = (one, two) => Boolean(one && two && keyOf(one) === keyOf(two));

class Store extends EventTarget {
  /** @type {Map<string, Chat>} */
  chats = new Map();
  /** @type {Place | null} the open conversation; null is the empty page */
  place = null;
  /** @type {"connecting" | "online" | "offline"} */
  connection = "connecting";
  user = { name: "" };
  /** @type {Command[]} */
  commands = [];
  maxUpload = 20_000_000;
  edits = false; // whether the last message may be changed
  /** @type {Map<string, Thread>} by the key of a place */
  #threads = new Map();
  /** @type {Map<string, Place>} by the id of a turn */
  #growing = new Map();
  /** @type {Set<string>} keys of places */
  #unread = new Set();
  /** @type {Set<Map<string, () => void>>} of each answer on its way: the newest news of every id since it was asked for */
  #hearing = new Set();

  /**
   * @template {keyof Changes} Name
   * @param {Name} name
   * @param {Changes[Name]} [detail]
   */
  changed(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /**
   * Returns what ends it.
   * @template {keyof Changes} Name
   * @param {Name} name
   * @param {(detail: Changes[Name]) => void} listener
   */
  on(name, listener) {
    const hear = (/** @type {Event} */ event) => listener(/** @type {CustomEvent} */ (event).detail);
    this.addEventListener(name, hear);
    return () => this.removeEventListener(name, hear);
  }

  /** @param {"online" | "offline"} state */
  setConnection(state) {
    if (this.connection === state) return;
    this.connection = state;
    this.changed("connection");
  }

  /**
   * Takes in an answer of the server. News that came meanwhile may be newer than it, so they are taken in again.
   * @template T
   * @param {Promise<T>} request
   * @param {(answer: T) => void} take
   */
  async ask(request, take) {
    /** @type {Map<string, () => void>} */
    const news = new Map();
    this.#hearing.add(news);
    try {
      take(await request);
    } finally {
      this.#hearing.delete(news);
    }
    for (const hear of news.values()) hear();
  }

  /**
   * @param {string} id
   * @param {() => void} again
   */
  #heard(id, again) {
    for (const news of this.#hearing) {
      news.delete(id); // so that the newest comes last
      news.set(id, again);
    }
  }

  /** @param {Chats} chats */
  setChats({ conversations, growing }) {
    this.chats = new Map(conversations.map((chat) => [chat.id, chat]));
    this.#growing = new Map(growing.map(({ id, chat, topic }) => [id, { chat, topic }]));
    for (const thread of this.#threads.values()) thread.loaded = false;
    this.changed("chats");
  }

  /**
   * @param {string} id
   * @param {Chat | null} chat
   */
  setChat(id, chat) {
    this.#heard(id, () => this.setChat(id, chat));
    if (chat) this.chats.set(id, chat);
    else this.chats.delete(id);
    const lost = this.place?.chat === id && !this.#isThere(this.place);
    if (lost) this.open(chat ? { chat: id, topic: null } : null);
    this.changed("chats");
  }

  /** @param {Place} place */
  #isThere(place) {
    return this.chats.has(place.chat) && (!place.topic || Boolean(this.topic(place)));
  }

  sorted() {
    return [...this.chats.values()].sort((a, b) => b.updated - a.updated);
  }

  /** @param {Place} place */
  topic(place) {
    return this.chats.get(place.chat)?.topics.find((topic) => topic.id === place.topic);
  }

  /** @param {Place | null} place */
  open(place) {
    this.place = place;
    if (place) this.#unread.delete(keyOf(place));
    this.changed("place");
    this.changed("chats");
  }

  /** @param {Place} place */
  thread(place) {
    const key = keyOf(place);
    const known = this.#threads.get(key) ?? { entries: new Map(), before: "", loaded: false };
    this.#threads.set(key, known);
    return known;
  }

  /**
   * In order, without what answered a message before it was changed.
   * @param {Place} place
   */
  entries(place) {
    const known = this.thread(place).entries;
    const outdated = (/** @type {Entry} */ entry) => entry.role === "agent" && entry.pos < (known.get(entry.reply_to)?.edited ?? 0);
    return [...known.values()].filter((entry) => !outdated(entry)).sort((a, b) => a.pos - b.pos);
  }

  /**
   * The newest page replaces what was known: what grew before a restart may be gone.
   * @param {Place} place
   * @param {Page} page
   */
  setThread(place, { entries, growing, before }) {
    const thread = this.thread(place);
    thread.entries = new Map([...growing, ...entries].map((entry) => [entry.id, entry]));
    thread.before = before;
    thread.loaded = true;
    for (const entry of growing) this.#growing.set(entry.id, place);
    this.changed("entries", { place });
  }

  /**
   * @param {Place} place
   * @param {Page} page
   */
  addOlder(place, { entries, before }) {
    const thread = this.thread(place);
    for (const entry of entries) thread.entries.set(entry.id, entry);
    thread.before = before;
    this.changed("entries", { place, older: true });
  }

  /**
   * @param {Place} place
   * @param {Entry} entry
   */
  putEntry(place, entry) {
    this.#heard(entry.id, () => this.putEntry(place, entry));
    const thread = this.thread(place);
    if (thread.entries.get(entry.id)?.final && !entry.final) return;
    thread.entries.set(entry.id, entry);
    const was = this.#growing.has(entry.id);
    if (entry.final) this.#growing.delete(entry.id);
    else this.#growing.set(entry.id, place);
    const open = samePlace(this.place, place) && !document.hidden;
    if (entry.final && entry.role === "agent" && !open) this.#unread.add(keyOf(place));
    this.changed("entries", { place, entry });
    if (was !== this.#growing.has(entry.id) || this.#unread.has(keyOf(place))) this.changed("chats");
  }

  seen() {
    if (this.place && this.#unread.delete(keyOf(this.place))) this.changed("chats");
  }

  /** @param {Place} place */
  unread(place) {
    return this.#unread.has(keyOf(place));
  }

  /**
   * Whether a decision is waited for there.
   * @param {Place} place
   */
  waits(place) {
    return Boolean(this.chats.get(place.chat)?.waiting?.some(({ topic }) => topic === place.topic));
  }

  /** @param {Place} place */
  growing(place) {
    return [...this.#growing.values()].some((one) => samePlace(one, place));
  }
}

export const store = new Store();
