// An app that is made by scanning a QR code; and sentences with addresses in them.

import { h } from "../kit/dom.js";
import { t } from "../kit/texts.js";

/** @import { SetupScan } from "../kit/protocol" */

const SVG = "http://www.w3.org/2000/svg";
const LONGEST = 60;
const BORDER = 4; // modules of white that a code needs around it
const ADDRESS = /https?:\/\/[^\s，。；）)]+[^\s，。；）).,;:]/g;

/** @param {SetupScan} scan */
export function scanView({ url, rows }) {
  if (!url) return h("p", { class: "setup-wait", role: "status" }, h("span", { class: "spinner" }), t("connecting"));
  const says = h("p", {}, t(rows.length ? "qr_scan" : "qr_open"));
  const address = h("p", { class: "setup-address" }, h("a", { href: url, target: "_blank", rel: "noreferrer" }, url.length > LONGEST ? url.slice(0, LONGEST) + "…" : url));
  const waiting = h("p", { class: "setup-wait", role: "status" }, h("span", { class: "spinner" }), t("setupScanWaiting"));
  const parts = h("div", {}, says);
  if (rows.length) parts.append(qrCode(rows));
  parts.append(address, waiting);
  return parts;
}

/** @param {readonly string[]} rows */
function qrCode(rows) {
  const size = rows.length + 2 * BORDER;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "qr");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", t("setupQr"));
  const path = document.createElementNS(SVG, "path");
  const marks = rows.flatMap((row, y) => [...row].map((mark, x) => (mark === "1" ? `M${x + BORDER} ${y + BORDER}h1v1h-1z` : "")));
  path.setAttribute("d", marks.join(""));
  svg.append(path);
  return svg;
}

/**
 * A sentence, its addresses as links.
 * @param {string} text
 */
export function linked(text) {
  /** @type {(string | HTMLElement)[]} */
  const parts = [];
  let read = 0;
  for (const found of text.matchAll(ADDRESS)) {
    parts.push(text.slice(read, found.index), h("a", { href: found[0], target: "_blank", rel: "noreferrer" }, shortened(found[0])));
    read = found.index + found[0].length;
  }
  return [...parts, text.slice(read)];
}

// Slack's address has a whole manifest in it.
const shortened = (/** @type {string} */ url) => (url.length > LONGEST ? new URL(url).host : url);
