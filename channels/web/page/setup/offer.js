// What a new Parley offers on the empty page: to be set up.

import { Problem } from "../kit/api.js";
import { h, icon } from "../kit/dom.js";
import { t } from "../kit/texts.js";
import { setupApi } from "./api.js";
import { openSetup } from "./dialog.js";

const offer = h(
  "button",
  { type: "button", class: "offer", hidden: true, onclick: () => openSetup(refresh) },
  icon("plug"),
  h("span", {}, h("strong", {}, t("setupOffer")), h("span", {}, t("setupOfferSays"))),
);

// One node for every empty page: it is shown as soon as the server says that it may be.
export function setupOffer() {
  refresh();
  return offer;
}

async function refresh() {
  try {
    offer.hidden = !(await setupApi.state()).open;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
  }
}
