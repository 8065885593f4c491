/**
 * A judgement: gather the facts, attest them as evidence, evaluate the evidence. A new job, an execution that is prepared,
 * and a one-shot verification are all judged here.
 */
import { createKeccak } from "hash-wasm";
import { attest, tradeOf } from "../../attestor/attest.ts";
import type { Facts, LiquidityFacts } from "../../attestor/evidence/facts.ts";
import { toHex } from "../../attestor/evm/hash.ts";
import type { Intent } from "../../attestor/intent.ts";
import { SALT_LENGTH } from "../../attestor/log/entry.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import type { Proofs } from "../../attestor/proofs/stateProofs.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import type { TextHash } from "../../attestor/values/canonical.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { liquidityScores } from "../../market/queries.ts";
import { createSampleRoots } from "../../market/series/impacts.ts";
import { type JobDeps, seconds } from "./deps.ts";

/** Everything that the checks may look at, and when it was there. */
export interface GatheredFacts {
  readonly facts: Facts;
  /** What `facts.proofs` names. */
  readonly proofs: Proofs | null;
  readonly capturedAt: UnixSeconds;
}

/**
 * Everything that the checks may look at, now.
 * @throws UpstreamUnavailable
 */
export async function gather(deps: JobDeps, intent: Intent): Promise<GatheredFacts> {
  const now = seconds(deps);
  const { stockAssetKey } = tradeOf(intent, deps.chain.deployment.registry);
  const [{ facts, proofs }, liquidity] = await Promise.all([
    deps.chain.facts(intent, now),
    deps.liquidityOf(stockAssetKey, now),
  ]);
  // The moment of judgement is when the facts are there: reading them takes time too.
  return { facts: { ...facts, liquidity }, proofs, capturedAt: seconds(deps) };
}

/** The report of a version of a job, with the salt that its entry in the decision log is made with. */
export function judge(
  deps: JobDeps,
  { id: jobId, intent }: { readonly id: string; readonly intent: Intent },
  policy: Policy,
  { facts, proofs, capturedAt }: GatheredFacts,
  reportVersion: number,
): Report {
  const { registry } = deps.chain.deployment;
  const evidence = attest({ jobId, reportVersion, capturedAt, intent, policy, registry, facts });
  const report = evaluate(policy, evidence, deps.hashText);
  const log = { salt: toHex(deps.random(SALT_LENGTH)), proof: null };
  return { ...report, ...(proofs && { proofs }), log };
}

/** @returns the liquidity of a stock as the collector stored it, at a time in unix seconds; it throws DatabaseUnavailable */
export function createStoredLiquidity(db: Database) {
  const samplesRootOf = createSampleRoots(db);
  return async (assetKey: string, now: UnixSeconds): Promise<LiquidityFacts | null> => {
    const [score] = await liquidityScores(db, [assetKey], now);
    if (score === undefined || score.source === null) return null;
    const { assetKey: _, source, updatedAt, ...figures } = score;
    if (updatedAt === null) return { source, updatedAt, ...figures, samplesRoot: null };
    const liquidity = { source, updatedAt, ...figures };
    return { ...liquidity, samplesRoot: await samplesRootOf(assetKey, liquidity) };
  };
}

/** keccak256 in WebAssembly: some eight times as fast as in JavaScript. */
export async function openTextHash(): Promise<TextHash> {
  // One state for all who ask: nothing else runs between its first step and its last.
  const keccak = await createKeccak(256);
  return (text) => `0x${keccak.init().update(text).digest("hex")}`;
}
