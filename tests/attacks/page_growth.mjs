// How the time of the page's patterns and of its markdown grows: as tests/attacks/time_growth.py, with the same limits.
// Reads {page, limits, patterns: [{place, source, flags, texts: [[before, repeated, after]]}], parts, most} as JSON;
// writes what is steep, line by line.

import { readFileSync } from "node:fs";

const asked = JSON.parse(readFileSync(0, "utf-8"));
const { floor, steep, explodes, first } = asked.limits;

class Element {
  constructor(tag) {
    this.tagName = tag.toUpperCase();
    this.childNodes = [];
  }
  append(...children) {
    for (const child of children) this.childNodes.push(child);
  }
  setAttribute() {}
  addEventListener() {}
  replaceChildren() {}
  get lastChild() {
    return { remove: () => this.childNodes.pop() };
  }
}
const create = (tag) => new Element(tag);
globalThis.navigator ??= { language: "en" };
globalThis.document = { createElement: create, createElementNS: (_, tag) => create(tag), documentElement: {} };

function cpu(work, text) {
  const before = process.cpuUsage();
  work(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function best(work, text) {
  return Math.min(...Array.from({ length: 5 }, () => cpu(work, text)));
}

function* counts() {
  yield* first;
  for (let count = 2 * first.at(-1); ; count *= 2) yield count;
}

// The ratio for twice the text where it is too much, or 0.
function growth(work, make, most) {
  for (const count of counts()) {
    const text = make(count);
    if (text.length > most) return 0;
    if (cpu(work, text) < floor || cpu(work, text) < floor) continue;
    const whole = best(work, text);
    const ratio = whole / Math.max(best(work, make(count >> 1)), 1e-6);
    if (ratio >= explodes) return ratio;
    const double = best(work, make(2 * count)) / whole;
    if (Math.min(ratio, double) >= steep) return double;
    const more = best(work, make(4 * count)) / best(work, make(2 * count));
    return Math.min(double, more) >= steep ? more : 0;
  }
}

for (const { place, source, flags, texts } of asked.patterns) {
  const pattern = new RegExp(source, flags);
  const work = flags.includes("g") ? (text) => [...text.matchAll(pattern)].length : (text) => pattern.exec(text);
  for (const [before, repeated, after] of texts) {
    const ratio = growth(work, (count) => before + repeated.repeat(count) + after, asked.most);
    if (ratio) {
      console.log(`${place} /${source}/${flags}: x${ratio.toFixed(1)} on ${JSON.stringify([before, repeated, after])}`);
      break;
    }
  }
}
if (asked.page) {
  const { renderInto } = await import(`${asked.page}/markdown/blocks.js`);
  const render = (text) => renderInto(new Element("div"), text);
  for (const [before, part] of asked.parts) {
    const ratio = growth(render, (count) => before + part.repeat(count), asked.mostShown);
    if (ratio) console.log(`markdown: x${ratio.toFixed(1)} on ${JSON.stringify([before, part])}`);
  }
}
