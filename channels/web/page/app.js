// Puts the page together.

import { api, Problem } from "./kit/api.js";
import { Composer } from "./chat/composer.js";
import { askText, tell, toast } from "./kit/dialog.js";
import { byId, newId, plain } from "./kit/dom.js";
import { startHeader } from "./chat/header.js";
import { Live } from "./chat/live.js";
import { outbox } from "./chat/outbox.js";
import { drawer, startSidebar } from "./chat/sidebar.js";
import { keyOf, samePlace, store } from "./chat/store.js";
import { language, ourCommands, t, zone } from "./kit/texts.js";
import { isBusy, load, startThread, toEnd } from "./chat/thread.js";

/**
 * @import { Entry, Hello, Place } from "./kit/protocol"
 * @import { Message } from "./chat/outbox.js"
 */

const PLACE = /^#\/([\w-]{8,64})(?:\/([\w-]{8,64}))?$/;

const composer = new Composer({ send, stop });

/**
 * At once, not with the hashchange to come: what is typed next belongs to the new place.
 * @param {Place | null} place
 */
function go(place) {
  history.pushState(null, "", place ? "#/" + keyOf(place) : location.pathname);
  store.open(place);
}

function newChat() {
  drawer.close();
  if (store.place) go(null);
  composer.focus();
}

function openFromHash() {
  const found = PLACE.exec(location.hash);
  const place = found && { chat: found[1], topic: found[2] ?? null };
  if (!samePlace(place, store.place)) store.open(place);
}

/** @param {Message} message */
function send(message) {
  const place = store.place ?? { chat: newId(), topic: null };
  outbox.add(place, message);
  if (!store.place) go(place);
  toEnd();
}

async function stop() {
  const place = store.place;
  if (place) await tell(api.stop(place.chat, place.topic, newId(), language));
}

/**
 * Whether the press of a question's button was taken; what it says about it is shown.
 * @param {string} question
 * @param {string} option
 * @param {string} text
 */
async function decide(question, option, text) {
  const place = store.place;
  if (!place) return false;
  const told = await tell(api.decide(place.chat, { id: newId(), question, option, text, topic: place.topic, language }));
  if (told) toast(told.text);
  return Boolean(told);
}

/** @param {Entry} entry */
async function edit(entry) {
  const place = store.place;
  const text = await askText(entry.text);
  if (!text || !place) return;
  const changed = await tell(api.edit(place.chat, entry.id, { id: newId(), text, topic: place.topic, language, zone }));
  if (changed) store.putEntry(place, changed);
}

/**
 * Takes a message back that waits to be answered; that it came too late is said, too.
 * @param {Entry} entry
 */
async function withdraw(entry) {
  const place = store.place;
  if (!place) return;
  const changed = await tell(api.withdraw(place.chat, place.topic, entry.id));
  if (changed) store.putEntry(place, changed);
}

/** @param {Entry} entry */
async function startTopic(entry) {
  const place = store.place;
  if (!place) return;
  const title = plain(entry.text).trim().split("\n")[0].slice(0, 60);
  const topic = newId();
  const chat = await tell(api.startTopic(place.chat, topic, title, entry.id));
  if (!chat) return;
  store.setChat(chat.id, chat);
  go({ chat: place.chat, topic });
  composer.focus();
}

function onEscape() {
  if (document.querySelector("dialog[open]")) return;
  if (composer.close() || drawer.close()) return;
  if (isBusy(store.place)) stop();
}

/** @param {Hello} hello */
function takeHello(hello) {
  store.user = hello.user;
  store.commands = ourCommands(hello.commands);
  store.maxUpload = hello.max_upload;
  store.edits = hello.edits;
  store.changed("commands");
}

async function loadAll() {
  const place = store.place;
  const known = place && !outbox.of(place).length; // or else the server may hear of it only now
  try {
    await Promise.all([api.hello().then(takeHello), store.ask(api.conversations(), (chats) => store.setChats(chats))]);
    const lost = known && place === store.place && !store.chats.has(place.chat);
    if (lost) history.replaceState(null, "", location.pathname);
    if (lost) store.open(null);
    await load();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    setTimeout(loadAll, 2000);
  }
}

function start() {
  document.documentElement.lang = language;
  byId("skip").textContent = t("skip");
  startSidebar(newChat);
  startHeader();
  const say = (/** @type {string} */ text) => send({ id: newId(), text, files: [] });
  const ask = (/** @type {string} */ text, /** @type {boolean} */ byKey) => {
    say(text);
    if (byKey) composer.focus(); // the button that had it goes
  };
  startThread({ send: say, ask, decide, edit, withdraw, startTopic, drawn: () => composer.refresh() });
  store.on("place", () => {
    composer.show(store.place);
    if (!store.place && location.hash) history.replaceState(null, "", location.pathname);
  });
  window.addEventListener("hashchange", openFromHash);
  document.addEventListener("visibilitychange", () => document.hidden || store.seen());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") onEscape();
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      newChat();
    }
  });
  openFromHash();
  new Live(loadAll).connect();
  outbox.flush();
  composer.focus();
}

start();
