import { defineCheck, judged } from "./check.ts";
import { TEXT } from "./measure.ts";

/** The guard would accept this service's certificate. */
export const guardSigner = defineCheck({
  name: "guard-signer",
  bound: {},
  measure: TEXT,
  words: {
    en: "Does the guard trust the key that would sign?",
    zh: "守卫合约是否信任将要签名的密钥？",
  },
  judge: (_policy, { guard }) =>
    judged(
      guard.signer === guard.attestor,
      guard.signer,
      guard.attestor,
      `The guard's signer is ${guard.signer}; this service signs as ${guard.attestor}.`,
    ),
});
