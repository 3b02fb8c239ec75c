// Block markdown to DOM nodes, kept in step with a text that grows: only blocks that changed are rebuilt.

import { h, button, copyText, icon } from "../kit/dom.js";
import { inline, withoutEnd } from "./inline.js";
import { t } from "../kit/texts.js";

const MAX_DEPTH = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const DIVIDER = /^:?-+:?$/;

/**
 * @typedef {"code" | "heading" | "rule" | "quote" | "list" | "table" | "text"} Kind
 * @typedef {{ kind: Kind, lines: string[], raw: string }} Block
 * @typedef {(line: string, lines: string[], at: number) => boolean} Test
 */

/** @type {WeakMap<HTMLElement, string[]>} the blocks that an element shows */
const drawn = new WeakMap();

/**
 * Keeps `target` showing `text`; a part that is already right stays untouched (and selected).
 * @param {HTMLElement} target
 * @param {string} text
 */
export function renderInto(target, text) {
  const known = drawn.get(target) ?? [];
  const blocks = split(text.replaceAll("\r\n", "\n").split("\n"));
  let same = 0;
  while (same < known.length && same < blocks.length && known[same] === blocks[same].raw) same++;
  while (target.childNodes.length > same) target.lastChild?.remove();
  for (const block of blocks.slice(same)) target.append(shown(block));
  drawn.set(target, blocks.map((block) => block.raw));
}

/**
 * A block that cannot be drawn is shown as it was written: what stands around it is not lost with it.
 * @param {Block} block
 */
function shown(block) {
  try {
    return render(block, 0);
  } catch (problem) {
    console.error(problem);
    return h("p", { class: "plain-text" }, block.lines.join("\n"));
  }
}

/**
 * @param {string[]} lines
 * @returns {Block[]}
 */
function split(lines) {
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at++;
      continue;
    }
    const { kind, end } = extent(lines, at);
    const part = lines.slice(at, end);
    blocks.push({ kind, lines: part, raw: kind + "\n" + part.join("\n") });
    at = end;
  }
  return blocks;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @returns {{ kind: Kind, end: number }}
 */
function extent(lines, at) {
  const line = lines[at];
  if (FENCE.test(line)) return { kind: "code", end: fenceEnd(lines, at) };
  if (HEADING.test(line)) return { kind: "heading", end: at + 1 };
  if (RULE.test(line)) return { kind: "rule", end: at + 1 };
  if (QUOTE.test(line)) return { kind: "quote", end: until(lines, at, (next) => !QUOTE.test(next)) };
  if (ITEM.test(line)) return { kind: "list", end: listEnd(lines, at) };
  if (isTable(lines, at)) return { kind: "table", end: until(lines, at, (next) => !next.includes("|")) };
  return { kind: "text", end: until(lines, at, startsBlock) };
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Test} stops
 */
function until(lines, at, stops) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !stops(lines[end], lines, end)) end++;
  return end;
}

/** @type {Test} */
function startsBlock(line, lines, at) {
  const item = ITEM.exec(line);
  // A number other than 1 in the middle of a paragraph is no list ("in\n1984. ...").
  const begins = Boolean(item?.[3]) && /^(?:[-*+]|1[.)])/.test(item?.[2] ?? "");
  return begins || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || isTable(lines, at);
}

/**
 * @param {string[]} lines
 * @param {number} at
 */
function isTable(lines, at) {
  const next = lines[at + 1];
  return lines[at].includes("|") && next !== undefined && next.includes("|") && next.length < 1000 && isDivider(next);
}

/** @param {string} line */
function isDivider(line) {
  const bars = line.trim();
  const from = bars.startsWith("|") ? 1 : 0;
  const to = bars.length > 1 && bars.endsWith("|") ? -1 : undefined;
  return bars.slice(from, to).split("|").every((cell) => DIVIDER.test(cell.trim()));
}

/**
 * @param {string[]} lines
 * @param {number} at
 */
function fenceEnd(lines, at) {
  const { mark } = fenceOf(lines[at]);
  for (let end = at + 1; end < lines.length; end++) if (closes(lines[end], mark)) return end + 1;
  return lines.length;
}

/** @param {string} line */
function fenceOf(line) {
  const [, mark = "", language = ""] = FENCE.exec(line) ?? [];
  return { mark, language };
}

/**
 * @param {string} line
 * @param {string} mark
 */
function closes(line, mark) {
  const closing = fenceOf(line);
  return closing.mark.startsWith(mark) && !closing.language;
}

/**
 * @param {string[]} lines
 * @param {number} at
 */
function listEnd(lines, at) {
  let end = at + 1;
  while (end < lines.length) {
    const line = lines[end];
    const inside = ITEM.test(line) || /^[ \t]/.test(line);
    if (!line.trim()) {
      const next = lines[end + 1];
      if (next === undefined || !(ITEM.test(next) || /^[ \t]+\S/.test(next))) return end;
    } else if (!inside && (!lines[end - 1].trim() || startsBlock(line, lines, end))) return end;
    end++;
  }
  return end;
}

