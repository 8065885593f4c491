/**
 * The maker of every document that the local world does not make: a service that is honest unless it is changed, and has
 * every key but those of the publishers and of the chain.
 */
import { id } from "ethers";
import { developmentLogSigner } from "../../../api/log/key.ts";
import type { Judgement } from "../../../attestor/attest.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import type { Facts, SourceFailure } from "../../../attestor/evidence/facts.ts";
import { liquidityOfSamples, type SampleBatch, samplesRoot } from "../../../attestor/evidence/samples.ts";
import { type Policy, policyById } from "../../../attestor/policies/policy.ts";
import type { Proofs } from "../../../attestor/proofs/stateProofs.ts";
import { parseRegistry, type Registry } from "../../../attestor/registry.ts";
import { evaluate, type Report } from "../../../attestor/report.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import type { UnixSeconds } from "../../../attestor/values/time.ts";
import {
  addressFor,
  CHAIN_ID,
  copy,
  DOLLAR_KEY,
  DOMAIN,
  facts,
  judgement,
  NOW,
  PRIVATE_KEY,
  prepared,
  quote,
  reading,
  reportOn,
  type Side,
  STOCK_KEY,
  token,
  UNKNOWN_TOKEN,
} from "../../../test/attestor/fixtures.ts";
import { type ProvedFacts, provedFacts, STATE_REGISTRY } from "../../../test/attestor/proofs/state.ts";
import { logged } from "../../../test/support/logged.ts";

/** Whose contract states a price on the chain. */
export const FEED = addressFor("aggregator");

/** Beside the fixtures' sources a feed on the chain, and an API of halts and factors after the token's own word. */
export const REGISTRY: Registry = parseRegistry({
  ...STATE_REGISTRY,
  assets: STATE_REGISTRY.assets.map((asset) =>
    asset.assetKey === DOLLAR_KEY
      ? asset
      : {
          ...asset,
          priceSources: [
            ...asset.priceSources,
            { provider: "chainlink", kind: "live", symbol: "ACME / USD", address: FEED, decimals: 8 },
          ],
          tokenSources: [...asset.tokenSources, { source: "xstocks", symbol: "ACMEx" }],
        },
  ),
});

export const SAMPLES: SampleBatch = {
  schema: "assay.samples/1",
  assetKey: STOCK_KEY,
  samples: [12, 9, 31].map((bps, index) => ({
    sampledAt: NOW - 3_600 + index,
    source: "test",
    impact1kBps: String(bps),
    impact10kBps: String(bps + 10),
  })),
};

/** What evidence says of a batch of samples. */
export const liquidityOf = (batch: SampleBatch) => ({
  ...liquidityOfSamples(batch),
  samplesRoot: samplesRoot(batch),
});

/** A price that a contract states at the evidence's block. */
export const priceOnChain = (address = FEED, change: Partial<Facts["references"][number]> = {}) =>
  reading({
    provider: "chainlink",
    symbol: "ACME / USD",
    confidence: null,
    onChain: { address, feedId: null, roundId: "7" },
    ...change,
  });

export const failed = (source: string, change: Partial<SourceFailure> = {}): SourceFailure => ({
  asset: "stock",
  source,
  subject: "price",
  reason: "unreachable",
  at: NOW - 1,
  rawHash: null,
  ...change,
});

const ONE = 10n ** 18n;
const IN_A_DAY = NOW + 86_400;
/** Tries with nodes of every kind, and a token that is to be split ten to one. */
const proved: ProvedFacts = await provedFacts({
  extensions: true,
  token: {
    facts: token("1.25", { value: "12.5", effectiveAt: IN_A_DAY }),
    words: [(ONE * 5n) / 4n, (ONE * 25n) / 2n, BigInt(IN_A_DAY)],
  },
});
/** The block of the proofs. */
export const BLOCK = proved.made;

/** What the answer differs in from the honest one. Whatever follows from it is right: each hash, signature and log entry. */
export interface Changes {
  /**
   * What the service knows. `proved`: each source answered, and proofs lead to guard, pool and factor. `observed`: the
   * same of a node that gives no proofs, so that the quoter said the quote. `little`: neither prices nor quote nor
   * anything of the token, which makes a small report and a denial.
   */
  readonly knows?: "proved" | "observed" | "little";
  readonly policy?: Policy;
  readonly side?: Side;
  /** The same judgement at another time, or on another chain. */
  readonly at?: UnixSeconds;
  readonly chainId?: number;
  /** Before the figures are made. */
  readonly facts?: Bend;
  readonly intent?: Bend;
  /** Before the facts name the proofs by their hash. */
  readonly proofs?: Bend;
  /** Before it is judged. */
  readonly evidence?: Bend;
  /** Of who signs the certificate. */
  readonly key?: string;
  /** The log's entry: none, or in the log of somebody else. */
  readonly log?: "none" | ReturnType<typeof developmentLogSigner>;
  /** Without the execution that a denied report never has. */
  readonly unsigned?: boolean;
}

/** Changes what it is given. */
export type Bend = (value: any) => unknown;

export const FORGERS_KEY = id("a forger's own key");
export const FORGER = signerFromPrivateKey(FORGERS_KEY, DOMAIN).address;

