/** Steps `hash` and `judgement`: what does not follow from the evidence, or contradicts itself within it. */
import { id } from "ethers";
import {
  addressFor,
  CHAIN_ID,
  DOLLAR,
  DOLLAR_KEY,
  NOW,
  STOCK,
  STOCK_KEY,
} from "../../../test/attestor/fixtures.ts";
import { OLD_SAMPLES } from "./readers.ts";
import { type Bends, type Row, rowsByReader, rowsOfBends, SMALL_AND_SOUND, smallRow } from "./rows.ts";
import { type Bend, type Changes, failed, liquidityOf, SAMPLES } from "./service.ts";

const OTHER = addressFor("another token");

const REPORT: Bends = {
  "hash hash_other": {
    "evidence hash": (report) => (report.evidenceHash = id("other")),
    "the case of the evidence hash": (report) => (report.evidenceHash = report.evidenceHash.toUpperCase()),
  },
  "judgement findings_other": {
    decision: (report) => (report.decision = "DENY"),
    "decision gone": (report) => delete report.decision,
    job: (report) => (report.jobId = "job_other"),
    version: (report) => (report.version = 3),
    "version as text": (report) => (report.version = "2"),
    policy: (report) => (report.policyId = "LAST_CLOSE"),
    "policy hash": (report) => (report.policyHash = id("other")),
    "registry version": (report) => (report.registryVersion = "other"),
    "registry hash": (report) => (report.registryHash = id("other")),
    time: (report) => (report.createdAt = "2026-09-21T14:13:21.000Z"),
    "a finding": ({ findings }) => (findings[3].outcome = "fail"),
    "a finding's observation": ({ findings }) => (findings[6].observed = "1"),
    "a finding's limit": ({ findings }) => (findings[6].limit = "101"),
    "a finding's words": ({ findings }) => (findings[6].message += "!"),
    "a finding gone": ({ findings }) => findings.pop(),
    "a finding twice": ({ findings }) => findings.push(findings[0]),
    "the order of findings": ({ findings }) => findings.reverse(),
    "findings gone": (report) => delete report.findings,
  },
};

const EVIDENCE: Bends = {
  "judgement figures_other": {
    figures: ({ figures }) => (figures.premiumBps = "0"),
    "a higher minimum": ({ figures }) => (figures.minAmountOutRaw = "1"),
  },
  "judgement tiny_trade_of_another_amount": {
    "a tiny trade as large as the whole, which hides the impact": ({ quote }) =>
      Object.assign(quote, {
        pools: null,
        referenceAmountInRaw: quote.amountInRaw,
        referenceAmountOutRaw: quote.amountOutRaw,
      }),
  },
  "judgement layout_without_proofs": {
    "a provider's factor": ({ token }) => (token.factor.provider = "backed"),
  },
  "judgement samples_say_otherwise": {
    "another impact than the samples'": ({ liquidity }) => (liquidity.impact1kBps = "11"),
    "another time than the samples'": ({ liquidity }) => (liquidity.updatedAt += 1),
    "another source than the samples'": ({ liquidity }) => (liquidity.source = "another"),
  },
};

/** What no service attests: the facts do not fit the intent, or each other. */
export const UNFIT: Bends = {
  policy_not_of_intent: {
    "another policy in the intent": ({ intent }) => (intent.policyId = "LAST_CLOSE"),
  },
  quote_of_another_amount: {
    "a quote for another amount": ({ quote }) => (quote.amountInRaw += "0"),
  },
  quote_of_other_tokens: {
    "a quote for other tokens": ({ quote }) => (quote.path = [OTHER, STOCK]),
  },
  signer_without_proof: {
    "a signer without a proof": ({ references }) => (references[0].proof = null),
    "a proof without a signer": ({ references }) => (references[0].signer = null),
  },
  token_fact_of_another_block: {
    "a factor of another block": ({ token }) => (token.factor.blockNumber -= 1),
  },
  token_fact_without_place: {
    "a halt at a block and at no contract": ({ token }) => (token.halts[0].address = null),
  },
  token_fact_of_another_contract: {
    "a halt of another contract": ({ token }) => (token.halts[0].address = OTHER),
  },
};

const contract = (address: string) => ({ address, feedId: null, roundId: "1" });

