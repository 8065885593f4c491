/** Changes of tokens' shares that issuers, mints and contracts announce. */
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Findings } from "../collect/sources.ts";
import { SOLANA } from "../providers/solana.ts";
import { XSTOCKS } from "../providers/xstocks.ts";
import type { MarketAsset } from "../queries.ts";
import type { Announcement } from "../series/corporateActions.ts";
import { SeriesDecimal } from "../series/units.ts";
import { askedOf, type LiveAsset } from "./assets.ts";
import { gathered, ofEach } from "./findings.ts";
import type { Upstreams } from "./upstreams.ts";

export async function actionsOf(
  upstreams: Upstreams,
  wanted: readonly MarketAsset[],
): Promise<Findings<Announcement>> {
  const asked = askedOf(upstreams, wanted);
  const scaled = asked.filter(({ shares }) => shares === "multiplier");
  const { schedules, mints, chainFacts } = upstreams;
  const at = Math.floor(upstreams.now() / 1_000);
  const keys = new Set(scaled.map(({ assetKey }) => assetKey));
  const byIssuer = async (): Promise<Findings<Announcement>> => ({
    rows: schedules
      .stated()
      .filter(({ assetKey }) => keys.has(assetKey))
      .flatMap(({ assetKey, schedule: { rawHash, reason, ...schedule } }) => {
        const announced = { assetKey, kind: reason ?? "multiplier", source: XSTOCKS.name, rawHash } as const;
        return changesIn(schedule, at).map((change) => ({ ...announced, ...change }));
      }),
  });
  const byMint = async (): Promise<Findings<Announcement>> => {
    const rows = new Map((await mints()).rows.map((row) => [row.mint, row]));
    return {
      rows: scaled.flatMap(({ assetKey, address }) => {
        const mint = rows.get(address);
        if (mint === undefined) return [];
        const { schedule, rawHash } = mint;
        const announced = { assetKey, kind: "multiplier", source: SOLANA.name, rawHash } as const;
        return changesIn(schedule, at).map((change) => ({ ...announced, ...change }));
      }),
    };
  };
  // Of tokens whose units are shares already, no contract's factor is one.
  const converted = asked.filter(({ shares }) => shares !== "rebasing");
  const byContract = async ({ assetKey }: LiveAsset, factsOf: NonNullable<typeof chainFacts>) =>
    announcementsOf(assetKey, "chain", await factsOf(assetKey, at), at);
  return gathered<Announcement>([
    ...(scaled.length === 0
      ? []
      : ([
          [XSTOCKS.name, byIssuer],
          [SOLANA.name, byMint],
        ] as const)),
    ...(chainFacts
      ? [["chain", () => ofEach(converted, (one) => byContract(one, chainFacts))] as const]
      : []),
  ]);
}

type Change = Pick<Announcement, "before" | "after" | "effectiveAt">;

/** The change that a schedule tells of, if it tells of one. @param at unix seconds */
function changesIn(
  {
    current,
    next,
    effectiveAt,
  }: {
    readonly current: string | null;
    readonly next: string | null;
    readonly effectiveAt: UnixSeconds | null;
  },
  at: UnixSeconds,
): Change[] {
  if (next === null) {
    // A time without a figure tells of a change until it has passed.
    const isAhead = effectiveAt !== null && effectiveAt > at;
    return isAhead ? [{ before: current, after: null, effectiveAt }] : [];
  }
  const isSame = current !== null && new SeriesDecimal(current).eq(next);
  return isSame ? [] : [{ before: current, after: next, effectiveAt }];
}

/**
 * The change that a token's contracts tell of, if they tell of one.
 * @param at unix seconds, at which they were asked
 */
export function announcementsOf(
  assetKey: string,
  source: string,
  facts: TokenFacts | null,
  at: UnixSeconds,
): Announcement[] {
  const { change = null, rawHash = null } = facts?.announcement ?? {};
  if (change === null) return [];
  // The next second stands for a change without a time.
  const effectiveAt = change.effectiveAt === at + 1 ? null : change.effectiveAt;
  // The factor is that of now: what it was before a change that was made, it does not say.
  const isMade = effectiveAt !== null && effectiveAt <= at;
  const current = isMade ? null : (facts?.factor?.value ?? null);
  const announced = { assetKey, kind: "multiplier", source, rawHash } as const;
  return changesIn({ current, next: change.value, effectiveAt }, at).map((one) => ({ ...announced, ...one }));
}
