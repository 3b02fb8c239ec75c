// The page's sentences, in the browser's language. They are written in the server's catalogue, parley/core/texts.

import { SENTENCES } from "./sentences.js";

/**
 * @import { Command } from "./protocol"
 * @typedef {keyof typeof SENTENCES.en} Sentence
 */

export const language = navigator.language || "en";
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
const tongue = language.toLowerCase().startsWith("zh") ? "zh" : "en";
/** @type {Record<Sentence, string>} */
const words = SENTENCES[tongue];

/**
 * @param {Sentence} key
 * @param {Record<string, unknown>} [values]
 */
export function t(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * What the server names, in the person's language where the catalogue has it.
 * @param {string} name
 */
export function named(name) {
  return Object.hasOwn(words, name) ? t(/** @type {Sentence} */ (name)) : name;
}

/**
 * Commands come in several languages: ours first, then the default, one of each name.
 * @param {Command[]} commands
 */
export function ourCommands(commands) {
  const rank = (/** @type {Command} */ one) => (one.language.startsWith(tongue) ? 0 : one.language === "" ? 1 : 2);
  /** @type {Map<string, Command>} */
  const best = new Map();
  for (const one of commands) {
    const known = best.get(one.name);
    if (!known || rank(one) < rank(known)) best.set(one.name, one);
  }
  return [...best.values()];
}
