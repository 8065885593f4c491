/** What issuers, mints and contracts say of tokens' shares to come. */
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import { factorAt, sharesPerUnit } from "../../attestor/shares.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { changeOf, type Word } from "../collect/actionRules.ts";
import type { Findings } from "../collect/sources.ts";
import { SOLANA } from "../providers/solana.ts";
import { XSTOCKS } from "../providers/xstocks.ts";
import type { MarketAsset } from "../queries.ts";
import { askedOf, type LiveAsset } from "./assets.ts";
import { gathered, ofEach } from "./findings.ts";
import type { Upstreams } from "./upstreams.ts";

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
  // Of tokens whose units are shares already, no contract's factor is one.
  const converted = asked.filter(({ shares }) => shares !== "rebasing");
  const onChain = async ({ assetKey }: LiveAsset, factsOf: NonNullable<typeof chainFacts>) =>
    wordsOf(assetKey, "chain", await factsOf(assetKey, at), at);
  return gathered<Word>([
    ...(scaled.length === 0
      ? []
      : ([
          [XSTOCKS.name, stated],
          [SOLANA.name, onMints],
        ] as const)),
    ...(chainFacts ? [["chain", () => ofEach(converted, (one) => onChain(one, chainFacts))] as const] : []),
  ]);
}

type Schedule = Parameters<typeof factorAt<string>>[0];

const scheduled = (schedule: Schedule, at: UnixSeconds) => ({
  value: factorAt(schedule, at),
  change: changeOf(schedule, at),
});

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