let honest: Promise<any> | null = null;

/** The answer of prepare-execution, as JSON brings it. */
export async function answerOf(changes?: Changes): Promise<any> {
  if (changes !== undefined) return answered(changes);
  honest ??= answered({});
  return copy(await honest);
}

async function answered(changes: Changes): Promise<any> {
  const report = reportOf(changes);
  const { log = developmentLogSigner(), policy, key, unsigned = false } = changes;
  const issued = log === "none" ? report : logged(report, { by: log, cosigned: true });
  if (report.decision === "DENY" || unsigned)
    return copy({ jobId: report.jobId, reportVersion: report.version, report: issued, execution: null });
  const document = await prepared(report, policy ?? policyById("STRICT_LIVE"), key ?? PRIVATE_KEY);
  return copy({ ...document, report: issued });
}

/** A job as the service answers it, around the honest report and its execution. */
export async function jobOf(): Promise<any> {
  const { report, execution } = await answerOf();
  const { evidenceHash, createdAt } = report;
  const confirmed = {
    blockNumber: 4_203,
    blockHash: id("block 4203"),
    confirmations: 3,
    gasUsed: "150000",
    amountInRaw: "1000000000",
    amountOutRaw: "3990000000000000000",
    evidenceHash,
    at: "2026-09-21T14:14:00.000Z",
  };
  return copy({
    jobId: report.jobId,
    clientRequestId: "order-1",
    createdAt: "2026-09-21T14:00:00.000Z",
    expiresAt: "2026-09-22T14:00:00.000Z",
    intent: report.evidence.intent,
    payment: { phase: "paid", state: "settled", transaction: id("payment") },
    entitlement: { granted: true, reason: "paid" },
    reports: [
      { version: 1, kind: "initial", decision: "ALLOW", evidenceHash: id("version 1"), createdAt },
      { version: 2, kind: "prepare", decision: "ALLOW", evidenceHash, createdAt },
    ],
    report,
    execution,
    executions: [
      {
        executionId: "exe_1",
        transactionHash: id("transaction"),
        reportVersion: 2,
        state: "confirmed",
        confirmed,
        submittedAt: "2026-09-21T14:13:40.000Z",
      },
    ],
    // As beside a trade that the client carried out.
    confirmed,
    receipt: null,
  });
}

function reportOf(changes: Changes): Report {
  const { knows = "proved", policy = policyById("STRICT_LIVE"), side = "buy", evidence: bend } = changes;
  const plain = judgement({ registry: REGISTRY, policy, side, facts: factsOf(knows, side) });
  const given = elsewhere(plain, changes);
  changes.facts?.(given.facts);
  changes.intent?.(given.intent);
  const proofs = knows === "proved" ? provedBy(given.facts, changes.proofs) : null;
  const report = reportOn({ ...given, proofs });
  if (bend === undefined) return report;
  const evidence = copy(report.evidence);
  bend(evidence);
  try {
    const judged = evaluate(policy, evidence);
    return proofs === null ? judged : { ...judged, proofs };
  } catch {
    // What cannot even be judged is hashed alone, and signed by nobody.
    return { ...report, decision: "DENY", evidence, evidenceHash: canonicalHash(evidence) };
  }
}

function factsOf(knows: "proved" | "observed" | "little", side: Side): Facts {
  if (knows === "little") {
    const nothing = { references: [], settlement: [], token: UNKNOWN_TOKEN, liquidity: null, quote: null };
    return facts(nothing, side);
  }
  const given = structuredClone(proved.facts);
  given.references.push(priceOnChain());
  const byApi = { ...token().halts[0]!, provider: "xstocks", address: null, blockNumber: null };
  given.token.halts.push(byApi);
  const known = { ...given, liquidity: liquidityOf(SAMPLES) };
  if (knows === "proved") return known;
  return { ...known, proofs: null, quote: quote(side), token: { ...given.token, layout: null } };
}

const TIMES = ["capturedAt", "blockTimestamp", "publishedAt", "receivedAt", "updatedAt"];

/** The judgement with each time and chain replaced, wherever they stand. */
function elsewhere<T extends Judgement>(given: T, { at = NOW, chainId = CHAIN_ID }: Changes): T {
  const text = JSON.stringify(onChain(chainId, given));
  const moved = JSON.parse(text, (name, member) => (TIMES.includes(name) ? member + at - NOW : member));
  // The local world's keys sign nothing for another chain.
  if (chainId !== CHAIN_ID)
    for (const reading of moved.facts.references) Object.assign(reading, { proof: null, signer: null });
  return moved;
}

/** The same of another chain. */
export function onChain<T>(chainId: number, value: T): T {
  const text = JSON.stringify(value)
    .replaceAll(`eip155:${CHAIN_ID}:`, `eip155:${chainId}:`)
    .replaceAll(`"chainId":${CHAIN_ID}`, `"chainId":${chainId}`);
  return JSON.parse(text);
}

/** The proofs, by whose hash the facts name them. */
function provedBy(given: Facts, bend: Bend = () => {}): Proofs {
  const proofs = copy(proved.proofs);
  bend(proofs);
  given.proofs = { format: "assay.proofs/1", hash: canonicalHash(proofs) };
  return proofs;
}
