/** What the collectors of a live market ask: the providers that these keys open, and the tokens' own contracts. */
import { CHAINS, type Chain, chainsOf } from "../../attestor/chains.ts";
import { sharesPerUnit } from "../../attestor/shares.ts";
import type { MarketAsset } from "../queries.ts";
import { createMarket, type Market, type OutcomeCount } from "../round.ts";
import type { ListSource, PaidFunding, ShareRatio } from "../statement.ts";
import { whyUnpriced } from "./binanceRwa.ts";
import { contractSources, type TokenFactsOf } from "./contracts.ts";
import type { Outcome } from "./http.ts";
import { HYPERLIQUID } from "./hyperliquid.ts";
import { JUPITER } from "./jupiter.ts";
import { createLimits, isCollected } from "./limits.ts";
import type { Listed } from "./provider.ts";
import { type AskingDeps, depsOf, isAsked, PROVIDERS } from "./providers.ts";
import { quoteSources, type Venue } from "./quotes.ts";

export interface LiveDeps extends AskingDeps {
  readonly tokens: readonly MarketAsset[];
  /** What the chain itself says of a token; absent: it is not asked. */
  readonly factsOf?: TokenFactsOf;
}

export interface LiveMarket extends Market {
  /** Hourly funding of a stock's perpetual, oldest first; empty where there is none. @throws ProviderFault */
  fundings(ticker: string, from: number, to: number): Promise<readonly PaidFunding[]>;
}

export function connectMarket(deps: LiveDeps): LiveMarket {
  const { tokens, now, factsOf, keys = {} } = deps;
  const outcomes = createOutcomes(now);
  const asking = { ...deps, limits: deps.limits ?? createLimits() };
  const opened = PROVIDERS.filter((one) => isAsked(one, keys) && isCollected(one.rate)).map((own) => {
    const collecting = { ...depsOf(asking, own.name), lane: "collecting", onOutcome: outcomes.note } as const;
    return { own, api: own.connect(collecting) };
  });
  const listed: Listed = { tokens, now };
  const venues = opened.flatMap(({ own, api }): Venue[] => {
    const exchange = own.exchange?.(api);
    return exchange ? [{ name: own.name, ...exchange }] : [];
  });
  const hyperliquid = opened.find(({ own }) => own.name === HYPERLIQUID.name)?.api as ReturnType<
    typeof HYPERLIQUID.open
  >;
  const sources = [
    registry(tokens),
    ...opened.flatMap(({ own, api }) => own.sources?.(api, listed) ?? []),
    ...quoteSources(inOrder(venues), (chain) => chainsOf(JUPITER.name).includes(chain), now),
    ...(factsOf ? contractSources(factsOf, listed) : []),
  ];
  return {
    ...createMarket(sources, now),
    canBePriced: (token) => whyUnpriced(token, Boolean(keys.binanceRwa)) === null,
    outcomes: outcomes.drain,
    fundings: hyperliquid.fundings,
  };
}

/** Of the venues those of a chain, in the order in which its row names them. */
const inOrder = (venues: readonly Venue[]) => (chain: Chain) =>
  Object.keys(CHAINS[chain].calledBy).flatMap((name) => venues.find((venue) => venue.name === name) ?? []);

/** Of tokens that are shares already nobody needs to state a factor. */
function registry(tokens: readonly MarketAsset[]): ListSource {
  const source = "registry";
  const statements = tokens
    .filter(({ shares }) => shares === "rebasing")
    .map(({ assetKey }): ShareRatio => {
      const figure = sharesPerUnit("rebasing", "raw", null) ?? "";
      const stated = { subject: assetKey, source, origin: source, at: null, rawHash: null };
      return { ...stated, of: "ratio", figure, fixed: true, change: null };
    });
  return {
    asks: "list",
    name: source,
    of: ["ratio"],
    keepsMs: Number.POSITIVE_INFINITY,
    ask: async () => ({ statements, rejected: [] }),
  };
}

/** How requests to providers ended, counted until somebody takes the counts. @param now unix milliseconds */
function createOutcomes(now: () => number) {
  let counts = new Map<string, OutcomeCount>();
  return {
    note({ provider, kind }: Outcome): void {
      const key = `${provider} ${kind}`;
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, { provider, kind, count, lastAt: Math.floor(now() / 1_000) });
    },
    drain(): OutcomeCount[] {
      const drained = [...counts.values()];
      counts = new Map();
      return drained;
    },
  };
}
