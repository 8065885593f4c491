/** What a rotation means for certificates that are out and for the service that runs, in lines for the admin. */

import type { KeyProof } from "../../attestor/certificate/keyProof.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import type { HistoryEntry } from "../records/history.ts";
import type { PreparedCertificate, ServiceKeys } from "./sources.ts";

const MOST_LINES = 10;
const INDENT = " ".repeat(9);

/**
 * Which prepared trades the rotation ends: the guard refuses certificates of the old key from its block on.
 * @param certificates null: not known
 */
export function certificateLines(
  certificates: readonly PreparedCertificate[] | null,
  roles: GuardRoles,
): string[] {
  if (certificates === null)
    return [
      "Prepared not known here (no database at DATABASE_URL): trades that were prepared within the last 300 seconds have to be prepared again",
    ];
  const ending = certificates.filter(({ signer }) => signer === roles.signer);
  if (ending.length === 0) return ["Prepared no certificate could be executed now"];
  const lines = ending.slice(0, MOST_LINES).map(({ jobId, version, deadline }) => {
    const left = deadline - roles.blockTime;
    return `${INDENT}ends: ${jobId} version ${version}, which had ${left} seconds more`;
  });
  if (ending.length > MOST_LINES) lines.push(`${INDENT}ends: ${ending.length - MOST_LINES} more`);
  const [certificate, end, agents] =
    ending.length === 1 ? ["certificate", "ends", "its agent"] : ["certificates", "end", "their agents"];
  return [
    `Prepared ${ending.length} ${certificate} could be executed now and ${end} with the rotation: ${agents} must prepare again`,
    ...lines,
  ];
}

/** @param keys null: the service does not answer */
export function serviceLine(baseUrl: string, keys: ServiceKeys | null, newSigner: string): string {
  if (keys === null) return `Service  ${baseUrl} does not say which key it holds`;
  if (keys.signer === newSigner) return `Service  ${baseUrl} already signs with the new key`;
  if (keys.waiting === newSigner)
    return `Service  ${baseUrl} holds the new key and signs with it as soon as the guard names it`;
  return `Service  ${baseUrl} signs with ${keys.signer} and does NOT hold the new key: after the rotation it denies every trade until it is restarted with that key`;
}

/** A proof says that the key was available when it was made. */
const FRESH_SECONDS = 24 * 3_600;

/**
 * What an admin should look at before an address is trusted.
 * @param history of this guard
 * @param now unix seconds
 */
export function proofWarnings(
  { signer, provedAt }: Pick<KeyProof, "signer" | "provedAt">,
  history: readonly Pick<HistoryEntry, "at" | "call" | "outcome">[],
  now: number,
): string[] {
  const warnings: string[] = [];
  if (now - provedAt > FRESH_SECONDS)
    warnings.push(
      `the proof is ${Math.floor((now - provedAt) / FRESH_SECONDS)} day(s) old: make a new one where the key is (assay keystore prove)`,
    );
  if (provedAt - now > FRESH_SECONDS)
    warnings.push("the proof is from the future: one of the clocks is wrong");
  const before = history.filter(
    ({ call: { name, args }, outcome }) =>
      outcome === "confirmed" &&
      ((name === "rotateSigner" && args[0] === signer) || (name === "constructor" && args[2] === signer)),
  );
  if (before.length > 0)
    warnings.push(
      `${signer} was the attestation key before (since ${before.at(-1)!.at}): others may know an old key`,
    );
  return warnings;
}
