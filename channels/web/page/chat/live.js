// The page's one event stream: reconnects by itself, and says when the page must load afresh.

import { api } from "../kit/api.js";
import { store } from "./store.js";

/** @import { Chat, Entry, Place } from "../kit/protocol" */

const SILENCE = 45_000; // three of the server's beats
const PATIENCE = 10_000; // a browser allows six connections to a server: pages nobody looks at give theirs back

export class Live {
  /** @type {EventSource | null} */
  #source = null;
  #last = "";
  #heard = 0;
  #onReset;
  #resting = false;
  #timer = 0;

  /** @param {() => void} onReset */
  constructor(onReset) {
    this.#onReset = onReset;
    window.addEventListener("online", () => this.#restart());
    document.addEventListener("visibilitychange", () => this.#look());
    setInterval(() => this.#check(), 15_000);
  }

  connect() {
    this.#resting = false;
    this.#source?.close();
    const source = new EventSource("/api/chat/events?last=" + encodeURIComponent(this.#last));
    this.#source = source;
    this.#heard = Date.now();
    /** @type {(name: string, handle: (data: any) => void) => void} */
    const listen = (name, handle) =>
      source.addEventListener(name, (/** @type {MessageEvent} */ event) => {
        this.#heard = Date.now();
        if (event.lastEventId) this.#last = event.lastEventId;
        handle(JSON.parse(event.data));
      });
    listen("ready", () => store.setConnection("online"));
    listen("reset", () => {
      store.setConnection("online");
      this.#onReset();
      store.changed("memory");
    });
    listen("entry", (/** @type {{ place: Place, entry: Entry }} */ { place, entry }) => store.putEntry(place, entry));
    listen("chat", (/** @type {{ id: string, chat: Chat | null }} */ { id, chat }) => store.setChat(id, chat));
    listen("memory", () => store.changed("memory"));
    listen("beat", () => {});
    source.onerror = () => this.#failed(source);
  }

  /** @param {EventSource} source */
  #failed(source) {
    if (source !== this.#source) return;
    store.setConnection("offline");
    // A browser gives up for good on an answer such as 401 or 502; we do not.
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => source === this.#source && api.hello().then(() => this.connect(), () => this.#failed(source)), 1500);
    }
  }

  #look() {
    clearTimeout(this.#timer);
    if (document.hidden) this.#timer = setTimeout(() => this.#rest(), PATIENCE);
    else if (this.#resting) this.connect();
    else this.#check();
  }

  #rest() {
    this.#resting = true;
    this.#source?.close();
    this.#source = null;
  }

  #check() {
    if (!this.#resting && Date.now() - this.#heard > SILENCE) this.#restart();
  }

  #restart() {
    if (this.#resting) return;
    store.setConnection("offline");
    this.connect();
  }
}
