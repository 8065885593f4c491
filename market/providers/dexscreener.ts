/** DexScreener: volume and liquidity of pools. */
import { z } from "zod";
import { CHAINS, type Chain, nameBy } from "../../attestor/chains.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { type Batch, type Pool, readRows } from "./records.ts";
import type { Answer } from "./request.ts";
import {
  canonicalAddress,
  DecimalText,
  PositiveDecimal,
  ProviderDecimal,
  priceOrNone,
  UnsignedDecimal,
} from "./values.ts";

const NAME = "dexscreener";
/** Tokens of one `somePools`. */
export const TOKENS_PER_REQUEST = 30;

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
  open(upstream) {
    const ask = async (chain: Chain, path: string) => readPools(chain, await upstream.getJson(path, Pairs));
    return {
      /**
       * About one pool of each of up to 30 tokens, and not the deepest: enough to put them into an order, and for no
       * figure. @throws ProviderFault
       */
      somePools: (chain: Chain, tokens: readonly string[]) =>
        ask(chain, `/tokens/v1/${nameBy(NAME, chain)}/${tokens.join(",")}`),
      /** Up to 30 pools of a token; none when DexScreener does not know it. @throws ProviderFault */
      poolsOf: (chain: Chain, token: string) =>
        ask(chain, `/token-pairs/v1/${nameBy(NAME, chain)}/${encodeURIComponent(token)}`),
    };
  },
  tryOut: (api) => api.poolsOf("solana", "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB"),
});

function readPools(chain: Chain, answer: Answer<unknown[] | null>): Batch<Pool> {
  const { rows, rejected } = readRows(answer.data ?? [], pairSchema(chain), (index) => `pair ${index}`);
  return {
    rejected,
    rows: rows.map((pair) => ({
      provider: NAME,
      chain,
      poolAddress: CHAINS[chain].addresses === "evm" ? pair.pairAddress.toLowerCase() : pair.pairAddress,
      dex: pair.dexId,
      baseToken: pair.baseToken.address,
      quoteToken: pair.quoteToken.address,
      basePriceUsd: priceOrNone(pair.priceUsd),
      quotePriceUsd: quotePrice(priceOrNone(pair.priceUsd), priceOrNone(pair.priceNative)),
      volume24hUsd: pair.volume?.h24 ?? null,
      liquidityUsd: pair.liquidity?.usd ?? null,
      trades24h: pair.txns?.h24 ? pair.txns.h24.buys + pair.txns.h24.sells : null,
      receivedAt: answer.receivedAt,
    })),
  };
}

/** `priceUsd` is the base token's and `priceNative` the base in quote tokens, so their ratio is the quote's. */
function quotePrice(usd: string | null, native: string | null): string | null {
  if (usd === null || native === null) return null;
  const price = new ProviderDecimal(usd).dividedBy(native).toDecimalPlaces(18).toFixed();
  return PositiveDecimal.safeParse(price).data ?? null;
}
