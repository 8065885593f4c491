/**
 * The vectors of documents: what somebody may hand to a verifier, sound and changed in one place each, with whom the reader
 * trusts and what a verifier says.
 */
import { policyById } from "../../attestor/policies/policy.ts";
import { addressFor, judgement, prepared, reportOn, SIDES, TRUST } from "../../test/attestor/fixtures.ts";
import { callDocuments } from "./calls.ts";
import { type Candidate, type DocumentVector, vectorOf } from "./candidate.ts";
import { changedDocument } from "./changes.ts";
import { drawFrom } from "./draw.ts";
import { jobDocuments } from "./jobs.ts";
import { logDocuments } from "./log.ts";
import { pooledDocuments } from "./pooled.ts";
import { priceDocuments } from "./prices.ts";
import { publisherDocuments } from "./publishers.ts";
import { sessionDocuments } from "./sessions.ts";
import { sourceDocuments } from "./sources.ts";
import { trieDocuments } from "./tries.ts";

const CHANGED = 90;

/** @param seed of all draws */
export async function documentVectors(seed: number): Promise<DocumentVector[]> {
  const sound = await soundDocuments();
  const changed = Array.from({ length: CHANGED }, (_, number) =>
    changedDocument(
      drawFrom(seed, "document", number),
      sound.map(({ document }) => document),
      number,
    ),
  );
  const candidates = [
    ...trusted(sound),
    ...broken(sound[0]!.document),
    ...changed,
    ...(await pooledDocuments(seed)),
    ...priceDocuments(),
    ...publisherDocuments(),
    ...(await sourceDocuments()),
    ...sessionDocuments(drawFrom(seed, "sessions")),
    ...jobDocuments(),
    ...(await callDocuments()),
    ...(await logDocuments()),
    ...(await trieDocuments(seed)),
  ];
  return candidates.map(vectorOf);
}

async function soundDocuments(): Promise<{ name: string; document: string }[]> {
  const policies = ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"].map((id) => policyById(id));
  const made: { name: string; document: string }[] = [];
  for (const policy of policies)
    for (const side of SIDES) {
      const report = reportOn(judgement({ policy, side }));
      const trade = await prepared(report, policy);
      const { policyId, version } = policy.definition;
      made.push({ name: `a prepared ${side} by ${policyId} ${version}`, document: JSON.stringify(trade) });
    }
  return made;
}

/** The first two, before readers who trust this and that. */
function trusted(sound: readonly { name: string; document: string }[]): Candidate[] {
  const [first, second] = sound as [{ name: string; document: string }, { name: string; document: string }];
  const stranger = addressFor("a key that nobody knows");
  const trusts: [string, DocumentVector["trust"]][] = [
    ["nobody", {}],
    ["the signer", { signer: TRUST.signer }],
    ["the guard alone", { guard: TRUST.guard }],
    ["another signer", { signer: stranger }],
    ["another guard", { ...TRUST, guard: { ...TRUST.guard, address: stranger } }],
    ["the guard on another chain", { ...TRUST, guard: { ...TRUST.guard, chainId: 56 } }],
  ];
  const bare = JSON.stringify(JSON.parse(first.document).report);
  return [
    ...sound.map((each) => ({ ...each, trust: TRUST })),
    ...trusts.map(([whom, trust]) => ({
      name: `${second.name}, to one who trusts ${whom}`,
      document: second.document,
      trust,
    })),
    { name: "a report that nobody signed", document: bare, trust: TRUST },
  ];
}

/** What is no document, or reads in two ways. */
function broken(document: string): Candidate[] {
  const texts: [string, string][] = [
    ["nothing", ""],
    ["no JSON", `${document.slice(0, -1)},`],
    ["JSON that is no report", '{"report":[]}'],
    ["a member that is named twice", document.replace('{"jobId"', '{"jobId":"job_other","jobId"')],
    ["a name in two spellings", document.replace('{"jobId"', '{"\\u006aobId":"job_other","jobId"')],
    ["brackets without end", `${"[".repeat(70)}${"]".repeat(70)}`],
    ["a number with an exponent", document.replace('"reportVersion":2', '"reportVersion":2e0')],
    ["a number with a point", document.replace('"reportVersion":2', '"reportVersion":2.0')],
    ["minus zero", document.replace('"reportVersion":2', '"reportVersion":-0')],
    ["a number beyond 2^53", document.replace('"reportVersion":2', '"reportVersion":9007199254740993')],
    ["an unpaired surrogate", document.replace('"USDT / USD"', '"\\ud800"')],
    ["white space", JSON.stringify(JSON.parse(document), null, 2)],
  ];
  return texts.map(([name, text]) => ({ name, document: text, trust: TRUST }));
}
