/**
 * A service that is honest unless it is bent, and has every key but those of the publishers and of the chain; and a reader
 * with every option, for whom its honest answer is VALID also under `strict`.
 */
import { id } from "ethers";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import type { Facts, SourceFailure } from "../../../attestor/evidence/facts.ts";
import { liquidityOfSamples, type SampleBatch, samplesRoot } from "../../../attestor/evidence/samples.ts";
import { vkeyText } from "../../../attestor/log/note.ts";
import { type Policy, policyById } from "../../../attestor/policies/policy.ts";
import type { Proofs } from "../../../attestor/proofs/stateProofs.ts";
import { parseRegistry, type Registry } from "../../../attestor/registry.ts";
import { evaluate, type Report } from "../../../attestor/report.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import type { ChainFindings, Reader } from "../../../attestor/verify/trust.ts";
import {
  addressFor,
  CHAIN_ID,
  copy,
  DOLLAR_KEY,
  DOMAIN,
  GUARD,
  judgement,
  NOW,
  PRIVATE_KEY,
  prepared,
  quote,
  reading,
  reportOn,
  SIGNER,
  STOCK_KEY,
  TRUST,
  token,
} from "../../../test/attestor/fixtures.ts";
import { type ProvedFacts, provedFacts, STATE_REGISTRY } from "../../../test/attestor/proofs/state.ts";
import { LOG_KEY, logged, WITNESS } from "../../../test/support/logged.ts";
import { readerOf, type Trust, type TrustedRecord } from "../trust.ts";

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
const made: ProvedFacts = await provedFacts({
  extensions: true,
  token: {
    facts: token("1.25", { value: "12.5", effectiveAt: IN_A_DAY }),
    words: [(ONE * 5n) / 4n, (ONE * 25n) / 2n, BigInt(IN_A_DAY)],
  },
});
export const STATE_ROOT = made.made.root;

/** Every source answered, and proofs lead to guard, pool and factor. */
function everyFact(): Facts {
  const given = structuredClone(made.facts);
  const byApi = { ...token().halts[0]!, provider: "xstocks", address: null, blockNumber: null };
  given.references.push(priceOnChain());
  given.token.halts.push(byApi);
  return { ...given, liquidity: liquidityOf(SAMPLES) };
}

/** The same of a node that gives no proofs: the route's quoter said the quote. */
function observedFacts(): Facts {
  const given = everyFact();
  return { ...given, proofs: null, quote: quote("buy"), token: { ...given.token, layout: null } };
}

/** What is bent, and when; whatever comes after is made anew, with every hash and signature right. */
export interface Lies {
  /** Without proofs of the state. */
  readonly observed?: boolean;
  readonly policy?: Policy;
  readonly intent?: (intent: any) => void;
  /** Before the figures are made. */
  readonly facts?: (facts: any) => void;
  /** Before they are named by their hash. */
  readonly proofs?: (proofs: any) => void;
  /** Before it is judged. */
  readonly evidence?: (evidence: any) => void;
  /** Of who signs the certificate. */
  readonly key?: string;
  /** The log's entry: none, or in the log of somebody else. */
  readonly log?: "none" | ReturnType<typeof developmentLogSigner>;
  /** Without the execution that a denied report never has. */
  readonly unsigned?: boolean;
}

/** How a document is made: what the service bends in its answer, or all of it. */
export type Maker = Lies | (() => Promise<unknown>);

export const FORGERS_KEY = id("a forger's own key");
export const FORGER = signerFromPrivateKey(FORGERS_KEY, DOMAIN).address;

let honest: Promise<any> | null = null;

/** The answer of prepare-execution, as JSON brings it. */
export async function answerOf(lies?: Lies): Promise<any> {
  if (lies !== undefined) return answered(lies);
  honest ??= answered({});
  return copy(await honest);
}

async function answered(lies: Lies): Promise<any> {
  const report = reportOf(lies);
  const { log = developmentLogSigner(), policy, key, unsigned = false } = lies;
  const issued = log === "none" ? report : logged(report, { by: log, cosigned: true });
  if (report.decision === "DENY" || unsigned)
    return copy({ jobId: report.jobId, reportVersion: report.version, report: issued, execution: null });
  const document = await prepared(report, policy ?? policyById("STRICT_LIVE"), key ?? PRIVATE_KEY);
  return copy({ ...document, report: issued });
}

function reportOf({ observed = false, policy = policyById("STRICT_LIVE"), ...bends }: Lies): Report {
  const facts = observed ? observedFacts() : everyFact();
  bends.facts?.(facts);
  const given = judgement({ registry: REGISTRY, policy, facts });
  const intent = { ...given.intent };
  bends.intent?.(intent);
  const proofs = observed ? null : provedBy(facts, bends.proofs);
  const report = reportOn({ ...given, intent, proofs });
  if (bends.evidence === undefined) return report;
  const evidence = copy(report.evidence);
  bends.evidence(evidence);
  try {
    const judged = evaluate(policy, evidence);
    return proofs === null ? judged : { ...judged, proofs };
  } catch {
    // What cannot even be judged is hashed alone, and signed by nobody.
    return { ...report, decision: "DENY", evidence, evidenceHash: canonicalHash(evidence) };
  }
}

/** The proofs, by whose hash the facts name them. */
function provedBy(facts: Facts, bend: (proofs: any) => void = () => {}): Proofs {
  const proofs = copy(made.proofs);
  bend(proofs);
  facts.proofs = { format: "assay.proofs/1", hash: canonicalHash(proofs) };
  return proofs;
}

/** What the reader's program knows of the guard by itself. */
export const RECORD: TrustedRecord = {
  chainId: CHAIN_ID,
  address: GUARD,
  record: "deployments/31337.json",
  keys: [{ address: SIGNER.address, endedAt: null }],
  logKeys: [vkeyText(LOG_KEY)],
};

/** What a node says to an honest document. */
export const CHAIN: ChainFindings = {
  faults: [],
  trusted: [],
  hasBlock: true,
  standing: { kind: "current" },
  executed: null,
};

/** Of a reader with every option. */
export const EVERYTHING: Trust = {
  ...TRUST,
  records: [RECORD],
  logKeys: [vkeyText(LOG_KEY)],
  witnessKeys: [vkeyText(WITNESS)],
  registry: REGISTRY,
  header: made.made.header,
  samples: SAMPLES,
  chain: CHAIN,
};
export const READER: Reader = readerOf(EVERYTHING);
