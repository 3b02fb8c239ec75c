// The bar above a conversation: where one is, the theme, and whether the server is there.

import { button, byId, h, icon } from "../kit/dom.js";
import { drawer } from "./sidebar.js";
import { openMemory } from "../memory/panel.js";
import { store } from "./store.js";
import { t } from "../kit/texts.js";

/**
 * @import { Icon } from "../kit/dom.js"
 * @import { Place } from "../kit/protocol"
 */

/** @type {{ theme: string, sign: Icon, label: string }[]} */
const THEMES = [
  { theme: "auto", sign: "auto", label: t("themeAuto") },
  { theme: "light", sign: "sun", label: t("themeLight") },
  { theme: "dark", sign: "moon", label: t("themeDark") },
];

const where = h("div", { class: "where" });

export function startHeader() {
  const menu = button(t("openMenu"), "menu", () => drawer.open(), { class: "phone" });
  byId("bar").append(menu, where, button(t("memory"), "memory", openMemory), themeButton());
  store.on("chats", draw);
  store.on("place", draw);
  store.on("connection", () => setTimeout(banner, store.connection === "online" ? 0 : 1500));
}

function draw() {
  const place = store.place;
  const title = place ? store.chats.get(place.chat)?.title ?? "" : "";
  const topic = place?.topic ? store.topic(place)?.title ?? "" : "";
  const shown = topic || title;
  document.title = shown ? `${shown} · Parley` : "Parley";
  where.replaceChildren(...(place ? path(place, title || t("untitled"), topic) : []));
}

/**
 * @param {Place} place
 * @param {string} title
 * @param {string} topic
 */
function path(place, title, topic) {
  if (!place.topic) return [h("h1", {}, title)];
  const back = h("a", { href: "#/" + place.chat, title: t("back") }, title);
  return [back, icon("topic"), h("h1", {}, topic || t("topics"))];
}

function banner() {
  const node = byId("banner");
  node.hidden = store.connection === "online";
  node.replaceChildren(h("span", { class: "spinner" }), t(store.connection === "connecting" ? "connecting" : "reconnecting"));
}

function themeButton() {
  const toggle = h("button", { type: "button", class: "tool theme" });
  const chosen = () => Math.max(0, THEMES.findIndex(({ theme }) => theme === localStorage.getItem("parley.theme")));
  const show = () => {
    const { theme, sign, label } = THEMES[chosen()];
    toggle.replaceChildren(icon(sign));
    toggle.title = t("theme", { name: label });
    toggle.ariaLabel = toggle.title;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  toggle.addEventListener("click", () => {
    const { theme } = THEMES[(chosen() + 1) % THEMES.length];
    if (theme === "auto") localStorage.removeItem("parley.theme");
    else localStorage.setItem("parley.theme", theme);
    show();
  });
  show();
  return toggle;
}