/** What contradicts within one piece of evidence, by the code. */
const CONTRADICTIONS: Bends = {
  ...UNFIT,
  asset_of_another_chain: {
    "another chain": ({ chain }) => (chain.chainId = 1),
  },
  token_traded_for_itself: {
    "a token traded for itself"({ intent, trade, quote }) {
      intent.inputAssetKey = STOCK_KEY;
      trade.settlementAssetKey = STOCK_KEY;
      quote.path = [STOCK, STOCK];
    },
  },
  stock_not_of_intent: {
    "another stock": ({ trade }) => (trade.stockAssetKey = `eip155:${CHAIN_ID}:${OTHER}`),
  },
  settlement_token_not_of_intent: {
    "another dollar": ({ trade }) => (trade.settlementAssetKey = STOCK_KEY),
  },
  provider_under_two_names: {
    "one provider in two letter cases": ({ references }) => (references[1].provider = "Pyth"),
    "one provider with a blank behind it": ({ references }) => (references[1].provider = "pyth "),
    "one provider in wide letters": ({ references }) => (references[1].provider = "ｐｙｔｈ"),
    "one provider with an invisible letter": ({ references }) => (references[1].provider = "py\u200bth"),
    "a dollar's provider in two letter cases": ({ settlement }) => (settlement[1].provider = "PYTH"),
  },
  contract_under_two_names: {
    "one contract's price by two names"({ settlement }) {
      for (const one of settlement) one.onChain = contract(OTHER);
    },
  },
  block_without_time: {
    "a block of 1970": ({ chain }) => (chain.blockTimestamp = 0),
  },
  received_long_before_judgement: {
    "a halt of 1970": ({ token }) => (token.halts[0].receivedAt = 0),
    "a factor of 1970": ({ token }) => (token.factor.receivedAt = 0),
    "an announcement of 1970": ({ token }) => (token.announcement.receivedAt = 0),
    "a failed source of 1970": ({ failures }) => failures.push(failed("x", { subject: "factor", at: 0 })),
    "a price received in 1970": ({ references }) => (references[1].receivedAt = 0),
    "a dollar's price received in 1970": ({ settlement }) => (settlement[0].receivedAt = 0),
  },
  liquidity_older_than_its_window: {
    "a liquidity older than its window": ({ liquidity }) => (liquidity.updatedAt = NOW - 8 * 86_400),
  },
  liquidity_after_judgement: {
    "a liquidity of the future": ({ liquidity }) => (liquidity.updatedAt = NOW + 60),
  },
  liquidity_without_samples: {
    "a liquidity without a time": ({ liquidity }) => (liquidity.updatedAt = null),
  },
  too_many_samples: {
    "9 quadrillion samples": ({ liquidity }) => (liquidity.sampleN = 9_000_000_000_000_000),
  },
  impact_out_of_bounds: {
    "an impact of minus a thousand times the trade": ({ liquidity }) => (liquidity.impact10kBps = "-9999999"),
  },
  grade_not_of_its_impact: {
    "grade A at more than 50 bps": ({ liquidity }) =>
      Object.assign(liquidity, { grade: "A", impact10kBps: "50.0001" }),
    "grade B at 48 bps": ({ liquidity }) => Object.assign(liquidity, { grade: "B", impact10kBps: "48" }),
    "grade A without a route": ({ liquidity }) => (liquidity.impact10kBps = null),
    "a grade on two samples": ({ liquidity }) => (liquidity.sampleN = 2),
  },
  path_not_of_its_route: {
    "fees of a route that names none": ({ quote }) => (quote.fees = [500]),
    "more fees than hops": ({ quote }) => (quote.fees = [3_000, 3_000]),
    "a path that comes back": ({ quote }) => (quote.path = [DOLLAR, STOCK, DOLLAR, STOCK]),
    "a detour through one pool": ({ quote }) =>
      Object.assign(quote, { selector: "0x414bf389", fees: [500], path: [DOLLAR, OTHER, STOCK] }),
    "a V3 pool without a fee": ({ quote }) => Object.assign(quote, { selector: "0x414bf389", fees: [] }),
    "two fees of one V3 pool": ({ quote }) =>
      Object.assign(quote, { selector: "0x04e45aaf", fees: [500, 3_000] }),
  },
  owner_not_allowed_as_recipient: {
    "an owner who may not be paid": ({ guard }) => (guard.recipientAllowed = false),
  },
};

/** A bound of the evidence itself: the last value that holds and the first that contradicts. */
interface Bound {
  readonly code: string;
  readonly last: string | number;
  readonly first: string | number;
  readonly set: (evidence: any, value: any) => unknown;
}

