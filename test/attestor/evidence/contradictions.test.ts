/** What contradicts within one piece of evidence: each bend has its code, and honest evidence has none. */
import { expect } from "chai";
import { attest } from "../../../attestor/attest.ts";
import { contradictionsIn } from "../../../attestor/evidence/contradictions.ts";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { failed } from "../../../workshop/vectors/forgeries/service.ts";
import {
  addressFor,
  CHAIN_ID,
  copy,
  DOLLAR,
  facts,
  judgement,
  NOW,
  quote,
  REGISTRY,
  STOCK,
  STOCK_KEY,
  signedReading,
} from "../fixtures.ts";

type Bend = (evidence: any) => void;

function bent(bend: Bend, given = facts()): Evidence {
  const evidence = copy(attest(judgement({ facts: given })));
  bend(evidence);
  return evidence;
}

const codesOf = (evidence: Evidence) => contradictionsIn(evidence).map(({ code }) => code);

const OTHER = addressFor("another token");
const contract = (address: string) => ({ address, feedId: null, roundId: "1" });

/** What the service itself decides, and attests nothing without. */
const DECIDED: Record<string, [code: string, bend: Bend]> = {
  "another policy than the intent's": [
    "policy_not_of_intent",
    ({ intent }) => (intent.policyId = "LAST_CLOSE"),
  ],
  "a quote for another amount": ["quote_of_another_amount", ({ quote }) => (quote.amountInRaw += "0")],
  "a quote for other tokens": ["quote_of_other_tokens", ({ quote }) => (quote.path = [OTHER, STOCK])],
  "a signer without a proof": ["signer_without_proof", ({ references }) => (references[0].proof = null)],
  "a proof without a signer": ["signer_without_proof", ({ references }) => (references[0].signer = null)],
  "a factor of another block": [
    "token_fact_of_another_block",
    ({ token }) => (token.factor.blockNumber -= 1),
  ],
  "a halt at a block and at no contract": [
    "token_fact_without_place",
    ({ token }) => (token.halts[0].address = null),
  ],
  "a halt of another contract": [
    "token_fact_of_another_contract",
    ({ token }) => (token.halts[0].address = OTHER),
  ],
};

