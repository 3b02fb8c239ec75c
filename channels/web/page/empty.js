// The page before the first message: what to try.

import { h, icon } from "./dom.js";
import { t } from "./texts.js";

const TRIES = [
  ["clock", "tryTime", "tryTime"],
  ["file", "tryDocument", "tryDocument"],
  ["mail", "tryMail", "tryMail"],
  ["help", "tryHelpLabel", "tryHelp"],
];

export function emptyPage(send) {
  const chips = TRIES.map(([sign, label, text]) =>
    h("button", { type: "button", class: "chip", onclick: () => send(t(text)) }, icon(sign), h("span", {}, t(label))),
  );
  return h(
    "div",
    { class: "hello" },
    h("img", { src: "/page/icon.svg", alt: "", width: 52, height: 52 }),
    h("h1", {}, t("hello")),
    h("p", {}, t("helloSays")),
    h("div", { class: "chips" }, ...chips),
  );
}
