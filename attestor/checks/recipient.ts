import { defineCheck, judged } from "./check.ts";
import { TEXT } from "./measure.ts";

/** The output goes to the owner, or to a recipient that the guard allows. */
export const recipient = defineCheck({
  name: "recipient",
  bound: {},
  measure: TEXT,
  words: {
    en: "Does the guard pay this recipient?",
    zh: "守卫合约是否允许付款给该收款人？",
  },
  judge: (_policy, { guard, intent }) =>
    judged(
      guard.recipientAllowed,
      guard.recipientAllowed,
      true,
      `The recipient ${intent.recipientAddress} is ${guard.recipientAllowed ? "" : "neither the owner nor "}allowed by the guard.`,
    ),
});
