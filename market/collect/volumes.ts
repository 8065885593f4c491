/** Volume and liquidity of each token: measured, or of its pools. */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { liquidityByPool, type VolumeBefore, volumeOf } from "../rules/volumes.ts";
import { withoutZeros, ZERO_EVERYWHERE, type Zeroed } from "../rules/zeros.ts";
import { chunksOf, DAY_SECONDS, HOUR_SECONDS } from "../series/hours.ts";
import type { Rejection } from "../series/rejected.ts";
import { dayOf, newestVolumes, recordVolumes, type VolumeSample } from "../series/totals.ts";
import type { VolumeState } from "../statement.ts";
import { noteStated, rejectChain } from "./exclusions.ts";
import { noteFigures } from "./figures.ts";
import { measuredImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import { TOKENS_AT_ONCE } from "./premiums.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

/** A token that had a sample in these days is one of those that totals are made of. */
const EXPECTED_DAYS = 7;

export const collectVolumes: Step = async (round) => {
  const { market, assets, db } = round;
  if (!market.states("volume") && !market.states("pool")) return NOTHING;
  const measured = await round.ask("volume", assets);
  const summed = market.states("pool") ? await volumesOfPools(round, measured) : [];
  const samples = [...measured.map((state) => sampleOf(round, state)), ...summed];
  const { stored, rejected } = await recordVolumes(db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

type Stated = Pick<VolumeState, "subject" | "source" | "figure" | "liquidityUsd" | "at">;

function sampleOf(round: Round, { subject, source, figure, liquidityUsd, at }: Stated): VolumeSample {
  const sampledAt = at ?? seconds(round);
  return {
    assetKey: subject,
    sampledAt,
    source,
    session: round.sessionAt(sampledAt),
    volume24hUsd: figure,
    liquidityUsd,
    halted: round.memory.halted?.has(subject) === true,
  };
}

async function volumesOfPools(round: Round, measured: readonly VolumeState[]): Promise<VolumeSample[]> {
  const { memory } = round;
  const { pools, zeroed } = await believedPools(round, measured);
  const lost = await lostTokens(round, zeroed);
  const now = seconds(round);
  const beforeOf = await whatWasBefore(round, now);
  const samples: VolumeSample[] = [];
  const rejections: Rejection[] = [];
  for (const [assetKey, rows] of Map.groupBy(pools, ({ subject }) => subject)) {
    const before = beforeOf(assetKey);
    const { state, counts, counted, rejections: volumeRejections } = volumeOf(assetKey, rows, before, now);
    rejections.push(...volumeRejections);
    const source = lost.get(assetKey);
    if (source !== undefined && (state?.figure == null || state.liquidityUsd === null)) {
      const liquidityUsd = counts ? (state?.liquidityUsd ?? null) : null;
      const unknown = { subject: assetKey, source, figure: null, liquidityUsd, at: now };
      samples.push({ ...sampleOf(round, unknown), state: "disputed" });
      continue;
    }
    if (state === null) continue;
    noteStated(round, [state]);
    if (!counts) continue;
    samples.push(sampleOf(round, state));
    const { last } = before;
    const isOld = last === undefined || now - last.sampledAt >= HOUR_SECONDS;
    const { figure: volume24hUsd, liquidityUsd } = state;
    memory.volumes.set(assetKey, isOld ? { volume24hUsd, liquidityUsd, sampledAt: now } : last);
    memory.pools.set(assetKey, { at: now, liquidityUsd: liquidityByPool(counted) });
  }
  await round.reject(rejections);
  return samples;
}

/** Those of all tokens, without figures that a source has at zero for a whole chain. */
async function believedPools(round: Round, measured: readonly VolumeState[]) {
  const chains = new Map<string, string>(round.assets.map(({ assetKey, chain }) => [assetKey, chain]));
  for (const some of chunksOf(await inOrder(round), TOKENS_AT_ONCE)) await round.pools(some);
  const listed = [...(await round.pools([])).values()].flat().filter(({ subject }) => chains.has(subject));
  return withoutZeros(listed, measured, (assetKey) => chains.get(assetKey) ?? "");
}

/** Tokens that totals are made of and whose volume or liquidity a source has at zero, with that source. */
async function lostTokens(round: Round, zeroed: readonly Zeroed[]): Promise<Map<string, string>> {
  for (const one of zeroed) await rejectChain(round, { ...one, kind: "volume", reason: ZERO_EVERYWHERE });
  const unknown = zeroed.filter(({ figure }) => figure !== "trades24h");
  const stateOf = (chain: string) => (unknown.some((one) => one.chain === chain) ? "disputed" : "counts");
  const chains = [...new Set(round.assets.map(({ chain }) => chain))];
  await noteFigures(
    round,
    chains.map((chain) => ({ kind: "volume", subject: chain, state: stateOf(chain) })),
  );
  const expected = unknown.length > 0 ? await expectedTokens(round) : new Set();
  const sources = unknown.flatMap(({ source, tokens }) => tokens.map((token) => [token, source] as const));
  return new Map(sources.filter(([token]) => expected.has(token)));
}

async function expectedTokens(round: Round): Promise<ReadonlySet<string>> {
  const rows = await round.db
    .selectFrom("volume_days")
    .select("asset_key")
    .distinct()
    .where("day", ">=", dayOf(seconds(round) - EXPECTED_DAYS * DAY_SECONDS))
    .execute();
  return new Set(rows.map(({ asset_key }) => asset_key));
}

async function whatWasBefore(round: Round, now: UnixSeconds): Promise<(assetKey: string) => VolumeBefore> {
  const measured = await measuredImpacts(round);
  const tape = await newestVolumes(round.db, now);
  return (assetKey) => ({
    measured: measured.get(assetKey) ?? null,
    last: round.memory.volumes.get(assetKey) ?? tape.get(assetKey),
    pools: round.memory.pools.get(assetKey),
  });
}
