// Block markdown to DOM nodes, kept in step with a text that grows: only blocks that changed are rebuilt.

import { h, button, copyText, icon } from "./dom.js";
import { inline, withoutEnd } from "./markdown-inline.js";
import { t } from "./texts.js";

const MAX_DEPTH = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const DIVIDER = /^:?-+:?$/;

// Keeps `target` showing `text`; a part that is already right stays untouched (and selected).
export function renderInto(target, text) {
  const known = target.blocks ?? [];
  const blocks = split(text.replaceAll("\r\n", "\n").split("\n"));
  let same = 0;
  while (same < known.length && same < blocks.length && known[same] === blocks[same].raw) same++;
  while (target.childNodes.length > same) target.lastChild.remove();
  for (const block of blocks.slice(same)) target.append(shown(block));
  target.blocks = blocks.map((block) => block.raw);
}

// A block that cannot be drawn is shown as it was written: what stands around it is not lost with it.
function shown(block) {
  try {
    return render(block, 0);
  } catch (problem) {
    console.error(problem);
    return h("p", { class: "plain-text" }, block.lines.join("\n"));
  }
}

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

function until(lines, at, stops) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !stops(lines[end], lines, end)) end++;
  return end;
}

function startsBlock(line, lines, at) {
  const item = ITEM.exec(line);
  // A number other than 1 in the middle of a paragraph is no list ("in\n1984. ...").
  const list = item && item[3] && (/[-*+]/.test(item[2]) || /^1[.)]/.test(item[2]));
  return list || FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || isTable(lines, at);
}

function isTable(lines, at) {
  const next = lines[at + 1];
  return lines[at].includes("|") && next !== undefined && next.includes("|") && next.length < 1000 && isDivider(next);
}

function isDivider(line) {
  const bars = line.trim();
  const from = bars.startsWith("|") ? 1 : 0;
  const to = bars.length > 1 && bars.endsWith("|") ? -1 : undefined;
  return bars.slice(from, to).split("|").every((cell) => DIVIDER.test(cell.trim()));
}

function fenceEnd(lines, at) {
  const mark = FENCE.exec(lines[at])[1];
  for (let end = at + 1; end < lines.length; end++) {
    const closing = FENCE.exec(lines[end]);
    if (closing && closing[1].startsWith(mark) && !closing[2]) return end + 1;
  }
  return lines.length;
}

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

function render({ kind, lines }, depth) {
  if (depth > MAX_DEPTH) return h("p", {}, lines.join("\n"));
  return RENDER[kind](lines, depth);
}

const RENDER = {
  text: (lines) => h("p", {}, inline(lines.map((line) => line.trimStart()).join("\n").trimEnd())),
  rule: () => h("hr"),
  heading(lines) {
    const level = HEADING.exec(lines[0])[1].length;
    let text = lines[0].trim().slice(level).trim();
    const bare = withoutEnd(text, "#");
    if (bare === "" || bare.endsWith(" ")) text = bare.trim();
    return h(`h${level}`, {}, inline(text));
  },
  quote(lines, depth) {
    const inner = split(lines.map((line) => line.replace(QUOTE, "")));
    return h("blockquote", {}, inner.map((block) => render(block, depth + 1)));
  },
  code(lines) {
    const [, mark, language] = FENCE.exec(lines[0]);
    const closing = lines.length > 1 && FENCE.exec(lines.at(-1));
    const closed = closing && closing[1].startsWith(mark) && !closing[2];
    return codeBlock(lines.slice(1, closed ? -1 : undefined).join("\n"), language);
  },
  table(lines) {
    const aligns = cells(lines[1]).map((cell) => (cell.startsWith(":") && cell.endsWith(":") ? "center" : cell.endsWith(":") ? "right" : ""));
    const row = (line, tag) =>
      h("tr", {}, cells(line).slice(0, aligns.length).map((cell, at) => h(tag, { class: aligns[at] }, inline(cell))));
    const body = lines.slice(2).map((line) => row(line, "td"));
    return h("div", { class: "table", tabindex: "0", role: "group" }, h("table", {}, h("thead", {}, row(lines[0], "th")), h("tbody", {}, body)));
  },
  list: (lines, depth) => list(lines, depth),
};

function cells(line) {
  const parts = line.trim().replace(/^\|/, "").split(/(?<!\\)\|/);
  if (parts.at(-1).trim() === "") parts.pop();
  return parts.map((part) => part.trim().replaceAll("\\|", "|"));
}

function list(lines, depth) {
  const first = ITEM.exec(lines[0]);
  const ordered = /\d/.test(first[2]);
  const node = h(ordered ? "ol" : "ul", ordered && !/^1\D/.test(first[2]) ? { start: parseInt(first[2], 10) } : {});
  const indent = first[1].length;
  for (const item of items(lines, indent)) node.append(listItem(item, depth));
  return node;
}

function items(lines, indent) {
  const found = [];
  for (const line of lines) {
    const start = ITEM.exec(line);
    if (start && (found.length === 0 || start[1].length <= indent + 1)) {
      found.push([line.slice(start[0].length)]);
      found.at(-1).width = start[0].length;
    } else {
      const item = found.at(-1);
      const lead = /^[ \t]*/.exec(line)[0].length;
      item.push(line.slice(Math.min(lead, item.width)));
    }
  }
  return found;
}

function listItem(lines, depth) {
  const task = /^\[([ xX])\][ \t]+/.exec(lines[0]);
  const body = task ? [lines[0].slice(task[0].length), ...lines.slice(1)] : lines;
  const [first, ...rest] = split(body).map((block) => render(block, depth + 1));
  // A tight item reads as a line, not as a paragraph.
  const nodes = [...(first?.tagName === "P" ? first.childNodes : [first]), ...rest];
  const box = task && h("span", { class: `task ${task[1] === " " ? "" : "done"}` }, task[1] === " " ? null : icon("check"));
  return h("li", task ? { class: "with-task" } : {}, box, nodes);
}

function codeBlock(text, language) {
  const copy = button(t("copy"), "copy", async () => {
    await copyText(text);
    copy.replaceChildren(icon("check"));
    copy.setAttribute("aria-label", t("copied"));
    setTimeout(() => copy.replaceChildren(icon("copy")), 1500);
  });
  const head = h("div", { class: "code-head" }, h("span", {}, language || ""), copy);
  return h("div", { class: "code" }, head, h("pre", { tabindex: "0" }, h("code", {}, text)));
}
