/**
 * Step `signatures`: every price that the evidence calls signed carries signatures of the set that it names, of keys that
 * the reader trusts, and says what was signed.
 */
import type { Evidence } from "../evidence/evidence.ts";
import type { ReferencePrice } from "../evidence/facts.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../publishers/publisherKeys.ts";
import { checkPriceProof, differencesFrom } from "../publishers/publishers.ts";
import type { Account } from "./verification.ts";

/** @returns the evidence with those signers alone whose signatures hold for this reader */
export function signaturesStep(
  evidence: Evidence,
  keys: PublisherKeys = KNOWN_KEYS,
  account: Account,
): Evidence {
  const { references, settlement, chain } = evidence;
  const checked = (reading: ReferencePrice): ReferencePrice =>
    isSigned(reading, chain.chainId, keys, account) ? reading : { ...reading, signer: null };
  return { ...evidence, references: references.map(checked), settlement: settlement.map(checked) };
}

function isSigned(reading: ReferencePrice, chainId: number, keys: PublisherKeys, account: Account): boolean {
  const { proof, signer, symbol, provider } = reading;
  // One without the other is a contradiction, which step `judgement` tells.
  if (proof === null || signer === null) return false;
  account.ask("signatures");
  // A service may call a price and its signers whatever it likes.
  const price = `${JSON.stringify(symbol)} by ${JSON.stringify(provider)}`;
  const set = JSON.stringify(signer.set);
  const check = checkPriceProof(proof, keys, chainId);
  if (check.outcome === "broken") {
    account.wrong("signatures", "proof_broken", { price, reason: check.reason });
    return false;
  }
  if (check.outcome === "unknown")
    account.unknown("signatures", "signers_unknown", { price, set, reason: check.reason });
  if (check.by !== null && check.by !== signer.set)
    account.wrong("signatures", "signed_by_other_set", { price, set, signedBy: check.by });
  if (check.price === null) return false;
  const { session } = check.price;
  // The word for a session may stand in what was signed, and what it means in keys that this reader does not have.
  const isSessionRead = session !== null || signer.session === null;
  if (!isSessionRead)
    account.unknown("signatures", "session_unread", { price, session: signer.session ?? "" });
  const differing = [
    ...differencesFrom(reading, check.price),
    ...(isSessionRead && session !== signer.session ? ["session"] : []),
    ...(check.price.signedAt === signer.signedAt ? [] : ["signedAt"]),
  ];
  if (differing.length > 0)
    account.wrong("signatures", "signed_otherwise", { price, members: differing.join(", ") });
  return check.outcome === "signed" && isSessionRead;
}
