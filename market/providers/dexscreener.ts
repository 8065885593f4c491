/** DexScreener: volume and liquidity of pools. */
import { z } from "zod";
import { CHAINS, type Chain, chainsOf, nameBy } from "../../attestor/chains.ts";
import type { MarketAsset } from "../queries.ts";
import { chunksOf } from "../series/hours.ts";
import type { Answer, PoolState, Rejected } from "../statement.ts";
import type { HttpAnswer } from "./http.ts";
import { type Listed, MINUTE_MS, provider } from "./provider.ts";
import { aboutTokens, askEach, joined, readRows } from "./rows.ts";
import {
  canonicalAddress,
  DecimalText,
  PositiveDecimal,
  ProviderDecimal,
  priceOrNone,
  sameAddress,
  UnsignedDecimal,
} from "./values.ts";

const NAME = "dexscreener";
/** Tokens of one `somePools`. */
const TOKENS_PER_REQUEST = 30;

/** A bare array; an unknown token has none. Some answers of the past had null in its place. */
const Pairs = z.array(z.unknown()).nullable();

const Figure = UnsignedDecimal.nullish();
const Price = DecimalText.nullish();
const Trades = z.looseObject({ buys: z.int().min(0), sells: z.int().min(0) }).nullish();

function pairSchema(chain: Chain) {
  const Address = z.string().transform((text, context) => {
    const canonical = canonicalAddress(chain, text);
    if (canonical === null) context.addIssue({ code: "custom", message: "is not an address of the chain" });
    return canonical ?? z.NEVER;
  });
  return z.looseObject({
    chainId: z.literal(nameBy(NAME, chain)),
    dexId: z.string().max(64),
    // Not always an address of the chain's form: some exchanges identify a pool by a longer hash.
    pairAddress: z.string().min(1).max(100),
    baseToken: z.looseObject({ address: Address }),
    quoteToken: z.looseObject({ address: Address }),
    priceNative: Price,
    priceUsd: Price,
    txns: z.looseObject({ h24: Trades }).nullish(),
    volume: z.looseObject({ h24: Figure }).nullish(),
    liquidity: z.looseObject({ usd: Figure }).nullish(),
  });
}

export const DEXSCREENER = provider({
  name: NAME,
  setting: "DEXSCREENER",
  baseUrl: "https://api.dexscreener.com",
  rate: { requests: 300, perMs: MINUTE_MS },
  open(http) {
    const ask = async (chain: Chain, path: string) => readPools(chain, await http.getJson(path, Pairs));
    return {
      /**
       * About one pool of each of up to 30 tokens, and not the deepest: enough to put them into an order, and for no
       * figure. @throws ProviderFault
       */
      somePools: (chain: Chain, tokens: readonly string[]) =>
        ask(chain, `/tokens/v1/${nameBy(NAME, chain)}/${tokens.join(",")}`),
      /** Up to 30 pools of a token; none when DexScreener does not know it. @throws ProviderFault */
      async poolsOf(chain: Chain, token: string): Promise<Answer<PoolState>> {
        const answer = await ask(
          chain,
          `/token-pairs/v1/${nameBy(NAME, chain)}/${encodeURIComponent(token)}`,
        );
        return ofToken(answer, chain, token);
      },
    };
  },
  sources: (dexscreener, { tokens }) => [
    {
      asks: "each",
      name: NAME,
      of: ["pool"],
      ask: (wanted) => pools(dexscreener.poolsOf, wanted, tokens),
    },
    {
      asks: "list",
      name: NAME,
      of: ["liquidity"],
      keepsMs: 0,
      ask: () => liquidity(dexscreener.somePools, tokens),
    },
  ],
  tryOut: (dexscreener) => dexscreener.poolsOf("solana", "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB"),
});

type Tokens = Listed["tokens"];

const nameOf = ({ chain, address }: MarketAsset) => canonicalAddress(chain, address);
const isOn = (chain: Chain) => (token: MarketAsset) => token.chain === chain;

/** Each pool once, with the token that it belongs to. */
async function pools(
  ask: (chain: Chain, token: string) => Promise<Answer<PoolState>>,
  wanted: Tokens,
  tokens: Tokens,
): Promise<Answer> {
  const answers = chainsOf(NAME).map(async (chain) => {
    const asked = wanted.filter(isOn(chain));
    const {
      statements,
      rejected,
      failures = [],
    } = await askEach(
      asked,
      ({ assetKey }) => assetKey,
      ({ address }) => ask(chain, address),
    );
    const aboutListed = aboutTokens({ statements, rejected }, tokens, nameOf);
    const owned = oncePerPool(aboutListed.statements as readonly PoolState[]);
    const [failure] = failures;
    // A provider that is down is one failure.
    const isDown = failure !== undefined && failures.length === asked.length;
    return {
      statements: owned,
      rejected: [...aboutListed.rejected, ...neverStated(owned)],
      failures: isDown ? [{ subject: NAME, error: failure.error }] : failures,
    };
  });
  return joined(await Promise.all(answers));
}

