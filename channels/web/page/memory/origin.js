// Where a fact comes from: a conversation of this page, another platform, or the person's own hand.

import { h } from "../kit/dom.js";
import { store } from "../chat/store.js";
import { t } from "../kit/texts.js";

/** @import { Fact } from "../kit/protocol" */

/**
 * @param {Fact} fact
 * @returns {HTMLElement | null} null where nothing is known
 */
export function originOf(fact) {
  if (fact.source === "manual" || fact.source === "import") {
    return h("span", {}, t(fact.source === "manual" ? "memoryManual" : "memoryImported"));
  }
  const [channel, chat, topic] = (fact.origin?.conversation ?? "").split(":").map(unescaped);
  if (!channel || !chat) return null;
  return channel === "web" ? ofThisPage(chat, topic) : ofPlatform(fact, channel);
}

/**
 * @param {Fact} fact
 * @param {string} channel
 */
function ofPlatform(fact, channel) {
  const says = t(fact.shared ? "memoryFromGroup" : "memoryFromPrivate", { channel: titled(channel) });
  const link = fact.origin?.link ?? "";
  if (!/^https?:\/\//.test(link)) return h("span", {}, says);
  return h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, says);
}

/**
 * @param {string} chat
 * @param {string | undefined} topic
 */
function ofThisPage(chat, topic) {
  const known = store.chats.get(chat);
  if (!known) return h("span", {}, t("memoryFromDeleted"));
  const there = known.topics.find(({ id }) => id === topic);
  const title = there?.title || known.title || t("untitled");
  return h("a", { href: `#/${chat}${there ? `/${there.id}` : ""}` }, t("memoryFromChat", { title }));
}

/** @param {string} part */
function unescaped(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @param {string} name */
function titled(name) {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
