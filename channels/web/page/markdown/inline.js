// Inline markdown to DOM nodes: code, emphasis, links, line breaks. Never HTML.

import { h } from "../kit/dom.js";

const MAX_DEPTH = 12;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
const BARE_LINK = /^https?:\/\/[^\s<>"'`\u3000-\u303f\uff00-\uffef]+/;

/** @import { Child } from "../kit/dom.js" */

/**
 * A link a person may follow, or null: no javascript:, data: or the like.
 * @param {string} text
 */
export function safeUrl(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} text
 * @returns {Child[]}
 */
export function inline(text, depth = 0) {
  return depth > MAX_DEPTH ? [text] : new Scanner(text, depth).scan();
}

class Scanner {
  /**
   * @param {string} text
   * @param {number} depth
   */
  constructor(text, depth) {
    this.text = text;
    this.depth = depth;
    this.at = 0;
    this.plain = "";
    /** @type {Child[]} */
    this.out = [];
    /** @type {Record<string, Map<number, number>>} */
    this.pairs = {};
    /** @type {Set<string>} marks with no end in the rest of the text: not searched for again */
    this.unclosed = new Set();
  }

  scan() {
    while (this.at < this.text.length) {
      const rule = RULES[this.text[this.at]];
      if (!(rule && rule.call(this))) this.plain += this.text[this.at++];
    }
    this.flush();
    return this.out;
  }

  flush() {
    if (this.plain) this.out.push(this.plain);
    this.plain = "";
  }

  /**
   * @param {Node} node
   * @param {number} length
   */
  push(node, length) {
    this.flush();
    this.out.push(node);
    this.at += length;
    return true;
  }

  escape() {
    const next = this.text[this.at + 1];
    if (next === "\n") return this.push(h("br"), 2);
    if (!next || !PUNCTUATION.test(next)) return false;
    this.plain += next;
    this.at += 2;
    return true;
  }

  newline() {
    this.plain = this.plain.trimEnd();
    return this.push(h("br"), 1);
  }

  code() {
    const ticks = run(this.text, this.at, "`");
    const mark = "`".repeat(ticks);
    if (this.unclosed.has(mark)) return this.skip(mark);
    let end = this.at + ticks;
    while ((end = this.text.indexOf(mark, end)) !== -1) {
      const length = run(this.text, end, "`");
      if (length === ticks) break;
      end += length;
    }
    if (end === -1) {
      this.unclosed.add(mark);
      return this.skip(mark);
    }
    let body = this.text.slice(this.at + ticks, end).replaceAll("\n", " ");
    if (body.startsWith(" ") && body.endsWith(" ") && body.replaceAll(" ", "")) body = body.slice(1, -1);
    return this.push(h("code", {}, body), end + ticks - this.at);
  }

  /** @param {string} mark */
  skip(mark) {
    this.plain += mark;
    this.at += mark.length;
    return true;
  }

  emphasis() {
    const sign = this.text[this.at];
    const length = Math.min(run(this.text, this.at, sign), 2);
    if (sign === "~" && length < 2) return false;
    const mark = sign.repeat(length);
    const start = this.at + length;
    if (this.unclosed.has(mark) || !this.opens(sign, start)) return this.skip(mark);
    const end = this.closing(mark, start);
    if (end === -1) return this.skip(mark);
    const tag = sign === "~" ? "del" : length === 2 ? "strong" : "em";
    return this.push(h(tag, {}, inline(this.text.slice(start, end), this.depth + 1)), end + length - this.at);
  }

  /**
   * @param {string} sign
   * @param {number} start
   */
  opens(sign, start) {
    const next = this.text[start];
    if (!next || /\s/.test(next)) return false;
    return sign !== "_" || this.at === 0 || !WORD.test(this.text[this.at - 1]);
  }

  /**
   * @param {string} mark
   * @param {number} start
   */
  closing(mark, start) {
    let end = start;
    while ((end = this.text.indexOf(mark, end)) !== -1) {
      const length = run(this.text, end, mark[0]);
      const tight = end > start && !/\s/.test(this.text[end - 1]) && this.text[end - 1] !== "\\";
      const outside = mark[0] !== "_" || !WORD.test(this.text[end + length] ?? " ");
      if (tight && outside && (length === mark.length || length === 3)) return length === 3 ? end + 3 - mark.length : end;
      end += length;
    }
    this.unclosed.add(mark);
    return -1;
  }

  link() {
    const image = this.text[this.at] === "!";
    const open = this.at + (image ? 1 : 0);
    if (this.text[open] !== "[") return false;
    const close = this.pairEnd("[]", open);
    if (close === -1 || this.text[close + 1] !== "(") return false;
    const near = this.text.slice(close + 2, close + 4001);
    const end = near.indexOf(")");
    if (end === -1) return false;
    const stop = near.slice(0, end).includes("(") ? this.pairEnd("()", close + 1) : close + 2 + end;
    if (stop === -1) return false;
    const target = withoutTitle(this.text.slice(close + 2, stop).trim()).replace(/^<(.*)>$/, "$1");
    const label = this.text.slice(open + 1, close);
    const url = safeUrl(target);
    // Pictures from elsewhere would tell their server who reads this: they are shown as links.
    const inner = image ? [label || target] : inline(label, this.depth + 1);
    return this.push(url ? anchor(url, inner) : h("span", {}, inner), stop + 1 - this.at);
  }

  /**
   * Where the bracket at `open` is closed, if that is near: found for all of them in one go.
   * @param {string} signs
   * @param {number} open
   */
  pairEnd(signs, open) {
    this.pairs[signs] ??= pairs(this.text, signs);
    const end = this.pairs[signs].get(open) ?? -1;
    return end - open < 1500 ? end : -1;
  }

  angle() {
    const near = this.text.slice(this.at + 1, this.at + 2001);
    const inside = near.slice(0, Math.max(near.indexOf(">"), 0));
    const url = /^\S+$/.test(inside) && safeUrl(inside);
    return url ? this.push(anchor(url, [inside]), inside.length + 2) : false;
  }

  bare() {
    if (this.at > 0 && /[A-Za-z0-9]/.test(this.text[this.at - 1])) return false;
    const found = BARE_LINK.exec(this.text.slice(this.at, this.at + 2000));
    const link = found && withoutEnd(found[0], ".,;:!?*_~");
    const trimmed = link?.endsWith(")") && !link.includes("(") ? link.slice(0, -1) : link;
    const url = trimmed && safeUrl(trimmed);
    return url ? this.push(anchor(url, [trimmed]), trimmed.length) : false;
  }
}

/** @type {Record<string, (this: Scanner) => boolean>} */
const RULES = {
  "\\": Scanner.prototype.escape,
  "\n": Scanner.prototype.newline,
  "`": Scanner.prototype.code,
  "*": Scanner.prototype.emphasis,
  _: Scanner.prototype.emphasis,
  "~": Scanner.prototype.emphasis,
  "[": Scanner.prototype.link,
  "!": Scanner.prototype.link,
  "<": Scanner.prototype.angle,
  h: Scanner.prototype.bare,
};

/**
 * @param {string} text
 * @param {number} at
 * @param {string} sign
 */
function run(text, at, sign) {
  let end = at;
  while (text[end] === sign) end++;
  return end - at;
}

/**
 * Opening brackets and where each is closed.
 * @param {string} text
 * @param {string} signs
 */
function pairs(text, [left, right]) {
  /** @type {Map<number, number>} */
  const found = new Map();
  /** @type {number[]} */
  const open = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === left) open.push(at);
    else if (text[at] === right && open.length) found.set(/** @type {number} */ (open.pop()), at);
  }
  return found;
}

/**
 * The patterns for these two would try each of many blanks or signs as a beginning.
 * @param {string} text
 * @param {string} signs
 */
export function withoutEnd(text, signs) {
  let end = text.length;
  while (end && signs.includes(text[end - 1])) end--;
  return text.slice(0, end);
}

/** @param {string} target */
function withoutTitle(target) {
  const quote = target.at(-1);
  const start = quote === '"' || quote === "'" ? target.lastIndexOf(quote, target.length - 2) : 0;
  return start > 0 && /\s/.test(target[start - 1]) ? target.slice(0, start).trimEnd() : target;
}

/**
 * @param {string} url
 * @param {Child[]} children
 */
function anchor(url, children) {
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, children);
}
