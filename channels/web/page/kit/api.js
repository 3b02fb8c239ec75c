// The web API. Every call resolves to the answer's JSON or throws a Problem.

/** @import { Api, FileRef } from "./protocol" */

export class Problem extends Error {
  /**
   * @param {number} status 0 where no answer came
   * @param {string} code
   * @param {string} text
   */
  constructor(status, code, text) {
    super(text);
    this.status = status;
    this.code = code;
  }

  // Whether the same request may work later, unchanged.
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const JSON_HEADERS = { "content-type": "application/json" };
const at = (/** @type {string[]} */ ...parts) => "/api/chat/" + parts.map(encodeURIComponent).join("/");

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} as protocol.d.ts says of each call
 */
export async function call(method, path, body, timeout = 30_000) {
  const { response, text } = await fetched(method, path, body, timeout);
  const answer = parsed(text);
  if (response.ok && (answer || response.status > 200)) return answer;
  if (response.status === 401) location.assign("/signin");
  const status = response.ok ? 0 : response.status; // a network that wants a sign-in answers for us, with 200
  throw refusal(status, answer, response.statusText);
}

/**
 * @param {number} status
 * @param {any} answer
 * @param {string} [otherwise] what to say where the answer says nothing
 */
function refusal(status, answer, otherwise = "") {
  return new Problem(status, answer?.error?.code ?? "", answer?.error?.text ?? otherwise);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object | undefined} body
 * @param {number} timeout
 */
async function fetched(method, path, body, timeout) {
  const sent = body === undefined ? {} : { headers: JSON_HEADERS, body: JSON.stringify(body) };
  try {
    const response = await fetch(path, { method, ...sent, signal: AbortSignal.timeout(timeout) });
    return { response, text: await response.text() }; // an answer may break off in the middle
  } catch (failure) {
    throw new Problem(0, "offline", String(failure));
  }
}

/**
 * @param {string} text
 * @returns {any} undefined where it is no JSON
 */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const place = (/** @type {string} */ chat, /** @type {string | null} */ topic) =>
  topic ? at("conversations", chat, "topics", topic) : at("conversations", chat);

/** @type {Api} */
export const api = {
  hello: () => call("GET", at("hello")),
  conversations: () => call("GET", at("conversations")),
  rename: (chat, topic, title) => call("PUT", place(chat, topic), { title }),
  startTopic: (chat, topic, title, about) => call("PUT", place(chat, topic), { title, about }),
  remove: (chat, topic) => call("DELETE", place(chat, topic)),
  messages: (chat, topic, before = "") =>
    call("GET", at("conversations", chat, "messages") + "?" + new URLSearchParams({ topic: topic ?? "", before })),
  post: (chat, message) => call("POST", at("conversations", chat, "messages"), message),
  edit: (chat, message, changed) => call("PUT", at("conversations", chat, "messages", message), changed),
  withdraw: (chat, topic, message) =>
    call("DELETE", at("conversations", chat, "messages", message) + "?" + new URLSearchParams({ topic: topic ?? "" })),
  stop: (chat, topic, id, language) => call("POST", at("conversations", chat, "stop"), { id, topic, language }),
  decide: (chat, pressed) => call("POST", at("conversations", chat, "decisions"), pressed),
  discard: (file) => call("DELETE", at("uploads", file)),
  fileUrl: (file) => at("files", file),
};

/**
 * XMLHttpRequest, because only it tells how far an upload has come.
 * @param {string} id
 * @param {File} file
 * @param {(share: number) => void} onProgress
 * @returns {Promise<FileRef>}
 */
export function upload(id, file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", at("uploads", id));
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => {
      const taken = request.status === 201;
      if (taken && request.response) resolve(request.response);
      else reject(refusal(taken ? 0 : request.status, request.response));
    };
    request.onerror = () => reject(new Problem(0, "offline", ""));
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
}
