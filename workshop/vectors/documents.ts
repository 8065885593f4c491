/** The vectors of documents: what somebody may hand to a verifier, whom the reader trusts, and what a verifier says. */
import { policyById } from "../../attestor/policies/policy.ts";
import { judgement, prepared, reportOn, SIDES, TRUST } from "../../test/attestor/fixtures.ts";
import { type Candidate, candidateOf, type DocumentVector, vectorOf } from "./candidate.ts";
import { changedDocuments } from "./changes.ts";
import { FORGED_ROWS } from "./forgeries/forgeries.ts";
import { PLAIN_ROWS, TRUST_ROWS } from "./forgeries/rows.ts";
import { STILL_TRUSTED_ROWS } from "./forgeries/stillTrusted.ts";
import { pooledDocuments } from "./pooled.ts";
import { priceDocuments } from "./prices.ts";
import { publisherDocuments } from "./publishers.ts";
import { sessionDocuments } from "./sessions.ts";

const CHANGED = 90;

export async function documentVectors(seed: number): Promise<DocumentVector[]> {
  const sound = await soundDocuments();
  const texts = sound.map(({ document }) => document);
  const candidates = [
    ...sound,
    candidateOf("a report that nobody signed", JSON.parse(sound[0]!.document).report),
    ...broken(sound[0]!.document),
    ...changedDocuments(texts, { seed, count: CHANGED }),
    ...(await pooledDocuments(seed)),
    ...priceDocuments(),
    ...publisherDocuments(),
    ...sessionDocuments(),
  ];
  return candidates.map(vectorOf);
}

/** The table of forgeries: what is honest or bent, for a reader, as the tests of the verifier have it. */
export async function forgeryVectors(): Promise<DocumentVector[]> {
  const rows = [...TRUST_ROWS, ...PLAIN_ROWS, ...FORGED_ROWS, ...STILL_TRUSTED_ROWS];
  const vectors: DocumentVector[] = [];
  for (const { name, document, trust } of rows)
    vectors.push(vectorOf(candidateOf(name, await document(), trust)));
  return vectors;
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
