// The open conversation: its entries in order, what is on its way, and where the view stands.

import { api, Problem } from "../kit/api.js";
import { announce, button, byId, h, icon, plain } from "../kit/dom.js";
import { plainView, ReplyView, UserView, waitingView } from "./entry.js";
import { emptyPage } from "./empty.js";
import { outbox } from "./outbox.js";
import { samePlace, store } from "./store.js";
import { t } from "../kit/texts.js";

/**
 * @import { Entry, Place } from "../kit/protocol"
 * @import { Ask, Decide } from "./entry.js"
 * @import { Item } from "./outbox.js"
 * @import { EntriesChange } from "./store.js"
 * @typedef {(entry: Entry) => void} OfEntry
 * @typedef {{ send: (text: string) => void, ask: Ask, decide: Decide, edit: OfEntry, withdraw: OfEntry, startTopic: OfEntry, drawn: () => void }} Actions
 * @typedef {{ node: HTMLElement, view: UserView | ReplyView | null, entry: Entry }} Shown
 */

const PATIENCE = 15 * 60 * 1000;
const scroll = byId("scroll");
const thread = byId("thread");
const latest = button(t("latest"), "down", () => toEnd(), { class: "latest", hidden: true });

/** @type {Map<string, Shown>} by the id of an entry; without a view it is shown as plain text */
let shown = new Map();
/** @type {Actions} */
let actions;
let following = true;
let scheduled = false;
let failed = false;

/** @param {Actions} given */
export function startThread(given) {
  actions = given;
  byId("dock").before(latest);
  store.on("place", show);
  store.on("entries", onEntries);
  store.on("connection", draw);
  store.on("commands", draw);
  outbox.addEventListener("change", draw);
  scroll.addEventListener("scroll", () => {
    following = isEmpty() || scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
    latest.hidden = following;
    if (scroll.scrollTop < 200) older();
  });
  new ResizeObserver(() => following && toEnd()).observe(thread);
}

/**
 * Whether a reply is on its way here.
 * @param {Place | null} place
 */
export function isBusy(place) {
  if (!place) return false;
  if (store.growing(place)) return true;
  const last = store.entries(place).at(-1);
  return last?.role === "user" && !last.withdrawn && Date.now() - Math.max(last.pos, last.edited) / 1000 < PATIENCE;
}

/** @param {EntriesChange} change */
function onEntries({ place, entry, older: isOlder }) {
  if (!samePlace(place, store.place)) return;
  if (entry?.role === "agent" && entry.final) announce(t("replyDone", { text: plain(entry.text).slice(0, 300) }));
  if (!isOlder) {
    draw();
    return;
  }
  const before = scroll.scrollHeight - scroll.scrollTop;
  drawNow();
  scroll.scrollTop = scroll.scrollHeight - before;
}

async function show() {
  shown = new Map();
  following = true;
  failed = false;
  thread.replaceChildren();
  await load();
  toEnd();
}

export async function load() {
  const place = store.place;
  if (place && !store.thread(place).loaded && store.chats.has(place.chat)) {
    try {
      await store.ask(api.messages(place.chat, place.topic), (page) => store.setThread(place, page));
      failed = false;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      failed = true;
    }
  }
  drawNow();
}

let fetching = false;
async function older() {
  const place = store.place;
  if (!place || fetching || !store.thread(place).before) return;
  fetching = true;
  try {
    const asked = api.messages(place.chat, place.topic, store.thread(place).before);
    await store.ask(asked, (page) => store.addOlder(place, page));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
  } finally {
    fetching = false;
  }
}

function draw() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    drawNow();
  });
}

function drawNow() {
  const place = store.place;
  const entries = place ? store.entries(place) : [];
  const waiting = place ? outbox.of(place).filter((item) => !store.thread(place).entries.has(item.id)) : [];
  const empty = !place || (!entries.length && !waiting.length && !place.topic && !failed);
  document.body.classList.toggle("empty", empty);
  if (place && !empty) arrange([...top(place), ...body(place, entries, waiting)]);
  else if (!thread.querySelector(".hello")) {
    arrange([emptyPage(actions.send)]);
    scroll.scrollTop = 0;
  }
  actions.drawn();
  if (following) toEnd();
}