/** Everything that has a time at which the service received it. */
const RECEIVED: Readonly<Record<string, (evidence: any, at: number) => unknown>> = {
  "a price": ({ references }, at) => Object.assign(references[1], { receivedAt: at, publishedAt: NOW - 700 }),
  "a dollar's price": ({ settlement }, at) =>
    Object.assign(settlement[0], { receivedAt: at, publishedAt: NOW - 700 }),
  "a factor": ({ token }, at) => (token.factor.receivedAt = at),
  "an announcement": ({ token }, at) => (token.announcement.receivedAt = at),
  "a halt": ({ token }, at) => (token.halts[0].receivedAt = at),
  "a failure": ({ failures }, at) => failures.push(failed("erc-8056", { subject: "factor", at })),
};

const BOUNDS: Readonly<Record<string, Bound>> = {
  "many samples": {
    code: "too_many_samples",
    last: 100_000,
    first: 100_001,
    set: ({ liquidity }, value) => (liquidity.sampleN = value),
  },
  "an impact below": {
    code: "impact_out_of_bounds",
    last: "-10000",
    first: "-10000.0001",
    set: ({ liquidity }, value) => (liquidity.impact1kBps = value),
  },
  "an impact above": {
    code: "impact_out_of_bounds",
    last: "1000000",
    first: "1000000.0001",
    set: ({ liquidity }, value) => Object.assign(liquidity, { impact10kBps: value, grade: "D" }),
  },
  "a price before it was published": {
    code: "received_before_published",
    last: NOW - 125,
    first: NOW - 126,
    set: ({ references }, value) => Object.assign(references[1], { publishedAt: NOW, receivedAt: value }),
  },
  ...Object.fromEntries(
    Object.entries(RECEIVED).flatMap(([what, set]): [string, Bound][] => [
      [
        `${what} of long before`,
        { code: "received_long_before_judgement", last: NOW - 600, first: NOW - 601, set },
      ],
      [`${what} of afterwards`, { code: "received_after_judgement", last: NOW + 5, first: NOW + 6, set }],
    ]),
  ),
};

const ofContradictions = Object.fromEntries(
  Object.entries(CONTRADICTIONS).map(([code, bends]) => [`judgement ${code}`, bends]),
);

const boundRows = Object.entries(BOUNDS).flatMap(([name, { code, last, first, set }]) => {
  const at = (value: string | number): Changes => ({
    knows: "observed",
    unsigned: true,
    evidence: (evidence) => set(evidence, value),
  });
  return [
    smallRow(`bound: ${name}, ${last}`, at(last), SMALL_AND_SOUND),
    smallRow(`bound: ${name}, ${first}`, at(first), `INVALID judgement ${code}`),
  ];
});

const noRoot: Bend = ({ liquidity }) => (liquidity.samplesRoot = null);
const graded =
  (samples: typeof SAMPLES): Bend =>
  (facts) =>
    (facts.liquidity = liquidityOf(samples));

const SAMPLE_ROWS = rowsByReader({
  "a sound trade": [
    {},
    {
      everything: "VALID",
      "no samples": "VALID, strictly UNVERIFIABLE judgement liquidity_of_service",
      "other samples": "UNVERIFIABLE judgement samples_of_other_hash",
      "samples that are an empty object": "UNVERIFIABLE judgement samples_unreadable",
      "samples that are null": "UNVERIFIABLE judgement samples_unreadable",
      "samples that are a text": "UNVERIFIABLE judgement samples_unreadable",
      "samples with a member more": "UNVERIFIABLE judgement samples_unreadable",
      "samples in a list": "UNVERIFIABLE judgement samples_unreadable",
    },
  ],
  "a grade that names no samples": [
    { knows: "observed", unsigned: true, facts: noRoot },
    {
      everything: "UNVERIFIABLE judgement samples_not_asked",
      "no samples": "VALID, strictly UNVERIFIABLE judgement samples_not_named",
    },
  ],
  "a grade by samples of another month": [
    { knows: "observed", unsigned: true, facts: graded(OLD_SAMPLES) },
    { "samples of another month": "INVALID judgement samples_say_otherwise" },
  ],
  "another token's grade": [
    { facts: graded({ ...SAMPLES, assetKey: DOLLAR_KEY }) },
    { "another token's samples": "INVALID judgement samples_say_otherwise" },
  ],
});

export const JUDGEMENT_ROWS: readonly Row[] = [
  ...rowsOfBends("report", REPORT),
  ...rowsOfBends("evidence", EVIDENCE),
  ...rowsOfBends("evidence", ofContradictions),
  ...boundRows,
  ...SAMPLE_ROWS,
];