/**
 * @param {Block} block
 * @param {number} depth
 */
function render({ kind, lines }, depth) {
  if (depth > MAX_DEPTH) return h("p", {}, lines.join("\n"));
  return RENDER[kind](lines, depth);
}

/** @type {Record<Kind, (lines: string[], depth: number) => HTMLElement>} */
const RENDER = {
  list: (lines, depth) => listOf(lines, depth),
  text: (lines) => h("p", {}, inline(lines.map((line) => line.trimStart()).join("\n").trimEnd())),
  rule: () => h("hr"),
  heading(lines) {
    const level = HEADING.exec(lines[0])?.[1].length ?? 1;
    let text = lines[0].trim().slice(level).trim();
    const bare = withoutEnd(text, "#");
    if (bare === "" || bare.endsWith(" ")) text = bare.trim();
    return h(/** @type {"h1"} */ (`h${level}`), {}, inline(text));
  },
  quote(lines, depth) {
    const inner = split(lines.map((line) => line.replace(QUOTE, "")));
    return h("blockquote", {}, inner.map((block) => render(block, depth + 1)));
  },
  code(lines) {
    const { mark, language } = fenceOf(lines[0]);
    const closed = lines.length > 1 && closes(lines[lines.length - 1], mark);
    return codeBlock(lines.slice(1, closed ? -1 : undefined).join("\n"), language);
  },
  table(lines) {
    const aligns = cells(lines[1]).map((cell) => (cell.startsWith(":") && cell.endsWith(":") ? "center" : cell.endsWith(":") ? "right" : ""));
    const row = (/** @type {string} */ line, /** @type {"td" | "th"} */ tag) =>
      h("tr", {}, cells(line).slice(0, aligns.length).map((cell, at) => h(tag, { class: aligns[at] }, inline(cell))));
    const body = lines.slice(2).map((line) => row(line, "td"));
    return h("div", { class: "table", tabindex: "0", role: "group" }, h("table", {}, h("thead", {}, row(lines[0], "th")), h("tbody", {}, body)));
  },
};

/** @param {string} line */
function cells(line) {
  const parts = line.trim().replace(/^\|/, "").split(/(?<!\\)\|/);
  if (parts.at(-1)?.trim() === "") parts.pop();
  return parts.map((part) => part.trim().replaceAll("\\|", "|"));
}

/**
 * @param {string[]} lines
 * @param {number} depth
 */
function listOf(lines, depth) {
  const [, indent = "", sign = ""] = ITEM.exec(lines[0]) ?? [];
  const ordered = /\d/.test(sign);
  const node = h(ordered ? "ol" : "ul", ordered && !/^1\D/.test(sign) ? { start: parseInt(sign, 10) } : {});
  for (const item of items(lines, indent.length)) node.append(listItem(item, depth));
  return node;
}

/**
 * @param {string[]} lines the first of them begins an item
 * @param {number} indent
 */
function items(lines, indent) {
  /** @type {string[][]} */
  const found = [];
  let width = 0;
  for (const line of lines) {
    const start = ITEM.exec(line);
    if (start && (found.length === 0 || start[1].length <= indent + 1)) {
      width = start[0].length;
      found.push([line.slice(width)]);
    } else {
      const lead = line.length - line.replace(/^[ \t]+/, "").length;
      found.at(-1)?.push(line.slice(Math.min(lead, width)));
    }
  }
  return found;
}

/**
 * @param {string[]} lines
 * @param {number} depth
 */
function listItem(lines, depth) {
  const task = /^\[([ xX])\][ \t]+/.exec(lines[0]);
  const body = task ? [lines[0].slice(task[0].length), ...lines.slice(1)] : lines;
  const [first, ...rest] = split(body).map((block) => render(block, depth + 1));
  // A tight item reads as a line, not as a paragraph.
  const nodes = [...(first?.tagName === "P" ? /** @type {Iterable<Node>} */ (first.childNodes) : [first]), ...rest];
  const box = task && h("span", { class: `task ${task[1] === " " ? "" : "done"}` }, task[1] === " " ? null : icon("check"));
  return h("li", task ? { class: "with-task" } : {}, box, nodes);
}

/**
 * @param {string} text
 * @param {string} language
 */
function codeBlock(text, language) {
  const copy = button(t("copy"), "copy", async () => {
    await copyText(text);
    copy.replaceChildren(icon("check"));
    copy.setAttribute("aria-label", t("copied"));
    setTimeout(() => copy.replaceChildren(icon("copy")), 1500);
  });
  const head = h("div", { class: "code-head" }, h("span", {}, language), copy);
  return h("div", { class: "code" }, head, h("pre", { tabindex: "0" }, h("code", {}, text)));
}
