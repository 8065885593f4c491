/** The steps of a round beside the premiums: each asks, has its statements judged, and records what comes of them. */
import { CADENCE_SECONDS, sessionFactor } from "../bounds.ts";
import type { MarketAsset } from "../queries.ts";
import { announcedWith, announcementOf } from "../rules/actions.ts";
import { basisSamples, isOldPerp } from "../rules/bases.ts";
import { inUsd } from "../rules/dollar.ts";
import { fresh } from "../rules/fresh.ts";
import { impactSample, tooGood } from "../rules/impacts.ts";
import { ANY_LIST, type Halts, listingStates, migrations } from "../rules/listings.ts";
import { plausible } from "../rules/plausible.ts";
import { volumeOf } from "../rules/volumes.ts";
import { fundingTape, recordBases } from "../series/basis.ts";
import { chunksOf, HOUR_SECONDS } from "../series/buckets.ts";
import { recordActions } from "../series/corporateActions.ts";
import type { Rejection } from "../series/rejected.ts";
import { recordImpactSamples } from "../series/samples.ts";
import { newestVolumes, recordVolumes } from "../series/totals.ts";
import type { ImpactState, PerpState, PoolState, VolumeState } from "../statement.ts";
import { eachAtOnce } from "./eachAtOnce.ts";
import { noteStated } from "./exclusions.ts";
import { noteFigures } from "./figures.ts";
import { IMPACT_COUNTS_SECONDS, measuredImpacts, recentImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import { TOKENS_AT_ONCE } from "./premiums.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

/** Which tokens are halted, and which have moved or are gone. */
export const readListings: Step = async (round) => {
  const { memory, market, assets } = round;
  memory.halted ??= await haltedBefore(round);
  memory.listed = [];
  if (!market.states("listing")) return NOTHING;
  memory.listed = await round.ask("listing", assets);
  const { halted, states } = listingStates(memory.listed, memory.halted);
  memory.halted = halted;
  await noteFigures(
    round,
    [...states].map(([subject, state]) => ({ kind: "listing", subject, state })),
  );
  return states.size;
};

/** A restart lifts no halt. */
async function haltedBefore({ db }: Round): Promise<Halts> {
  const rows = await db
    .selectFrom("market_figures")
    .select("subject")
    .where("kind", "=", "listing")
    .where("state", "=", "halted")
    .execute();
  return new Map(rows.map(({ subject }) => [subject, ANY_LIST]));
}

/** Announced changes of tokens' shares, and tokens that their issuer's list has elsewhere. */
export const collectActions: Step = async (round) => {
  const { memory, assets, db } = round;
  const now = seconds(round);
  const addresses = new Map(assets.map(({ assetKey, address }) => [assetKey, address]));
  const actions = [
    ...(await round.ask("action", assets)),
    ...announcedWith(memory.announced, now),
    ...migrations(memory.listed, addresses),
  ];
  return recordActions(db, actions.map(announcementOf), now);
};

/** Basis of each stock's perpetual at each venue, with its funding. */
export const collectBases: Step = async (round) => {
  const { market, memory, assets, db } = round;
  if (!market.states("perp")) return NOTHING;
  const references = await round.references();
  const stated = await round.ask("perp", assets);
  noteStated(round, stated);
  const at = seconds(round);
  const session = round.sessionAt(at);
  const sound = await round.kept(plausible(stated, memory.judge, at));
  const old = sound.filter((perp) => isOldPerp(perp, at));
  await round.reject(
    old.map((perp) => ({ kind: "perp", subject: perp.subject, reason: "stale", sample: perp })),
  );
  const running = await round.kept(
    fresh(
      sound.filter((perp) => !old.includes(perp)),
      memory.unchanged,
      at,
      ({ figure, oracleUsd, fundingRate }: PerpState) => ({
        figure: JSON.stringify([figure, oracleUsd, fundingRate]),
        seconds: CADENCE_SECONDS.perp * sessionFactor(session),
      }),
    ),
  );
  const halted = new Set(
    assets.filter(({ assetKey }) => memory.halted?.has(assetKey)).map(({ underlying }) => underlying),
  );
  const tape = await fundingTape(db, at);
  const { samples, rejections } = basisSamples(running, { at, session, references, tape, halted });
  await round.reject(rejections);
  await noteFigures(
    round,
    samples.flatMap(({ source, underlying, state }) =>
      state == null ? [] : [{ kind: "basis", subject: `${source}/${underlying}`, state }],
    ),
  );
  const { stored, rejected } = await recordBases(db, samples, at);
  round.countRejected(rejected.length);
  return stored;
};

/** Volume and liquidity of each token: measured, or of its pools. */
export const collectVolumes: Step = async (round) => {
  const { market, memory, assets, db } = round;
  if (!market.states("volume") && !market.states("pool")) return NOTHING;
  const states = [...(await round.ask("volume", assets)), ...(await volumesOfPools(round))];
  const now = seconds(round);
  const samples = states.map(({ subject, source, figure, liquidityUsd, at }) => ({
    assetKey: subject,
    sampledAt: at ?? now,
    source,
    session: round.sessionAt(at ?? now),
    volume24hUsd: figure,
    liquidityUsd,
    halted: memory.halted?.has(subject) === true,
  }));
  const { stored, rejected } = await recordVolumes(db, samples, now);
  round.countRejected(rejected.length);
  return stored;
};

async function volumesOfPools(round: Round): Promise<VolumeState[]> {
  const { memory, assets, db } = round;
  const own = new Set(assets.map(({ assetKey }) => assetKey));
  for (const some of chunksOf(await inOrder(round), TOKENS_AT_ONCE)) await round.pools(some);
  const pools = await round.pools([]);
  const measured = await measuredImpacts(round);
  const now = seconds(round);
  const tape = await newestVolumes(db, now);
  const states: VolumeState[] = [];
  const rejections: Rejection[] = [];
  for (const [assetKey, rows] of pools) {
    if (!own.has(assetKey)) continue;
    const last = memory.volumes.get(assetKey) ?? tape.get(assetKey);
    const before = { measured: measured.get(assetKey) ?? null, last, pools: memory.pools.get(assetKey) };
    const found = volumeOf(assetKey, rows, before, now);
    rejections.push(...found.rejections);
    const { state } = found;
    if (state === null) continue;
    noteStated(round, [state]);
    if (!found.counts) continue;
    states.push(state);
    const isOld = last === undefined || now - last.sampledAt >= HOUR_SECONDS;
    const { figure: volume24hUsd, liquidityUsd } = state;
    memory.volumes.set(assetKey, isOld ? { volume24hUsd, liquidityUsd, sampledAt: now } : last);
    memory.pools.set(assetKey, { at: now, liquidityUsd: liquidityByPool(found.counted) });
  }
  await round.reject(rejections);
  return states;
}

const liquidityByPool = (pools: readonly PoolState[]) =>
  new Map(pools.map(({ pool, liquidityUsd }) => [pool, liquidityUsd ?? "0"]));

/** Assets of a chain that are measured at once: more would keep prices waiting for their turn. */
const CONCURRENCY = 2;

/** Price impact of each asset. */
export const collectImpacts: Step = async (round) => {
  if (!round.market.states("impact")) return NOTHING;
  let done = 0;
  const measure = async (asset: MarketAsset) => {
    if (round.signal?.aborted) return;
    try {
      const sampledAt = seconds(round);
      for (const impact of await round.ask("impact", [asset]))
        if (await recordImpact(round, impact, sampledAt)) round.progress(++done);
    } catch (error) {
      round.fail(asset.assetKey, error);
    }
  };
  // Chains have venues of their own: the slow ones of one do not hold up the other.
  const chains = Map.groupBy(await inOrder(round), ({ chain }) => chain);
  await Promise.all(
    [...chains.values()].map((assets) => eachAtOnce(assets, round.concurrency ?? CONCURRENCY, measure)),
  );
  return done;
};

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
  await recordImpactSamples(db, [impactSample(impact, sampledAt, session)]);
  (await recentImpacts(round)).set(subject, { at: sampledAt, impact1kBps });
  return true;
}

/** What is asked one subject at a time serves the next round: no premium waits for it. */
export const askAfterwards: Step = async (round) => {
  await round.references();
  await round.noted(await round.market.afterwards());
  return NOTHING;
};
