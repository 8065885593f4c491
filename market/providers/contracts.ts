/** What tokens' own contracts state of their shares. */
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../queries.ts";
import { SeriesDecimal } from "../series/units.ts";
import type { AnnouncedAction, Answer, EachSource, ShareRatio } from "../statement.ts";
import { RATIO_CHAIN } from "./binanceRwa.ts";
import type { Listed } from "./provider.ts";
import { askEach } from "./rows.ts";

const NAME = "chain";

/** What the chain says of a token now; null: it has no source of it there. */
export type TokenFactsOf = (assetKey: string, at: UnixSeconds) => Promise<TokenFacts | null>;

export function contractSources(factsOf: TokenFactsOf, { now }: Pick<Listed, "now">): EachSource[] {
  const at = () => Math.floor(now() / 1_000);
  const each = (
    of: "ratio" | "action",
    isAsked: (token: MarketAsset) => boolean,
    read: (assetKey: string, facts: TokenFacts | null) => Answer["statements"],
  ): EachSource => ({
    asks: "each",
    name: NAME,
    of: [of],
    ask: (tokens) =>
      askEach(
        tokens.filter(isAsked),
        ({ assetKey }) => assetKey,
        async ({ assetKey }) => ({
          statements: read(assetKey, await factsOf(assetKey, at())),
          rejected: [],
        }),
      ),
  });
  return [
    each("ratio", ({ shares, chain }) => shares === "ratio" && chain === RATIO_CHAIN, ratioBy),
    // Of tokens whose units are shares already, no contract's factor is one.
    each(
      "action",
      ({ shares }) => shares !== "rebasing",
      (assetKey, facts) => announcedBy(assetKey, NAME, facts, at()),
    ),
  ];
}

function ratioBy(assetKey: string, facts: TokenFacts | null): ShareRatio[] {
  const factor = facts?.factor;
  if (!factor) return [];
  const stated = { subject: assetKey, source: NAME, origin: NAME, at: null, rawHash: factor.rawHash };
  return [{ ...stated, of: "ratio", figure: factor.value, change: null }];
}

/**
 * The change that a token's contracts tell of, if they tell of one.
 * @param at unix seconds, at which they were asked
 */
export function announcedBy(
  assetKey: string,
  source: string,
  facts: TokenFacts | null,
  at: UnixSeconds,
): AnnouncedAction[] {
  const { change = null, rawHash = null } = facts?.announcement ?? {};
  if (change === null) return [];
  // The next second stands for a change without a time.
  const effectiveAt = change.effectiveAt === at + 1 ? null : change.effectiveAt;
  // The factor is that of now: what it was before a change that was made, it does not say.
  const isMade = effectiveAt !== null && effectiveAt <= at;
  const before = isMade ? null : (facts?.factor?.value ?? null);
  const announced = toldChange({ before, next: change.value, effectiveAt }, at);
  const stated = {
    of: "action",
    kind: "multiplier",
    subject: assetKey,
    source,
    origin: source,
    at: null,
  } as const;
  return announced === null ? [] : [{ ...stated, ...announced, rawHash }];
}

type Change = Pick<AnnouncedAction, "figure" | "before" | "effectiveAt">;

/** What is told by a change that a source announces; null: nothing. @param at unix seconds */
export function toldChange(
  announced: {
    readonly before: string | null;
    readonly next: string | null;
    readonly effectiveAt: UnixSeconds | null;
  },
  at: UnixSeconds,
): Change | null {
  const { before, next, effectiveAt } = announced;
  // A source that has lost the time, or the factor, says zero.
  if (effectiveAt === 0 || (next !== null && new SeriesDecimal(next).isZero())) return null;
  if (next === null) {
    // A time without a figure tells of a change until it has passed.
    const isAhead = effectiveAt !== null && effectiveAt > at;
    return isAhead ? { before, figure: null, effectiveAt } : null;
  }
  const isSame = before !== null && new SeriesDecimal(before).eq(next);
  return isSame ? null : { before, figure: next, effectiveAt };
}