const CONTRADICTIONS: Record<string, [code: string, bend: Bend]> = {
  ...DECIDED,
  "a token traded for itself": [
    "token_traded_for_itself",
    (evidence) => {
      const { intent, trade, quote } = evidence;
      intent.inputAssetKey = STOCK_KEY;
      trade.settlementAssetKey = STOCK_KEY;
      quote.path = [STOCK, STOCK];
    },
  ],
  "another stock": [
    "stock_not_of_intent",
    ({ trade }) => (trade.stockAssetKey = `eip155:${CHAIN_ID}:${OTHER}`),
  ],
  "another dollar": ["settlement_token_not_of_intent", ({ trade }) => (trade.settlementAssetKey = STOCK_KEY)],
  "one provider in two letter cases": [
    "provider_under_two_names",
    ({ references }) => (references[1].provider = "Pyth"),
  ],
  "one provider with a blank behind it": [
    "provider_under_two_names",
    ({ references }) => (references[1].provider = "pyth "),
  ],
  "one provider in wide letters": [
    "provider_under_two_names",
    ({ references }) => (references[1].provider = "ｐｙｔｈ"),
  ],
  "one provider with an invisible letter": [
    "provider_under_two_names",
    ({ references }) => (references[1].provider = "py\u200bth"),
  ],
  "a dollar's provider in two letter cases": [
    "provider_under_two_names",
    ({ settlement }) => (settlement[1].provider = "PYTH"),
  ],
  "one contract's price by two names": [
    "contract_under_two_names",
    ({ settlement }) => {
      for (const one of settlement) one.onChain = contract(OTHER);
    },
  ],
  "a block without a time": ["block_without_time", ({ chain }) => (chain.blockTimestamp = 0)],
  "a liquidity older than its window": [
    "liquidity_older_than_its_window",
    ({ liquidity }) => (liquidity.updatedAt = NOW - 8 * 86_400),
  ],
  "a liquidity of the future": [
    "liquidity_after_judgement",
    ({ liquidity }) => (liquidity.updatedAt = NOW + 60),
  ],
  "a liquidity without a time": [
    "liquidity_without_samples",
    ({ liquidity }) => (liquidity.updatedAt = null),
  ],
  "grade A at more than 50 bps": [
    "grade_not_of_its_impact",
    ({ liquidity }) => (liquidity.impact10kBps = "50.0001"),
  ],
  "grade B at 48 bps": ["grade_not_of_its_impact", ({ liquidity }) => (liquidity.grade = "B")],
  "grade A without a route": ["grade_not_of_its_impact", ({ liquidity }) => (liquidity.impact10kBps = null)],
  "a grade on two samples": ["grade_not_of_its_impact", ({ liquidity }) => (liquidity.sampleN = 2)],
  "fees of a route that names none": ["path_not_of_its_route", ({ quote }) => (quote.fees = [500])],
  "more fees than hops": ["path_not_of_its_route", ({ quote }) => (quote.fees = [3_000, 3_000])],
  "a path that comes back": [
    "path_not_of_its_route",
    ({ quote }) => (quote.path = [DOLLAR, STOCK, DOLLAR, STOCK]),
  ],
  "a detour through one pool": [
    "path_not_of_its_route",
    ({ quote }) =>
      Object.assign(quote, { selector: "0x414bf389", fees: [500], path: [DOLLAR, OTHER, STOCK] }),
  ],
  "a V3 pool without a fee": [
    "path_not_of_its_route",
    ({ quote }) => Object.assign(quote, { selector: "0x414bf389", fees: [] }),
  ],
  "two fees of one V3 pool": [
    "path_not_of_its_route",
    ({ quote }) => Object.assign(quote, { selector: "0x04e45aaf", fees: [500, 3_000] }),
  ],
  "an owner who may not be paid": [
    "owner_not_allowed_as_recipient",
    ({ guard }) => (guard.recipientAllowed = false),
  ],
};

/** The last value that holds and the first that contradicts. */
const BOUNDARIES: Record<
  string,
  [code: string, last: unknown, first: unknown, set: (evidence: any, value: any) => void]
> = {
  "many samples": [
    "too_many_samples",
    100_000,
    100_001,
    ({ liquidity }, value) => (liquidity.sampleN = value),
  ],
  "an impact below": [
    "impact_out_of_bounds",
    "-10000",
    "-10000.0001",
    ({ liquidity }, value) => (liquidity.impact1kBps = value),
  ],
  "an impact above": [
    "impact_out_of_bounds",
    "1000000",
    "1000000.0001",
    ({ liquidity }, value) => Object.assign(liquidity, { impact10kBps: value, grade: "D" }),
  ],
  "a price before it was published": [
    "received_before_published",
    NOW - 125,
    NOW - 126,
    ({ references }, value) => Object.assign(references[1], { publishedAt: NOW, receivedAt: value }),
  ],
};

/** Everything that has a time at which the service received it. */
const RECEIVED: Record<string, (evidence: any, at: number) => void> = {
  "a price": ({ references }, at) => Object.assign(references[1], { receivedAt: at, publishedAt: NOW - 700 }),
  "a dollar's price": ({ settlement }, at) =>
    Object.assign(settlement[0], { receivedAt: at, publishedAt: NOW - 700 }),
  "a factor": ({ token }, at) => (token.factor.receivedAt = at),
  "an announcement": ({ token }, at) => (token.announcement.receivedAt = at),
  "a halt": ({ token }, at) => (token.halts[0].receivedAt = at),
  "a failure": ({ failures }, at) => failures.push(failed("erc-8056", { subject: "factor", at })),
};
for (const [what, set] of Object.entries(RECEIVED)) {
  BOUNDARIES[`${what} of long before`] = ["received_long_before_judgement", NOW - 600, NOW - 601, set];
  BOUNDARIES[`${what} of afterwards`] = ["received_after_judgement", NOW + 5, NOW + 6, set];
}

