// The list of conversations and their topics.

import { api } from "../kit/api.js";
import { button, byId, h, icon } from "../kit/dom.js";
import { askName, confirmRemoval, tell } from "../kit/dialog.js";
import { keyOf, samePlace, store } from "./store.js";
import { t } from "../kit/texts.js";

/** @import { Place } from "../kit/protocol" */

const root = byId("sidebar");
const list = h("div", { class: "chats" });

export const drawer = {
  open() {
    document.body.classList.add("drawer");
    byId("veil").hidden = false;
    /** @type {HTMLElement | null} */
    const first = list.querySelector("[aria-current]") ?? root.querySelector("button");
    first?.focus();
  },
  close() {
    if (!drawer.isOpen) return false;
    document.body.classList.remove("drawer");
    byId("veil").hidden = true;
    return true;
  },
  get isOpen() {
    return document.body.classList.contains("drawer");
  },
};

/** @param {() => void} newChat */
export function startSidebar(newChat) {
  const create = h(
    "button",
    { type: "button", class: "new", onclick: newChat },
    icon("plus"),
    h("span", {}, t("newChat")),
    h("kbd", {}, /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K"),
  );
  const brand = h("div", { class: "brand" }, h("img", { src: "/page/icon.svg", alt: "", width: 26, height: 26 }), h("span", {}, "Parley"));
  const close = button(t("closeMenu"), "cross", () => drawer.close(), { class: "phone" });
  root.setAttribute("aria-label", t("conversations"));
  // A form, not a call: the browser goes to the page that the server answers with.
  const leave = h("form", { method: "post", action: "/signout", class: "leave" }, h("button", { class: "link" }, t("signOut")));
  root.append(h("div", { class: "side-head" }, brand, close), create, list, leave);
  list.addEventListener("keydown", onKey);
  byId("veil").addEventListener("click", () => drawer.close());
  store.on("chats", schedule);
}

let scheduled = false;
function schedule() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    draw();
  });
}

/** @returns {HTMLElement[]} */
const chatLinks = () => [...list.querySelectorAll("a")];

function draw() {
  const active = document.activeElement;
  const focused = active instanceof HTMLElement && list.contains(active) ? active.dataset.key : null;
  /** @type {Map<string, HTMLElement>} */
  const groups = new Map();
  for (const chat of store.sorted()) {
    const name = groupOf(chat.updated);
    const rows = groups.get(name) ?? h("ul", { class: "rows", "aria-label": name });
    groups.set(name, rows);
    const topics = [...chat.topics].sort((a, b) => a.created - b.created);
    rows.append(row({ chat: chat.id, topic: null }, chat.title));
    for (const topic of topics) rows.append(row({ chat: chat.id, topic: topic.id }, topic.title));
  }
  list.replaceChildren(...[...groups].flatMap(([name, rows]) => [h("h2", { class: "group" }, name), rows]));
  const links = chatLinks();
  const current = links.find((link) => link.dataset.key === focused) ?? links.find((link) => link.ariaCurrent) ?? links[0];
  for (const link of links) link.tabIndex = link === current ? 0 : -1;
  if (focused) current?.focus();
}

/** @param {number} seconds */
function groupOf(seconds) {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  const today = start.getTime() / 1000;
  if (seconds >= today) return t("today");
  return seconds >= today - 86_400 ? t("yesterday") : t("earlier");
}

/**
 * @param {Place} place
 * @param {string} title
 */
function row(place, title) {
  const open = samePlace(store.place, place);
  const waits = store.waits(place) && h("span", { class: "badge", title: t("waitsForYou") }, h("span", { "aria-hidden": "true" }, t("decide")), h("span", { class: "unseen" }, t("waitsForYou")));
  const state = store.growing(place) ? h("span", { class: "spinner", title: t("working") }) : store.unread(place) && h("span", { class: "dot" });
  const link = h(
    "a",
    { class: "chat-link", href: "#/" + keyOf(place), dataset: { key: keyOf(place) }, "aria-current": open ? "page" : null, onclick: () => drawer.close() },
    place.topic && icon("topic"),
    h("span", { class: "title" }, title || t("untitled")),
    waits,
    state,
  );
  const tools = h(
    "span",
    { class: "row-tools" },
    button(t("rename"), "pencil", () => rename(place, title), { tabindex: "-1" }),
    button(t("remove"), "trash", () => remove(place, title), { tabindex: "-1" }),
  );
  return h("li", { class: `row ${place.topic ? "topic" : ""} ${open ? "open" : ""}` }, link, tools);
}

/**
 * @param {Place} place
 * @param {string} title
 */
async function rename(place, title) {
  const name = await askName(title);
  if (name) await tell(api.rename(place.chat, place.topic, name).then((chat) => store.setChat(chat.id, chat)));
}

/**
 * @param {Place} place
 * @param {string} title
 */
async function remove(place, title) {
  const sure = await confirmRemoval(title || t("untitled"), Boolean(place.topic));
  if (sure) await tell(api.remove(place.chat, place.topic));
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const links = chatLinks();
  const at = links.findIndex((one) => one.contains(/** @type {Node} */ (event.target)));
  if (at < 0) return;
  const link = links[at];
  /** @type {Record<string, number | undefined>} */
  const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 };
  const to = moves[event.key];
  if (to !== undefined) {
    event.preventDefault();
    links[Math.max(0, Math.min(links.length - 1, to))].focus();
  }
  const [chat, topic = null] = link.dataset.key?.split("/") ?? [""];
  const place = { chat, topic };
  const title = link.querySelector(".title")?.textContent ?? "";
  if (event.key === "F2") rename(place, title);
  if (event.key === "Delete") remove(place, title);
}
