// The page before the first message: what to try.

import { h, icon } from "../kit/dom.js";
import { setupOffer } from "../setup/offer.js";
import { t } from "../kit/texts.js";

/** @import { Icon } from "../kit/dom.js" */

/** @param {(text: string) => void} send */
export function emptyPage(send) {
  const chip = (/** @type {Icon} */ sign, /** @type {string} */ label, text = label) =>
    h("button", { type: "button", class: "chip", onclick: () => send(text) }, icon(sign), h("span", {}, label));
  const chips = [
    chip("clock", t("tryTime")),
    chip("file", t("tryDocument")),
    chip("mail", t("tryMail")),
    chip("help", t("tryHelpLabel"), "/help"),
  ];
  return h(
    "div",
    { class: "hello" },
    h("img", { src: "/page/icon.svg", alt: "", width: 52, height: 52 }),
    h("h1", {}, t("hello")),
    h("p", {}, t("helloSays")),
    setupOffer(),
    h("div", { class: "chips" }, ...chips),
  );
}
