// Builds DOM nodes. Text only ever enters as text: nothing here takes HTML.

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {{ [E in keyof HTMLElementEventMap as `on${E}`]?: (event: HTMLElementEventMap[E]) => unknown }} Listeners
 * @typedef {Listeners & { class?: string, dataset?: Record<string, string>, [attribute: string]: unknown }} Props
 * @typedef {keyof typeof PATHS} Icon
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) set(node, name, value);
  // One by one: a call takes some ten thousand arguments at most, and a text may have more lines.
  for (const child of children.flat()) if (child != null && child !== false) node.append(child);
  return node;
}

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {unknown} value
 */
function set(node, name, value) {
  if (value == null || value === false) return;
  if (name === "dataset") Object.assign(node.dataset, value);
  else if (name.startsWith("on")) node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  else node.setAttribute(name, value === true ? "" : String(value));
}

/**
 * What stands in index.html.
 * @param {string} id
 */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`There is no #${id}.`);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  plus: ["M12 5v14", "M5 12h14"],
  menu: ["M4 7h16", "M4 12h16", "M4 17h16"],
  send: ["M12 19V5", "M6 11l6-6 6 6"],
  clip: ["M20 11.500l-8.100 8.100a5 5 0 0 1-7.100-7.100l8.500-8.500a3.300 3.300 0 0 1 4.700 4.700l-8.400 8.400a1.700 1.700 0 0 1-2.400-2.400l7.700-7.700"],
  pencil: ["M4 20l.8-3.800L16.500 4.500a1.800 1.800 0 0 1 2.600 0l.4.400a1.800 1.800 0 0 1 0 2.600L7.800 19.200z"],
  trash: ["M5 7h14", "M10 7V4.500h4V7", "M7 7l.8 12.500h8.400L17 7", "M10.500 11v5", "M13.500 11v5"],
  circle: ["M12 6.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11"],
  check: ["M5 12.500l4.500 4.500L19 7.500"],
  cross: ["M7 7l10 10", "M17 7L7 17"],
  copy: ["M9 9h10v10H9z", "M5 15V5h10"],
  topic: ["M6 4v10a3 3 0 0 0 3 3h9", "M14 13l4 4-4 4"],
  down: ["M12 5v14", "M6 13l6 6 6-6"],
  sun: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8", "M12 2.500v2", "M12 19.500v2", "M2.500 12h2", "M19.500 12h2", "M5.300 5.300l1.400 1.400", "M17.300 17.300l1.400 1.400", "M5.300 18.700l1.400-1.400", "M17.300 6.700l1.400-1.400"],
  moon: ["M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z"],
  auto: ["M4 5h16v11H4z", "M9 20h6", "M12 16v4"],
  file: ["M6 3.500h8l4 4v13H6z", "M14 3.500v4h4"],
  clock: ["M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17", "M12 7.500V12l3 2"],
  mail: ["M3.500 6h17v12h-17z", "M3.500 7l8.500 6.500L20.500 7"],
  help: ["M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17", "M9.700 9.500a2.400 2.400 0 1 1 3.400 2.400c-.8.400-1.100.8-1.100 1.700", "M12 16.600v.1"],
  warn: ["M12 4L2.800 19.500h18.400z", "M12 10v4.500", "M12 17v.1"],
  plug: ["M9 3.500v5", "M15 3.500v5", "M6.500 8.500h11v3a5.500 5.500 0 0 1-11 0z", "M12 17v3.500"],
  memory: ["M6 3.500h12v17l-6-4.300-6 4.300z", "M9.500 8h5", "M9.500 11.500h3"],
  thumbUp: ["M7 10.500v9H4v-9z", "M7 10.500l4-7a2 2 0 0 1 2.500 2.300l-.8 3.700h5.600a2 2 0 0 1 2 2.400l-1.200 6a2 2 0 0 1-2 1.600H7"],
  thumbDown: ["M17 13.500v-9h3v9z", "M17 13.500l-4 7a2 2 0 0 1-2.500-2.300l.8-3.700H5.700a2 2 0 0 1-2-2.400l1.200-6a2 2 0 0 1 2-1.600H17"],
  retry: ["M5 12a7 7 0 1 0 2-4.900", "M5 4.500v4h4"],
};

/** @param {Icon} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  for (const d of PATHS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/**
 * @param {string} label
 * @param {Icon} iconName
 * @param {() => unknown} onclick
 * @param {Props} [extra]
 */
export function button(label, iconName, onclick, extra = {}) {
  const { class: more = "", ...props } = extra;
  return h("button", { type: "button", class: `tool ${more}`, title: label, "aria-label": label, onclick, ...props }, icon(iconName));
}

/** @param {string} text */
export function announce(text) {
  const region = byId("announce");
  region.textContent = "";
  requestAnimationFrame(() => { region.textContent = text; });
}

/** @param {string} text */
export async function copyText(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return;
    } catch {
      // Not allowed here (plain HTTP from another machine, say): the old way below works everywhere.
    }
  }
  const area = h("textarea", { class: "unseen" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(15));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

/**
 * A text without its markdown marks, for titles and for listening.
 * @param {unknown} text
 */
export function plain(text) {
  return String(text ?? "").replace(/[#*`>|~[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, ""); // send_email keeps its own
}

/** @param {number} bytes */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
