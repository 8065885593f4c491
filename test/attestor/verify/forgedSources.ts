/** What a dishonest service could do to the sources: it has every key but those of the publishers and of the chain. */
import type { Facts, SourceFailure } from "../../../attestor/evidence/facts.ts";
import { parseRegistry, type Registry } from "../../../attestor/registry.ts";
import { sourceName } from "../../../attestor/sources.ts";
import {
  addressFor,
  bySecond,
  DOLLAR_KEY,
  facts,
  NOW,
  REGISTRY,
  reading,
  STOCK,
  token,
} from "../fixtures.ts";

export const FEED = addressFor("aggregator");
const LOOK_ALIKE = addressFor("another aggregator");

/** Beside the fixtures' sources a feed on the chain, and an API of halts and factors after the token's own word. */
export const LISTED: Registry = parseRegistry({
  ...REGISTRY,
  assets: REGISTRY.assets.map((asset) =>
    asset.assetKey === DOLLAR_KEY
      ? asset
      : {
          ...asset,
          priceSources: [
            ...asset.priceSources,
            { provider: "chainlink", kind: "live", symbol: "ACME / USD", address: FEED, decimals: 8 },
          ],
          tokenSources: [...asset.tokenSources, { source: "xstocks", symbol: "ACMEx" }],
        },
  ),
});

type Reading = Facts["references"][number];
type Halt = Facts["token"]["halts"][number];

const onChain = (address = FEED, change: Partial<Reading> = {}): Reading =>
  reading({
    provider: "chainlink",
    symbol: "ACME / USD",
    confidence: null,
    onChain: { address, feedId: null, roundId: "7" },
    ...change,
  });
const byApi = { ...token().halts[0]!, provider: "xstocks", address: null, blockNumber: null };
export const failed = (source: string, change: Partial<SourceFailure> = {}): SourceFailure => ({
  asset: "stock",
  source,
  subject: "price",
  reason: "unreachable",
  at: NOW - 1,
  rawHash: null,
  ...change,
});

export function honest(): Facts {
  const given = facts();
  const halts: Halt[] = [...given.token.halts, byApi];
  return { ...given, references: [...given.references, onChain()], token: { ...given.token, halts } };
}

const HERMES = sourceName(LISTED.assets[0]!.priceSources[0]!);

/** What is done to honest facts, and what the step says of it. */
export const FORGERIES: Record<string, [bend: (given: Facts) => void, said: RegExp]> = {
  "a contract that nobody listed states the price": [
    ({ references }) => (references[3] = onChain(LOOK_ALIKE, { price: "400" })),
    /^the live price of ACME \/ USD by chainlink is of no source that it lists/,
  ],
  "a provider that nobody listed states a price": [
    ({ references }) => references.push(reading({ provider: "desk" })),
    /by desk is of no source/,
  ],
  "a price comes under another name": [
    ({ references }) => (references[1] = bySecond({ symbol: "TSLA", price: "200.4" })),
    /the live price of TSLA by finnhub is of no source.*finnhub live ACME states no price/,
  ],
  "a close comes as the running price": [
    ({ references }) => (references[2] = bySecond({ kind: "live", price: "199.8" })),
    /finnhub live ACME is there twice; finnhub close ACME states no price/,
  ],
  "the signed price is left out": [
    ({ references }) => references.splice(0, 1),
    /pyth-hermes live 0x\w{64} states no price and is not said to have failed/,
  ],
  "a price on the chain is left out": [
    ({ references }) => references.splice(3, 1),
    /chainlink live 0x\w{40} ACME \/ USD states no price/,
  ],
  "a price of the dollar is left out": [
    ({ settlement }) => settlement.splice(1, 1),
    /finnhub live USDT \/ USD states no price/,
  ],
  "a halt on the chain is left out": [
    ({ token: { halts } }) => halts.splice(0, 1),
    /halt-flag tradingHalted states no halt and is not said to have failed/,
  ],
  "a halt is read from another flag": [
    ({ token: { halts } }) => (halts[0] = { ...halts[0]!, provider: "isPaused" }),
    /the halt by isPaused is of no source.*tradingHalted states no halt/,
  ],
  "a halt of the API is said to be read at the token": [
    ({ token: { halts } }) => (halts[1] = { ...halts[0]!, provider: "xstocks", address: STOCK }),
    /the halt by xstocks is of no source/,
  ],
  "the API's factor counts though the token states one": [
    (given) =>
      (given.token.factor = {
        ...given.token.factor!,
        ...{ provider: "xstocks", address: null, blockNumber: null },
      }),
    /^erc-8056 states no factor and is not said to have failed/,
  ],
  "no announcement, where the token could be asked": [
    (given) => (given.token.announcement = null),
    /erc-8056 states no announcement.*xstocks ACMEx states no announcement/,
  ],
  "the token's own word stands for a halt": [
    ({ token: { halts, factor } }) => {
      const { value: _, ...stated } = factor!;
      halts.push({ ...stated, halted: false });
    },
    /^the halt by erc-8056 is of no source that it lists for that/,
  ],
  "a flag announces that nothing changes": [
    ({ token: { announcement } }) =>
      Object.assign(announcement!, { provider: "tradingHalted", change: null }),
    /^the announcement by tradingHalted is of no source.*erc-8056 states no announcement/,
  ],
  "a failure of what nobody states of the dollar": [
    ({ failures }) => failures.push(failed("erc-8056", { asset: "settlement", subject: "factor" })),
    /^nobody is asked for factor erc-8056/,
  ],
  "a source is said to have failed, and answered": [
    ({ failures }) => failures.push(failed(HERMES)),
    /pyth-hermes live 0x\w{64} is there twice/,
  ],
  "a source that nobody listed is said to have failed": [
    ({ failures }) => failures.push(failed("desk live ACME")),
    /nobody is asked for price desk live ACME/,
  ],
  "a failure of another asset": [
    ({ references, failures }) => {
      references.splice(0, 1);
      failures.push(failed(HERMES, { asset: "settlement" }));
    },
    /states no price and is not said to have failed; nobody is asked for price pyth-hermes/,
  ],
};
