// What the page knows. Views listen for: chats, place, entries, connection, commands.

export const keyOf = (place) => (place.topic ? `${place.chat}/${place.topic}` : place.chat);
const samePlace = (one, two) => keyOf(one) === keyOf(two);

class Store extends EventTarget {
  chats = new Map();
  place = null; // {chat, topic} of the open conversation; null is the empty page
  connection = "connecting";
  user = { name: "" };
  commands = [];
  maxUpload = 20_000_000;
  edits = false; // whether the last message may be changed
  #threads = new Map(); // place key -> {entries: Map, before: string, loaded: bool}
  #growing = new Map(); // turn id -> place
  #unread = new Set();
  #hearing = new Set(); // of each answer on its way: the newest news of every id since it was asked for

  changed(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  on(name, listener) {
    this.addEventListener(name, (event) => listener(event.detail));
  }

  setConnection(state) {
    if (this.connection === state) return;
    this.connection = state;
    this.changed("connection");
  }

  // Takes in an answer of the server. News that came meanwhile may be newer than it, so they are taken in again.
  async ask(request, take) {
    const news = new Map();
    this.#hearing.add(news);
    try {
      take(await request);
    } finally {
      this.#hearing.delete(news);
    }
    for (const hear of news.values()) hear();
  }

  #heard(id, again) {
    for (const news of this.#hearing) {
      news.delete(id); // so that the newest comes last
      news.set(id, again);
    }
  }

  setChats({ conversations, growing }) {
    this.chats = new Map(conversations.map((chat) => [chat.id, chat]));
    this.#growing = new Map(growing.map(({ id, chat, topic }) => [id, { chat, topic }]));
    for (const thread of this.#threads.values()) thread.loaded = false;
    this.changed("chats");
  }

  setChat(id, chat) {
    this.#heard(id, () => this.setChat(id, chat));
    if (chat) this.chats.set(id, chat);
    else this.chats.delete(id);
    const lost = this.place?.chat === id && !this.#stillThere();
    if (lost) this.open(chat ? { chat: id, topic: null } : null);
    this.changed("chats");
  }

  #stillThere() {
    const chat = this.chats.get(this.place.chat);
    return Boolean(chat) && (!this.place.topic || chat.topics.some((topic) => topic.id === this.place.topic));
  }

  sorted() {
    return [...this.chats.values()].sort((a, b) => b.updated - a.updated);
  }

  topic(place) {
    return this.chats.get(place.chat)?.topics.find((topic) => topic.id === place.topic);
  }

  open(place) {
    this.place = place;
    if (place) this.#unread.delete(keyOf(place));
    this.changed("place");
    this.changed("chats");
  }

  thread(place) {
    const key = keyOf(place);
    if (!this.#threads.has(key)) this.#threads.set(key, { entries: new Map(), before: "", loaded: false });
    return this.#threads.get(key);
  }

  // In order, without what answered a message before it was changed.
  entries(place) {
    const known = this.thread(place).entries;
    const outdated = (entry) => entry.role === "agent" && entry.pos < (known.get(entry.reply_to)?.edited ?? 0);
    return [...known.values()].filter((entry) => !outdated(entry)).sort((a, b) => a.pos - b.pos);
  }

  // The newest page replaces what was known: what grew before a restart may be gone.
  setThread(place, { entries, growing, before }) {
    const thread = this.thread(place);
    thread.entries = new Map([...growing, ...entries].map((entry) => [entry.id, entry]));
    thread.before = before;
    thread.loaded = true;
    for (const entry of growing) if (!thread.entries.get(entry.id).final) this.#growing.set(entry.id, place);
    this.changed("entries", { place, all: true });
  }

  addOlder(place, { entries, before }) {
    const thread = this.thread(place);
    for (const entry of entries) thread.entries.set(entry.id, entry);
    thread.before = before;
    this.changed("entries", { place, all: true, older: true });
  }

  putEntry(place, entry) {
    this.#heard(entry.id, () => this.putEntry(place, entry));
    const thread = this.thread(place);
    if (thread.entries.get(entry.id)?.final && !entry.final) return;
    thread.entries.set(entry.id, entry);
    const was = this.#growing.has(entry.id);
    if (entry.final) this.#growing.delete(entry.id);
    else this.#growing.set(entry.id, place);
    const open = this.place && samePlace(this.place, place) && !document.hidden;
    if (entry.final && entry.role === "agent" && !open) this.#unread.add(keyOf(place));
    this.changed("entries", { place, entry });
    if (was !== this.#growing.has(entry.id) || this.#unread.has(keyOf(place))) this.changed("chats");
  }

  seen() {
    if (this.place && this.#unread.delete(keyOf(this.place))) this.changed("chats");
  }

  unread(place) {
    return this.#unread.has(keyOf(place));
  }

  // Whether a decision is waited for there.
  waits(place) {
    return Boolean(this.chats.get(place.chat)?.waiting?.some(({ topic }) => topic === place.topic));
  }

  growing(place) {
    return [...this.#growing.values()].some((one) => samePlace(one, place));
  }
}

export const store = new Store();
