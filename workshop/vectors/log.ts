/** Vectors of the decision log's proofs: reports in a log, others' leaves, and readers with this key and that. */
import { logSigner } from "../../api/log/key.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { prepared, soundReport } from "../../test/attestor/fixtures.ts";
import { LOG_KEY, logged, ORIGIN, SALT } from "../../test/support/logged.ts";
import { bareReport } from "./bare.ts";
import { type Candidate, candidateOf } from "./candidate.ts";

const OWN = [vkeyText(LOG_KEY)];
const stranger = logSigner(new Uint8Array(32).fill(1));
const STRANGERS = [vkeyText(stranger.keyOf(ORIGIN))];

export async function logDocuments(): Promise<Candidate[]> {
  const denied = bareReport({});
  const other = bareReport({}, { policy: policyById("STRICT_LIVE") });
  const inLog = logged(denied);
  const proof = inLog.log!.proof!;
  const withLog = (log: unknown) => ({ ...denied, log });
  const documents: [string, object][] = [
    ["a denial in the log", inLog],
    ["the leaf of another report", withLog(logged(other).log)],
    ["another salt", withLog({ salt: `0x${"5b".repeat(16)}`, proof })],
    ["another index", withLog({ salt: SALT, proof: proof.replace("index 1", "index 0") })],
    ["an index beyond the log", withLog({ salt: SALT, proof: proof.replace("index 1", "index 2") })],
    ["a step of the path less", withLog({ salt: SALT, proof: proof.replace(/(index 1\n)[^\n]+\n/, "$1") })],
    ["another root", withLog({ salt: SALT, proof: proof.replace(/(\n2\n)(.)/, "$1/") })],
    ["another size", withLog({ salt: SALT, proof: proof.replace("\n2\n", "\n3\n") })],
    ["an extra line", withLog({ salt: SALT, proof: proof.replace("\nindex", "\nextra bXk=\nindex") })],
    ["no proof yet", withLog({ salt: SALT, proof: null })],
    ["a member more", withLog({ salt: SALT, proof, more: 1 })],
    ["a log of another key", logged(denied, { by: stranger })],
    ["no log at all", denied],
  ];
  const readers: [string, readonly string[] | null][] = [
    ["its key", OWN],
    ["no key", null],
    ["another key", STRANGERS],
  ];
  const report = soundReport();
  const trade = { ...(await prepared(report)), report: logged(report) };
  return readers.flatMap(([whom, logKeys]) =>
    [...documents, ["a certified trade in the log", trade] as const].map(([name, document]) =>
      candidateOf(`log: ${name}, to one who has ${whom}`, document, logKeys === null ? {} : { logKeys }),
    ),
  );
}
