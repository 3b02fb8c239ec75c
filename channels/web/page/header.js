// The bar above a conversation: where one is, the theme, and whether the server is there.

import { button, h, icon } from "./dom.js";
import { drawer } from "./sidebar.js";
import { openMemory } from "./memory.js";
import { store } from "./store.js";
import { t } from "./texts.js";

const THEMES = ["auto", "light", "dark"];
const SIGNS = { auto: "auto", light: "sun", dark: "moon" };
const NAMES = { auto: "themeAuto", light: "themeLight", dark: "themeDark" };

const where = h("div", { class: "where" });

export function startHeader() {
  const menu = button(t("openMenu"), "menu", () => drawer.open(), { class: "phone" });
  document.getElementById("bar").append(menu, where, button(t("memory"), "memory", openMemory), themeButton());
  store.on("chats", draw);
  store.on("place", draw);
  store.on("connection", () => setTimeout(banner, store.connection === "online" ? 0 : 1500));
}

function draw() {
  const place = store.place;
  const chat = place && store.chats.get(place.chat);
  const title = chat?.title || t("untitled");
  const topic = place?.topic && store.topic(place);
  document.title = topic?.title || chat?.title ? `${topic?.title || chat.title} · Parley` : "Parley";
  if (!place) where.replaceChildren();
  else if (!place.topic) where.replaceChildren(h("h1", {}, title));
  else {
    const back = h("a", { href: "#/" + place.chat, title: t("back") }, title);
    where.replaceChildren(back, icon("topic"), h("h1", {}, topic?.title || t("topics")));
  }
}

function banner() {
  const node = document.getElementById("banner");
  node.hidden = store.connection === "online";
  node.replaceChildren(h("span", { class: "spinner" }), t(store.connection === "connecting" ? "connecting" : "reconnecting"));
}

function themeButton() {
  const toggle = h("button", { type: "button", class: "tool theme" });
  const show = () => {
    const theme = localStorage.getItem("parley.theme") ?? "auto";
    const label = t("theme", { name: t(NAMES[theme]) });
    toggle.replaceChildren(icon(SIGNS[theme]));
    toggle.title = label;
    toggle.ariaLabel = label;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  toggle.addEventListener("click", () => {
    const theme = localStorage.getItem("parley.theme") ?? "auto";
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    if (next === "auto") localStorage.removeItem("parley.theme");
    else localStorage.setItem("parley.theme", next);
    show();
  });
  show();
  return toggle;
}
