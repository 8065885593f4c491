import { defineCheck, judged } from "./check.ts";
import { TEXT } from "./measure.ts";

/** The guard is not paused. */
export const guardActive = defineCheck({
  name: "guard-active",
  bound: {},
  measure: TEXT,
  words: {
    en: "Is the guard at work, and not paused?",
    zh: "守卫合约是否在运行而未暂停？",
  },
  judge: (_policy, { guard }) =>
    judged(!guard.paused, guard.paused, false, `The guard is ${guard.paused ? "" : "not "}paused.`),
});
