/** Step `registry`: whether assets, routes and sources are those of the reader's registry. */
import { id } from "ethers";
import { sourceName } from "../../../attestor/sources.ts";
import { addressFor, bySecond, reading, STOCK, STOCK_KEY } from "../../../test/attestor/fixtures.ts";
import { READERS } from "./readers.ts";
import { type Row, rowsByReader, rowsOfBends } from "./rows.ts";
import { answerOf, type Bend, FEED, failed, priceOnChain, REGISTRY } from "./service.ts";

const HERMES = sourceName(REGISTRY.assets[0]!.priceSources[0]!);
const V3 = REGISTRY.routes[1]!;

/** Prices and token facts that are not of the registry's sources, or are left out; and what the fault says of them. */
export const SOURCES: Readonly<Record<string, readonly [bend: Bend, said: RegExp]>> = {
  "a contract that nobody listed states the price": [
    ({ references }) => (references[3] = priceOnChain(addressFor("another aggregator"), { price: "200.3" })),
    /the live price of ACME \/ USD by chainlink is of no source that it lists/,
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
    ({ token: { halts } }) => (halts[0].provider = "isPaused"),
    /the halt by isPaused is of no source.*tradingHalted states no halt/,
  ],
  "a halt of the API is said to be read at the token": [
    ({ token: { halts } }) => (halts[1] = { ...halts[0], provider: "xstocks", address: STOCK }),
    /the halt by xstocks is of no source/,
  ],
  "the API's factor counts though the token states one": [
    ({ token: { factor } }) =>
      Object.assign(factor, { provider: "xstocks", address: null, blockNumber: null }),
    /erc-8056 states no factor and is not said to have failed/,
  ],
  "no announcement, where the token could be asked": [
    ({ token }) => (token.announcement = null),
    /erc-8056 states no announcement.*xstocks ACMEx states no announcement/,
  ],
  "the token's own word stands for a halt": [
    ({ token: { halts, factor } }) => {
      const { value: _, ...stated } = factor;
      halts.push({ ...stated, halted: false });
    },
    /the halt by erc-8056 is of no source that it lists for that/,
  ],
  "a flag announces that nothing changes": [
    ({ token: { announcement } }) => Object.assign(announcement, { provider: "tradingHalted", change: null }),
    /the announcement by tradingHalted is of no source.*erc-8056 states no announcement/,
  ],
  "a failure of what nobody states of the dollar": [
    ({ failures }) => failures.push(failed("erc-8056", { asset: "settlement", subject: "factor" })),
    /nobody is asked for factor erc-8056/,
  ],
  "a source is said to have failed, and answered": [
    ({ failures }) => failures.push(failed(HERMES)),
    /pyth-hermes live 0x\w{64} is there twice/,
  ],
  "a source that nobody listed is said to have failed": [
    ({ failures }) => failures.push(failed("desk live ACME")),
    /nobody is asked for price desk live ACME/,
  ],
  "one failure twice": [
    ({ references, failures }) => {
      references.splice(0, 1);
      failures.push(failed(HERMES), failed(HERMES));
    },
    /a source is said to have failed twice/,
  ],
  "a failure of another asset": [
    ({ references, failures }) => {
      references.splice(0, 1);
      failures.push(failed(HERMES, { asset: "settlement" }));
    },
    /states no price and is not said to have failed; nobody is asked for price pyth-hermes/,
  ],
  "one contract is two sources": [
    ({ references }) => references.push(priceOnChain(FEED, { provider: "another" })),
    /by another is of no source/,
  ],
};

const SOURCE_ROWS = Object.entries(SOURCES).map(([name, [facts]]) => ({
  name: `sources: ${name}`,
  document: () => answerOf({ knows: "observed", facts }),
  trust: READERS.everything,
  expected: "INVALID registry sources_other",
}));

export const REGISTRY_ROWS: readonly Row[] = [
  ...rowsByReader({
    "a sound trade": [
      {},
      {
        "no registry": "VALID, strictly UNVERIFIABLE registry registry_missing",
        "another registry": "INVALID registry registry_other",
        "a registry without it": "INVALID registry registry_other",
        "the record's registry": "VALID",
        "a record of another registry": "UNVERIFIABLE registry registry_not_of_record",
        "its own registry, unlike the record's": "VALID",
        "the service's registry, and a log": "VALID",
        "the service's registry alone": "VALID, strictly UNVERIFIABLE registry registry_of_service",
        "the service's registry and log": "VALID, strictly UNVERIFIABLE registry registry_of_service",
      },
    ],
    "a trade while a source failed": [
      {
        knows: "observed",
        facts({ references, failures }) {
          references.splice(3, 1);
          failures.push(failed(sourceName(REGISTRY.assets[0]!.priceSources[3]!)));
        },
      },
      "VALID",
    ],
  }),
  ...SOURCE_ROWS,
  ...rowsOfBends("evidence", {
    "registry sources_other": {
      "a source that calls itself the exchange": ({ references }) =>
        (references[1].provider = "Nasdaq official tape, signed"),
    },
    "judgement layout_without_proofs, registry sources_other": {
      "an announcement of no block": ({ token: { announcement } }) =>
        Object.assign(announcement, { blockNumber: null, address: null }),
    },
    "registry registry_other": {
      "another token kind": ({ trade }) => (trade.tokenKind = "rebasing"),
      "other decimals": ({ trade }) => (trade.outputDecimals = 17),
      "another symbol": ({ trade }) => (trade.symbol = "OTHERx"),
      "a registry of another version": ({ registry }) => (registry.version = "other"),
      "a registry of another hash": ({ registry }) => (registry.hash = id("other")),
      "the name of another route": ({ quote }) => (quote.routeName = "v3"),
      "a pool of another fee": ({ quote }) => (quote.pools[0].feeBps = 25),
      "a fee tier that the route has not": ({ quote }) =>
        Object.assign(quote, {
          routeName: V3.name,
          route: V3.address,
          selector: V3.selector,
          fees: [10_000],
          pools: null,
        }),
      "a trade of an asset that the registry does not list": ({ intent, trade }) =>
        (intent.outputAssetKey = trade.stockAssetKey = STOCK_KEY.replace(STOCK, addressFor("an attacker"))),
    },
  }),
];
