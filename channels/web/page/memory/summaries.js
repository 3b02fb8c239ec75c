// The summaries of a memory that say something, by their names.

import { t } from "../kit/texts.js";

/** @import { Memory } from "../kit/protocol" */

/** @param {Memory} memory */
export function summariesOf({ user, history }) {
  const all = [
    { name: t("workContext"), text: user.workContext.summary },
    { name: t("personalContext"), text: user.personalContext.summary },
    { name: t("topOfMind"), text: user.topOfMind.summary },
    { name: t("recentMonths"), text: history.recentMonths.summary },
    { name: t("earlierContext"), text: history.earlierContext.summary },
    { name: t("longTermBackground"), text: history.longTermBackground.summary },
  ];
  return all.filter(({ text }) => text);
}