/** @param {Place} place */
function top(place) {
  const nodes = [];
  if (failed) nodes.push(h("p", { class: "trouble", role: "alert" }, icon("warn"), t("loadFailed"), h("button", { type: "button", class: "link", onclick: load }, t("retry"))));
  if (store.thread(place).before) nodes.push(h("button", { type: "button", class: "plain older", onclick: older }, t("older")));
  else if (place.topic) nodes.push(topicHead(place));
  return nodes;
}

/** @param {Place} place */
function topicHead(place) {
  const topic = store.topic(place);
  const about = topic && store.thread({ chat: place.chat, topic: null }).entries.get(topic.about);
  const text = about ? plain(about.text).trim() : "";
  const quote = text !== (topic?.title ?? "") && h("blockquote", {}, text.slice(0, 280) + (text.length > 280 ? "…" : ""));
  return h("div", { class: "topic-head" }, icon("topic"), h("div", {}, h("strong", {}, topic?.title ?? ""), text && quote, h("p", { class: "note" }, t("topicSays"))));
}

/**
 * @param {Place} place
 * @param {Entry[]} entries
 * @param {Item[]} waiting
 */
function body(place, entries, waiting) {
  const last = entries.findLast((entry) => entry.role === "user" && !entry.withdrawn && !entry.text?.startsWith("/"));
  const queued = queuedIn(entries);
  const newest = entries.at(-1);
  const waits = (/** @type {Entry} */ entry) => entry.waits && !entry.withdrawn && !entries.some((other) => other.reply_to === entry.id);
  const nodes = entries.map((entry) => {
    const { node, view } = shownOf(entry, place);
    if (view instanceof UserView) {
      view.offerEdit(store.edits && entry === last);
      view.showQueued(queued.has(entry) ? "queued" : waits(entry) ? "waits" : "");
    } else view?.showSuggestions(entry === newest && entry.final && !waiting.length ? (entry.suggestions ?? []) : []);
    return node;
  });
  nodes.push(...waiting.map((item) => waitingView(item, outbox, store.connection === "online")));
  if (isBusy(place) && newest?.role === "user" && !newest.withdrawn && !queued.has(newest) && !waits(newest)) {
    nodes.push(h("div", { class: "thinking", role: "status" }, h("i"), h("i"), h("i"), h("span", { class: "unseen" }, t("thinking"))));
  }
  return nodes;
}

/**
 * The messages that wait for the answer that grows: it answers all up to the one that it replies to.
 * @param {Entry[]} entries
 * @returns {Set<Entry>}
 */
function queuedIn(entries) {
  const growing = entries.find((entry) => entry.role === "agent" && !entry.final);
  const asked = growing && entries.find((entry) => entry.id === growing.reply_to);
  if (!asked) return new Set();
  const answered = new Set(entries.map((entry) => entry.reply_to));
  const waits = (/** @type {Entry} */ entry) => entry.role === "user" && entry.pos > asked.pos && !entry.withdrawn && !entry.text?.startsWith("/");
  return new Set(entries.filter((entry) => waits(entry) && !answered.has(entry.id)));
}

/**
 * An entry that cannot be drawn is shown as plain text, and the others as ever.
 * @param {Entry} entry
 * @param {Place} place
 */
function shownOf(entry, place) {
  const known = shown.get(entry.id);
  if (known?.entry === entry) return known;
  /** @type {Shown} */
  let made;
  try {
    const view = known?.view ?? newView(entry, place);
    view.update(entry);
    made = { node: view.node, view, entry };
  } catch (problem) {
    console.error(problem);
    made = { node: plainView(entry), view: null, entry };
  }
  shown.set(entry.id, made);
  return made;
}

/**
 * @param {Entry} entry
 * @param {Place} place
 */
function newView(entry, place) {
  if (entry.role === "user") return new UserView(entry, actions);
  return new ReplyView({ decide: actions.decide, ask: actions.ask, startTopic: place.topic ? null : actions.startTopic });
}

/**
 * Moves only what is out of place: a selection or a focus inside an entry stays.
 * @param {Element[]} nodes
 */
function arrange(nodes) {
  const wanted = new Set(nodes);
  for (const child of [...thread.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (thread.children[at] !== node) thread.insertBefore(node, thread.children[at] ?? null);
  });
}

export function toEnd() {
  following = true;
  latest.hidden = true;
  if (!isEmpty()) scroll.scrollTop = scroll.scrollHeight;
}

/** Whether the empty page is shown, which is read from its beginning. */
function isEmpty() {
  return document.body.classList.contains("empty");
}
