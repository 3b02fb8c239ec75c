// The steps of the first set-up. Each answers with all there is then.

import { call } from "../kit/api.js";
import { language } from "../kit/texts.js";

/** @import { SetupAgent, SetupState } from "../kit/protocol" */

const PATIENCE = 180_000; // an agent may take two minutes for its first word

/** @type {(method: string, path?: string, body?: object) => Promise<SetupState>} */
const step = (method, path = "", body = undefined) =>
  call(method, `/api/setup${path}?${new URLSearchParams({ language })}`, body, PATIENCE);

export const setupApi = {
  state: () => step("GET"),
  channel: (/** @type {string} */ channel, /** @type {Record<string, string>} */ keys, /** @type {string} */ server) =>
    step("POST", "/channel", { channel, keys, server }),
  scan: (/** @type {string} */ channel, /** @type {string} */ server) => step("POST", "/scan", { channel, server }),
  wait: (/** @type {string} */ channel) => step("POST", "/wait", { channel }),
  endWaiting: () => step("DELETE", "/wait"),
  admin: (/** @type {boolean} */ mine) => step("POST", "/admin", { mine }),
  agent: (/** @type {SetupAgent & { url?: string, key?: string }} */ chosen) => step("POST", "/agent", chosen),
  assistants: (/** @type {string} */ url, /** @type {string} */ key) =>
    /** @type {Promise<{ assistants: string[] }>} */ (call("POST", "/api/setup/assistants", { kind: "server", url, key }, PATIENCE)),
  save: () => step("POST", "/write", {}),
  forget: () => step("DELETE"),
};
