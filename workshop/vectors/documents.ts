/**
 * The vectors of documents: what somebody may hand to a verifier, sound and changed in one place each, with whom the reader
 * trusts and what a verifier says.
 */
import { policyById } from "../../attestor/policies/policy.ts";
import { addressFor, judgement, prepared, reportOn, SIDES, TRUST } from "../../test/attestor/fixtures.ts";
import { callDocuments } from "./calls.ts";
import { type Candidate, candidateOf, type DocumentVector, vectorOf } from "./candidate.ts";
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

export async function documentVectors(seed: number): Promise<DocumentVector[]> {
  const sound = await soundDocuments();
  const texts = sound.map(({ document }) => document);
  const changed = Array.from({ length: CHANGED }, (_, number) =>
    changedDocument(drawFrom(seed, "document", number), texts, number),
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

async function soundDocuments(): Promise<Candidate[]> {
  const made: Candidate[] = [];
  for (const policy of ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"].map((id) => policyById(id)))
    for (const side of SIDES) {
      const trade = await prepared(reportOn(judgement({ policy, side })), policy);
      const { policyId, version } = policy.definition;
      made.push(candidateOf(`a prepared ${side} by ${policyId} ${version}`, trade));
    }
  const { intent, ...within } = judgement();
  const { amountOutRaw } = within.facts.quote!;
  const limits = {
    maxPremiumBps: 50,
    maxImpactBps: 30,
    minAmountOutRaw: amountOutRaw,
    maxReferenceAgeSeconds: 30,
  };
  const limited = reportOn({ ...within, intent: { ...intent, limits } });
  return [...made, candidateOf("a prepared buy with limits", await prepared(limited))];
}

/** The first two, before readers who trust this and that. */
function trusted(sound: readonly Candidate[]): Candidate[] {
  const [first, second] = sound as [Candidate, Candidate];
  const stranger = addressFor("a key that nobody knows");
  const trusts: [string, DocumentVector["trust"]][] = [
    ["nobody", {}],
    ["the signer", { signer: TRUST.signer }],
    ["the guard alone", { guard: TRUST.guard }],
    ["another signer", { signer: stranger }],
    ["another guard", { ...TRUST, guard: { ...TRUST.guard, address: stranger } }],
    ["the guard on another chain", { ...TRUST, guard: { ...TRUST.guard, chainId: 56 } }],
  ];
  return [
    ...sound,
    ...trusts.map(([whom, trust]) => ({
      ...second,
      name: `${second.name}, to one who trusts ${whom}`,
      trust,
    })),
    candidateOf("a report that nobody signed", JSON.parse(first.document).report),
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
