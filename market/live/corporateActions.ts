/** What issuers, mints and contracts say of tokens' shares to come. */
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import { factorAt, sharesPerUnit } from "../../attestor/shares.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { changeOf, type Word } from "../collect/actionRules.ts";
import { eachAtOnce } from "../collect/eachAtOnce.ts";
import type { Failure, Findings } from "../collect/sources.ts";
import { SOLANA } from "../providers/solana.ts";
import { XSTOCKS } from "../providers/xstocks.ts";
import type { MarketAsset } from "../queries.ts";
import { askedOf, type LiveAsset } from "./assets.ts";
import { gathered } from "./findings.ts";
import type { Upstreams } from "./upstreams.ts";

const READS_AT_ONCE = 8;

/** @param wanted of the listed tokens */
export async function actionsOf(
  upstreams: Upstreams,
  wanted: readonly MarketAsset[],
): Promise<Findings<Word>> {
  const asked = askedOf(upstreams, wanted);
  const scaled = asked.filter(({ shares }) => shares === "multiplier");
  const { schedules, mints, chainFacts } = upstreams;
  const at = Math.floor(upstreams.now() / 1_000);
  const keys = new Set(scaled.map(({ assetKey }) => assetKey));
  const stated = async (): Promise<Findings<Word>> => ({
    rows: schedules
      .stated()
      .filter(({ assetKey }) => keys.has(assetKey))
      .map(({ assetKey, schedule: { rawHash, reason, ...schedule } }) => {
        const said = { assetKey, source: XSTOCKS.name, rawHash };
        return { ...said, ...scheduled(schedule, at), kind: reason };
      }),
  });
  const onMints = async (): Promise<Findings<Word>> => {
    const byMint = new Map((await mints()).rows.map((row) => [row.mint, row]));
    return {
      rows: scaled.flatMap(({ assetKey, address }) => {
        const { schedule, rawHash } = byMint.get(address) ?? {};
        if (schedule === undefined || rawHash === undefined) return [];
        return [{ assetKey, source: SOLANA.name, rawHash, ...scheduled(schedule, at), kind: null }];
      }),
    };
  };
  return gathered<Word>([
    ...(scaled.length === 0
      ? []
      : ([
          [XSTOCKS.name, stated],
          [SOLANA.name, onMints],
        ] as const)),
    ...(chainFacts ? [["chain", () => onChain(chainFacts, asked, at)] as const] : []),
  ]);
}

type Schedule = Parameters<typeof factorAt<string>>[0];

const scheduled = (schedule: Schedule, at: UnixSeconds) => ({
  value: factorAt(schedule, at),
  change: changeOf(schedule, at),
});

/** Of those that have contracts which say it. Of tokens whose units are shares already, no contract's factor is one. */
async function onChain(
  chainFacts: NonNullable<Upstreams["chainFacts"]>,
  asked: readonly LiveAsset[],
  at: UnixSeconds,
): Promise<Findings<Word>> {
  const rows: Word[] = [];
  const failures: Failure[] = [];
  const converted = asked.filter(({ shares }) => shares !== "rebasing");
  await eachAtOnce(converted, READS_AT_ONCE, async ({ assetKey }) => {
    try {
      rows.push(...wordsOf(assetKey, "chain", await chainFacts(assetKey, at), at));
    } catch (error) {
      failures.push({ subject: assetKey, error });
    }
  });
  return { rows, failures };
}

/**
 * What a token's contracts say, as a word; none where they state no factor.
 * @param at unix seconds, at which they were asked
 */
export function wordsOf(assetKey: string, source: string, facts: TokenFacts | null, at: UnixSeconds): Word[] {
  const value = sharesPerUnit("scaled", "raw", facts?.factor?.value ?? null);
  if (facts?.factor == null || value === null) return [];
  const { factor, announcement } = facts;
  const said = { assetKey, source, value, kind: null };
  if (announcement === null) return [{ ...said, change: undefined, rawHash: factor.rawHash }];
  const { change, rawHash } = announcement;
  if (change === null) return [{ ...said, change: null, rawHash: factor.rawHash }];
  // The next second stands for a change without a time.
  const effectiveAt = change.effectiveAt === at + 1 ? null : change.effectiveAt;
  // The factor is that of now: what it was before a change that was made, it does not say.
  const current = effectiveAt !== null && effectiveAt <= at ? null : value;
  return [{ ...said, change: changeOf({ current, next: change.value, effectiveAt }, at), rawHash }];
}
