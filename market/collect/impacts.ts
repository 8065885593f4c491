/** Price impact of each asset. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../queries.ts";
import { inUsd } from "../rules/dollar.ts";
import { impactSample, tooGood } from "../rules/impacts.ts";
import { blankReason, LEAST_ZEROS } from "../rules/zeros.ts";
import { recordImpacts } from "../series/impacts.ts";
import type { ImpactState } from "../statement.ts";
import { noteStated, rejectChain } from "./exclusions.ts";
import { IMPACT_COUNTS_SECONDS, recentImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

/** Assets of a chain that are measured at once: more would keep prices waiting for their turn. */
const CONCURRENCY = 2;

interface Measured {
  readonly impact: ImpactState;
  readonly sampledAt: UnixSeconds;
}

export const collectImpacts: Step = async (round) => {
  if (!round.market.states("impact")) return NOTHING;
  let done = 0;
  const onRecorded = () => round.progress(++done);
  // Chains have venues of their own: the slow ones of one do not hold up the other.
  const chains = Map.groupBy(await inOrder(round), ({ chain }) => chain);
  await Promise.all([...chains].map(([chain, assets]) => measureChain(round, chain, assets, onRecorded)));
  return done;
};

/** What says nothing by itself waits for a figure of the same source that says something. */
async function measureChain(
  round: Round,
  chain: string,
  assets: readonly MarketAsset[],
  onRecorded: () => void,
): Promise<void> {
  const waiting = new Map<string, Measured[]>();
  const believed = new Set<string>();
  const record = async (source: string) => {
    const measured = waiting.get(source) ?? [];
    waiting.delete(source);
    for (const { impact, sampledAt } of measured)
      if (await recordImpact(round, impact, sampledAt)) onRecorded();
  };
  await eachAtOnce(assets, round.concurrency ?? CONCURRENCY, async (asset) => {
    if (round.signal?.aborted) return;
    try {
      const sampledAt = seconds(round);
      for (const impact of await round.ask("impact", [asset])) {
        const { source } = impact;
        waiting.set(source, [...(waiting.get(source) ?? []), { impact, sampledAt }]);
        if (blankReason(impact) === null) believed.add(source);
        if (believed.has(source)) await record(source);
      }
    } catch (error) {
      round.fail(asset.assetKey, error);
    }
  });
  // Of a round that ended early, others may still have said something.
  if (round.signal?.aborted) return;
  for (const [source, measured] of waiting) {
    const [{ impact }] = measured as [Measured];
    const reason = blankReason(impact) ?? "";
    const tokens = measured.map((one) => one.impact.subject);
    if (tokens.length < LEAST_ZEROS) await record(source);
    else await rejectChain(round, { kind: "impact", chain, source, reason, tokens });
  }
}

/** @returns whether it counts */
async function recordImpact(round: Round, impact: ImpactState, sampledAt: number): Promise<boolean> {
  const { memory, db } = round;
  const { subject, tinyPrice, paidIn, impact1kBps } = impact;
  noteStated(round, [impact]);
  const price = memory.prices.get(subject);
  const isRecent = price !== undefined && seconds(round) - price.at <= IMPACT_COUNTS_SECONDS;
  const session = round.sessionAt(sampledAt);
  const reason = tooGood(
    impact,
    tinyPrice === null ? null : inUsd(tinyPrice, paidIn, memory.dollar),
    isRecent ? price.tokenPriceUsd : null,
    session,
  );
  if (reason !== null) {
    await round.reject([{ kind: "impact", subject, reason, sample: impact }]);
    return false;
  }
  await recordImpacts(db, [impactSample(impact, sampledAt, session)], seconds(round));
  (await recentImpacts(round)).set(subject, { at: sampledAt, impact1kBps });
  return true;
}

/** So many at a time, in order of the list. */
async function eachAtOnce<T>(
  list: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = list.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker));
}
