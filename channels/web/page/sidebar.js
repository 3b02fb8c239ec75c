// The list of conversations and their topics.

import { api } from "./api.js";
import { button, h, icon } from "./dom.js";
import { askName, confirmRemoval, tell } from "./dialog.js";
import { keyOf, store } from "./store.js";
import { t } from "./texts.js";

const root = document.getElementById("sidebar");
const list = h("div", { class: "chats" });

export const drawer = {
  open() {
    document.body.classList.add("drawer");
    document.getElementById("veil").hidden = false;
    (list.querySelector("[aria-current]") ?? root.querySelector("button")).focus();
  },
  close() {
    if (!drawer.isOpen) return false;
    document.body.classList.remove("drawer");
    document.getElementById("veil").hidden = true;
    return true;
  },
  get isOpen() {
    return document.body.classList.contains("drawer");
  },
};

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
  document.getElementById("veil").addEventListener("click", () => drawer.close());
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

function draw() {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const groups = new Map();
  for (const chat of store.sorted()) {
    const name = groupOf(chat.updated);
    if (!groups.has(name)) groups.set(name, h("ul", { class: "rows", "aria-label": name }));
    const topics = [...(chat.topics ?? [])].sort((a, b) => a.created - b.created);
    groups.get(name).append(row({ chat: chat.id, topic: null }, chat.title));
    for (const topic of topics) groups.get(name).append(row({ chat: chat.id, topic: topic.id }, topic.title));
  }
  list.replaceChildren(...[...groups].flatMap(([name, rows]) => [h("h2", { class: "group" }, name), rows]));
  const links = [...list.querySelectorAll(".chat-link")];
  const current = links.find((link) => link.dataset.key === focused) ?? links.find((link) => link.ariaCurrent) ?? links[0];
  for (const link of links) link.tabIndex = link === current ? 0 : -1;
  if (focused) current?.focus();
}

function groupOf(seconds) {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  const today = start.getTime() / 1000;
  if (seconds >= today) return t("today");
  return seconds >= today - 86_400 ? t("yesterday") : t("earlier");
}

function row(place, title) {
  const open = store.place && keyOf(store.place) === keyOf(place);
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

async function rename(place, title) {
  const name = await askName(title);
  if (name) await tell(api.rename(place.chat, place.topic, name).then((chat) => store.setChat(chat.id, chat)));
}

async function remove(place, title) {
  const sure = await confirmRemoval(title || t("untitled"), Boolean(place.topic));
  if (sure) await tell(api.remove(place.chat, place.topic));
}

function onKey(event) {
  const link = event.target.closest(".chat-link");
  if (!link) return;
  const links = [...list.querySelectorAll(".chat-link")];
  const at = links.indexOf(link);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    links[Math.max(0, Math.min(links.length - 1, to))].focus();
  }
  const [chat, topic] = link.dataset.key.split("/");
  const place = { chat, topic: topic ?? null };
  const title = link.querySelector(".title").textContent;
  if (event.key === "F2") rename(place, title);
  if (event.key === "Delete") remove(place, title);
}
