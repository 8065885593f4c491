/**
 * The judgements behind the stored reports of `assay.evidence/1` (`reports1.json`), which were written by the code that
 * first judged by it. Values stand here in full: the fixtures of newer evidence may change, these may not.
 */
import { id } from "ethers";
import {
  addressFor,
  CHAIN_ID,
  DOLLAR_KEY,
  NOW,
  OWNER,
  quote1,
  SIDES,
  SIGNER,
  STOCK_KEY,
} from "../fixtures.ts";

const reading = {
  provider: "first",
  source: "test",
  kind: "live",
  symbol: "Equity.US.ACME/USD",
  price: "200",
  confidence: "0.1",
  publishedAt: NOW - 10,
  receivedAt: NOW - 1,
  rawHash: id("raw answer"),
} as const;

const guard = {
  address: addressFor("guard"),
  executor: addressFor("executor"),
  paused: false,
  signer: SIGNER.address,
  attestor: SIGNER.address,
  routeAllowed: true,
  recipientAllowed: true,
};

/** Facts of the first schema that every policy allows. */
function soundFacts(side: "buy" | "sell") {
  return {
    chain: {
      chainId: CHAIN_ID,
      blockNumber: 4_200,
      blockHash: id("block 4200"),
      blockTimestamp: NOW - 2,
    },
    quote: { ...quote1(side), fees: [3_000] } as ReturnType<typeof quote1> | null,
    references: [
      reading,
      { ...reading, provider: "second", price: "200.4", confidence: null, publishedAt: NOW - 5 },
      { ...reading, provider: "exchange", kind: "close", price: "199.8", publishedAt: NOW - 60_000 },
    ] as object[],
    session: { source: "test", state: "regular" } as { source: string; state: string } | null,
    token: { source: "test", sharesPerToken: "1.25", halted: false } as object | null,
    liquidity: {
      source: "test",
      grade: "A",
      sampleN: 40,
      impact1kBps: "12.5",
      impact10kBps: "48",
      updatedAt: NOW - 600,
    } as object | null,
    guard: { ...guard },
  };
}

type Facts1 = ReturnType<typeof soundFacts>;

/** One bend for each check, by what it is called. */
const BENDS: Readonly<Record<string, (facts: Facts1) => Facts1>> = {
  sound: (facts) => facts,
  "session unknown": (facts) => ({ ...facts, session: null }),
  "market closed": (facts) => ({ ...facts, session: { source: "test", state: "closed" } }),
  "token unknown": (facts) => ({ ...facts, token: null }),
  "token halted": (facts) => ({
    ...facts,
    token: { source: "test", sharesPerToken: "1.25", halted: true },
  }),
  // What the first schema could not see: a dollar and a split are none of its facts.
  "ten shares a token": (facts) => ({
    ...facts,
    token: { source: "test", sharesPerToken: "12.5", halted: false },
  }),
  "no reference": (facts) => ({ ...facts, references: [] }),
  "stale references": (facts) => ({
    ...facts,
    references: facts.references.map((known) => ({ ...known, publishedAt: NOW - 500_000 })),
  }),
  "references apart": (facts) => ({
    ...facts,
    references: [reading, { ...reading, provider: "second", price: "203" }],
  }),
  "unsure reference": (facts) => ({
    ...facts,
    references: facts.references.map((known) => ({ ...known, confidence: "9" })),
  }),
  "no route": (facts) => ({ ...facts, quote: null }),
  "no liquidity": (facts) => ({ ...facts, liquidity: null }),
  "old block": (facts) => ({ ...facts, chain: { ...facts.chain, blockTimestamp: NOW - 3_600 } }),
  "guard paused, other signer, nothing allowed": (facts) => ({
    ...facts,
    guard: {
      ...guard,
      paused: true,
      signer: addressFor("another signer"),
      routeAllowed: false,
      recipientAllowed: false,
    },
  }),
};

export const POLICIES1 = ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"] as const;

/** All of them by name: each policy, side and bend. */
export function judgements1() {
  return POLICIES1.flatMap((policyId) =>
    SIDES.flatMap((side) =>
      Object.entries(BENDS).map(([name, bend]) => ({
        name: `${policyId}, ${side}, ${name}`,
        policyId,
        jobId: "job_9f2c",
        reportVersion: 2,
        capturedAt: NOW,
        intent: {
          ownerAddress: OWNER,
          recipientAddress: OWNER,
          inputAssetKey: side === "buy" ? DOLLAR_KEY : STOCK_KEY,
          outputAssetKey: side === "buy" ? STOCK_KEY : DOLLAR_KEY,
          amountInRaw: quote1(side).amountInRaw,
          policyId,
          maxSlippageBps: 50,
        },
        facts: bend(soundFacts(side)),
      })),
    ),
  );
}