describe("contradictions in evidence", () => {
  for (const [name, [code, bend]] of Object.entries(CONTRADICTIONS))
    it(`names ${name} by the code ${code}`, () => {
      expect(codesOf(bent(bend))[0]).to.equal(code);
    });

  for (const [name, [code, last, first, set]] of Object.entries(BOUNDARIES))
    it(`names ${name} one step beyond the bound, ${first}, by the code ${code}`, () => {
      expect(codesOf(bent((evidence) => set(evidence, last)))).to.deep.equal([]);
      expect(codesOf(bent((evidence) => set(evidence, first)))).to.deep.equal([code]);
    });

  it("takes a price of the future for one of a wrong clock, which counts nowhere", () => {
    const future = bent(({ references }) => Object.assign(references[1], { publishedAt: NOW + 900 }));
    expect(codesOf(future)).to.deep.equal([]);
  });

  for (const [name, [code, bend]] of Object.entries(DECIDED))
    it(`are attested by no service: ${name}`, () => {
      const evidence = bent(bend);
      const {
        intent,
        chain,
        references,
        settlement,
        token,
        failures,
        quote,
        session,
        liquidity,
        proofs,
        guard,
      } = evidence;
      const given = {
        chain,
        references,
        settlement,
        token,
        failures,
        quote,
        session,
        liquidity,
        proofs,
        guard,
      };
      expect(() => attest({ ...judgement(), intent, facts: given }))
        .to.throw(AttestorError, code)
        .with.property("code", "invalid_evidence");
    });

  it("are none in what a service makes of facts that agree", () => {
    const v3 = {
      ...quote("buy"),
      routeName: "v3",
      route: REGISTRY.routes[1]!.address,
      selector: "0x414bf389",
    };
    for (const given of [
      facts(),
      facts({ references: [signedReading()] }),
      facts({ quote: { ...v3, fees: [500] } }),
      facts({ quote: null, liquidity: null }),
      facts({ liquidity: { ...facts().liquidity!, grade: null, sampleN: 2 } }),
      facts({ liquidity: { ...facts().liquidity!, grade: "D", impact10kBps: null } }),
    ])
      expect(contradictionsIn(bent(() => {}, given))).to.deep.equal([]);
  });
});

describe("the session of the evidence", () => {
  const SUNDAY = 1_789_920_000;
  /** Evidence of a moment and a session of the real calendar. */
  function inSession(at: number, state: string, source = "nyse-calendar"): string[] {
    const evidence = bent((one) => {
      one.session = { source, state };
      one.capturedAt = at;
    });
    return codesOf(evidence).filter((code) => code.startsWith("session"));
  }

  it("is not more open than the named calendar allows", () => {
    const morning = Date.UTC(2026, 8, 21, 12) / 1_000;
    const christmas = Date.UTC(2026, 11, 25, 16) / 1_000;
    for (const [at, states] of [
      [SUNDAY, ["regular", "pre-market", "post-market", "overnight"]],
      [morning, ["regular", "post-market"]],
      [christmas, ["regular"]],
    ] as const)
      for (const state of states)
        for (const source of ["nyse-calendar", "NYSE-Calendar"])
          expect(inSession(at, state, source), `${state} ${at}`).to.deep.equal(["session_not_of_calendar"]);
  });

  it("may be less open, or have changed while the facts were read", () => {
    for (const state of ["closed", "overnight", "pre-market", "post-market", "regular"])
      expect(inSession(NOW, state), state).to.deep.equal([]);
    const close = Date.UTC(2026, 8, 21, 20) / 1_000;
    expect(inSession(close + 60, "regular")).to.deep.equal([]);
    expect(inSession(close + 180, "regular")).to.deep.equal(["session_not_of_calendar"]);
  });

  it("is compared with no calendar that is not known here", () => {
    expect(inSession(SUNDAY, "regular", "simulated")).to.deep.equal([]);
  });
});
