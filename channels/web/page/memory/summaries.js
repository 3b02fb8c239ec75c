// The summaries of a memory that say something, by their names: of topics of an operator's own by those.

import { named } from "../kit/texts.js";

/** @import { Memory } from "../kit/protocol" */

/** @param {Memory} memory */
export function summariesOf({ user, history }) {
  const all = Object.entries({ ...user, ...history });
  return all.filter(([, { summary }]) => summary).map(([name, { summary }]) => ({ name: named(name), text: summary }));
}