/** A pool of two listed tokens belongs to its base token, so that sums over tokens count it once. */
function oncePerPool(stated: readonly PoolState[]): PoolState[] {
  const byPool = new Map<string, PoolState>();
  for (const one of stated) if (one.side === "base" || !byPool.has(one.pool)) byPool.set(one.pool, one);
  return [...byPool.values()];
}

/** What cannot be had leaves its tokens where the registry has them. */
async function liquidity(
  ask: (chain: Chain, tokens: readonly string[]) => Promise<Answer<PoolState>>,
  tokens: Tokens,
): Promise<Answer> {
  const requests = chainsOf(NAME).flatMap((chain) =>
    [...chunksOf(tokens.filter(isOn(chain)), TOKENS_PER_REQUEST)].map((asked) => ({ chain, asked })),
  );
  const { statements } = await askEach(
    requests,
    () => NAME,
    ({ chain, asked }) =>
      ask(
        chain,
        asked.map(({ address }) => address),
      ),
  );
  const owned = oncePerPool(
    aboutTokens({ statements, rejected: [] }, tokens, nameOf).statements as readonly PoolState[],
  );
  return {
    statements: owned.flatMap(({ subject, source, origin, liquidityUsd, at, rawHash }) =>
      liquidityUsd === null
        ? []
        : [{ of: "liquidity", subject, source, origin, figure: liquidityUsd, at, rawHash }],
    ),
    rejected: [],
  };
}

/** Of another token's pools nothing is believed. */
function ofToken(
  { statements, rejected }: Answer<PoolState>,
  chain: Chain,
  token: string,
): Answer<PoolState> {
  const poolsOfToken = new Set(
    statements.filter(({ subject }) => sameAddress(chain, subject, token)).map(({ pool }) => pool),
  );
  const others = new Set(statements.map(({ pool }) => pool).filter((pool) => !poolsOfToken.has(pool)));
  return {
    statements: statements.filter(({ pool }) => poolsOfToken.has(pool)),
    rejected: [...rejected, ...[...others].map((pool) => misshapen(pool, "baseToken"))],
  };
}

const misshapen = (subject: string, field: string): Rejected => ({
  of: "pool",
  subject,
  reason: "shape",
  field,
});

/** Fewer pools than this may lack a figure without a cause. */
const TELLING_POOLS = 5;
const FIGURES = {
  priceUsd: ({ figure }: PoolState) => figure,
  "volume.h24": ({ volume24hUsd }: PoolState) => volume24hUsd,
  "liquidity.usd": ({ liquidityUsd }: PoolState) => liquidityUsd,
};

/** A figure that any pool may lack, and that all of them do: the provider has renamed it. */
function neverStated(stated: readonly PoolState[]): Rejected[] {
  if (stated.length < TELLING_POOLS) return [];
  return Object.entries(FIGURES)
    .filter(([, figureOf]) => stated.every((pool) => figureOf(pool) === null))
    .flatMap(([field]) => stated.map(({ pool }) => misshapen(pool, field)));
}

/** Each pair as a pool of its base token and one of its quote token. */
function readPools(chain: Chain, { data, rawHash }: HttpAnswer<unknown[] | null>): Answer<PoolState> {
  const { rows, rejected } = readRows("pool", data ?? [], pairSchema(chain), (index) => `pair ${index}`);
  const statements = rows.flatMap((pair): PoolState[] => {
    const isEvm = CHAINS[chain].addresses === "evm";
    const pool = {
      of: "pool",
      source: NAME,
      origin: NAME,
      at: null,
      rawHash,
      pool: isEvm ? pair.pairAddress.toLowerCase() : pair.pairAddress,
      liquidityUsd: pair.liquidity?.usd ?? null,
      volume24hUsd: pair.volume?.h24 ?? null,
      trades24h: pair.txns?.h24 ? pair.txns.h24.buys + pair.txns.h24.sells : null,
    } as const;
    const baseUsd = priceOrNone(pair.priceUsd);
    const quoteUsd = quotePrice(baseUsd, priceOrNone(pair.priceNative));
    return [
      { ...pool, side: "base", subject: pair.baseToken.address, figure: baseUsd },
      { ...pool, side: "quote", subject: pair.quoteToken.address, figure: quoteUsd },
    ];
  });
  return { statements, rejected };
}

/** `priceUsd` is the base token's and `priceNative` the base in quote tokens, so their ratio is the quote's. */
function quotePrice(usd: string | null, native: string | null): string | null {
  if (usd === null || native === null) return null;
  const price = new ProviderDecimal(usd).dividedBy(native).toDecimalPlaces(18).toFixed();
  return PositiveDecimal.safeParse(price).data ?? null;
}
