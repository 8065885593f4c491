/** The real tokens of the live profile, as one validated list. */

import { decodeBase58, getAddress } from "ethers";
import { z } from "zod";
import { CHAIN_NAMES, CHAINS, type Chain } from "../../attestor/chains.ts";
import {
  Confidence,
  LISTINGS,
  ListedIssuer,
  type Listing,
  Shares,
  Ticker,
  UNDERLYINGS,
  Underlying,
} from "./listings.ts";

const MAX_32_BYTES = 2n ** 256n;

/** Whether the text is an address of 20 bytes with its EIP-55 checksum. */
export function isChecksummed(address: string): boolean {
  try {
    return /^0x[0-9a-fA-F]{40}$/.test(address) && getAddress(address) === address;
  } catch {
    return false;
  }
}

/** Whether the text is base58 of exactly 32 bytes. */
export function isSolanaAddress(address: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return false;
  // A leading 1 is a leading zero byte; the rest is one number.
  const zeros = /^1*/.exec(address)?.[0].length ?? 0;
  const value = decodeBase58(address);
  if (value >= MAX_32_BYTES) return false;
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return zeros + bytes === 32;
}

const common = {
  /** A dot as in `BRK.Bx`: the endpoints that ask for a symbol take such a token by its address. */
  symbol: z
    .string()
    .regex(/^[A-Za-z0-9]+(\.[A-Za-z]+)?$/, "must be letters and digits")
    .max(12),
  underlying: Ticker,
  nameEn: Underlying.shape.nameEn,
  nameCn: Underlying.shape.nameCn,
  issuer: ListedIssuer,
  tags: Underlying.shape.tags,
  shares: Shares,
  confidence: Confidence,
};

const ADDRESSES = {
  evm: z.string().refine(isChecksummed, "must be an address with its EIP-55 checksum"),
  base58: z.string().refine(isSolanaAddress, "must be base58 of 32 bytes"),
};

/** What is true of a chain's tokens is in its row. */
export const RegistryToken = z
  .strictObject({
    ...common,
    chain: z.enum(CHAIN_NAMES),
    assetKey: z.string(),
    address: z.string(),
    decimals: z.int(),
  })
  .superRefine(({ chain, address, decimals }, context) => {
    const row = CHAINS[chain];
    const { error } = ADDRESSES[row.addresses].safeParse(address);
    for (const { message } of error?.issues ?? [])
      context.addIssue({ code: "custom", path: ["address"], message });
    if (!row.decimals.includes(decimals))
      context.addIssue({ code: "custom", path: ["decimals"], message: `are not those of ${chain}` });
  });
export type RegistryToken = z.infer<typeof RegistryToken>;

/** Tokens of which no two are the same; asset keys fit their addresses. */
export const TokenList = z.array(RegistryToken).superRefine((tokens, context) => {
  const seen = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const names = [token.address.toLowerCase(), `${token.issuer} ${token.chain} ${token.symbol}`];
    for (const name of names) {
      const first = seen.get(name);
      if (first === undefined) seen.set(name, index);
      else context.addIssue({ code: "custom", path: [index], message: `is listed twice, see ${first}` });
    }
    if (token.assetKey !== registryAssetKey(token.chain, token.address))
      context.addIssue({ code: "custom", path: [index, "assetKey"], message: "is not that of the address" });
  }
});

/** `eip155:56:0x…`, `solana:mainnet:…`. */
export function registryAssetKey(chain: Chain, address: string): string {
  return `${CHAINS[chain].assetPrefix}:${address}`;
}

/**
 * Every listed token, xStocks first, each issuer's by chain, confidence and ticker. The order is part of the contract: of a
 * symbol on two chains the first is meant where nobody says which.
 * @throws ZodError when the data is faulty; Error for a ticker without a name
 */
export function loadRegistry(
  listings: readonly Listing[] = LISTINGS,
  underlyings: ReadonlyMap<string, Underlying> = UNDERLYINGS,
): RegistryToken[] {
  return TokenList.parse(listings.flatMap((listing) => tokensOf(listing, underlyings)));
}

function tokensOf(listing: Listing, underlyings: ReadonlyMap<string, Underlying>): unknown[] {
  const { issuer, chain, decimals, suffix, shares, confidence } = listing;
  return Object.entries(listing.addresses).map(([ticker, address]) => {
    const underlying = underlyings.get(ticker);
    if (!underlying) throw new Error(`${ticker} is listed without a name`);
    return {
      assetKey: registryAssetKey(chain, address),
      symbol: `${ticker}${suffix}`,
      underlying: ticker,
      nameEn: underlying.nameEn,
      nameCn: underlying.nameCn,
      tags: [...underlying.tags],
      issuer,
      chain,
      address,
      decimals,
      shares,
      confidence,
    };
  });
}
