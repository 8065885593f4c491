import { expect } from "chai";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { authorize, tradeOf } from "../../attestor/attest.ts";
import { hashIntent, jobIdHash } from "../../attestor/certificate/certificate.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { evaluate, Report } from "../../attestor/report.ts";
import { AttestorError, type AttestorErrorCode } from "../../attestor/values/attestorErrors.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import {
  addressFor,
  CHAIN_ID,
  DOLLAR,
  DOLLAR_KEY,
  facts,
  judgement,
  NOW,
  OWNER,
  quote,
  REGISTRY,
  ROUTER,
  reading,
  reportOn,
  SIDES,
  STOCK,
  STOCK_KEY,
  token,
} from "./fixtures.ts";

const strict = policyById("STRICT_LIVE");

function thrown(act: () => unknown, code: AttestorErrorCode): Error {
  try {
    act();
  } catch (error) {
    expect(error).to.be.instanceOf(AttestorError).with.property("code", code);
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

describe("a report", () => {
  it("binds its evidence by the hash of its canonical JSON", () => {
    const report = reportOn(judgement());
    expect(report.evidenceHash).to.equal(canonicalHash(report.evidence));
    expect(report).to.include({
      jobId: "job_9f2c",
      version: 2,
      policyId: "STRICT_LIVE",
      policyHash: strict.definitionHash,
      registryVersion: REGISTRY.version,
      registryHash: canonicalHash(REGISTRY),
      createdAt: "2026-09-21T14:13:20.000Z",
    });
    expect(Report.parse(report)).to.deep.equal(report);
  });

  it("a report is the same to the byte for the same facts, with their members in any order", () => {
    const shuffled = Object.fromEntries(Object.entries(facts()).reverse()) as unknown as ReturnType<
      typeof facts
    >;
    const first = reportOn(judgement());
    expect(JSON.stringify(reportOn(judgement()))).to.equal(JSON.stringify(first));
    expect(reportOn(judgement({ facts: shuffled })).evidenceHash).to.equal(first.evidenceHash);
  });

  it("follows from the evidence alone: judged again from its saved JSON it reads the same", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SIDES),
        fc.constantFrom("STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"),
        fc.array(
          fc.record({ price: fc.integer({ min: 1, max: 400 }), age: fc.integer({ min: -9, max: 99 }) }),
        ),
        (side, policyId, readings) => {
          const policy = policyById(policyId);
          const references = readings
            .slice(0, 8)
            .map(({ price, age }, index) =>
              reading({ provider: `source ${index % 3}`, price: String(price), publishedAt: NOW - age }),
            );
          const report = reportOn(judgement({ side, policy, facts: facts({ references }, side) }));
          const again = evaluate(policy, JSON.parse(JSON.stringify(report.evidence)));
          expect(again).to.deep.equal(report);
        },
      ),
    );
  });

  it("a report does not care how others set the decimal library", () => {
    const before = { ...Decimal };
    const first = reportOn(judgement());
    try {
      Decimal.set({ precision: 2, toExpPos: 0, rounding: Decimal.ROUND_UP });
      expect(reportOn(judgement())).to.deep.equal(first);
    } finally {
      Decimal.set({ precision: before.precision, toExpPos: before.toExpPos, rounding: before.rounding });
    }
  });

  it("leaves its arguments as they were", () => {
    const given = judgement();
    const copy = structuredClone(given);
    reportOn(given);
    expect(given).to.deep.equal(copy);
  });

  it("brings addresses to their checksummed form", () => {
    const lower = facts({
      quote: {
        ...quote("buy"),
        route: ROUTER.toLowerCase(),
        path: [DOLLAR.toLowerCase(), STOCK.toLowerCase()],
      },
    });
    expect(reportOn(judgement({ facts: lower }))).to.deep.equal(reportOn(judgement()));
  });

  const quoted = (change: object) => ({ facts: facts({ quote: { ...quote("buy"), ...change } }) });
  const priced = (price: string) => ({ facts: facts({ references: [reading({ price })] }) });
  const chained = (change: object) => ({ facts: facts({ chain: { ...facts().chain, ...change } }) });
  const meant = (change: object) => ({ intent: { ...judgement().intent, ...change } });
  const misfits: Record<string, Parameters<typeof judgement>[0]> = {
    "a price that is no number": priced("abc"),
    "a price with an exponent": priced("2e2"),
    "a negative price": priced("-200"),
    "an amount that is no integer": quoted({ amountOutRaw: "1.5" }),
    "an amount past 256 bits": quoted({ amountOutRaw: "9".repeat(78) }),
    "a time with a fraction": { capturedAt: NOW + 0.5 },
    "a time beyond the calendar": { capturedAt: 2 ** 53 - 1 },
    "shares that are no number": { facts: facts({ token: token("") }) },
    "a factor that was read at another block": chained({ blockNumber: 4_201 }),
    "a fact nobody knows": { facts: { ...facts(), weather: "fine" } as never },
    "no guard": { facts: { ...facts(), guard: undefined } as never },
    "readings without end": { facts: facts({ references: Array(33).fill(reading()) }) },
    "an amount of nothing": meant({ amountInRaw: "0" }),
    "slippage past everything": meant({ maxSlippageBps: 10_001 }),
    "another policy than the intent names": meant({ policyId: "LAST_CLOSE" }),
    "a quote for another amount": meant({ amountInRaw: "1000000001" }),
    "a quote the other way": quoted({ path: [STOCK, DOLLAR] }),
    "a chain that is not the assets'": chained({ chainId: 56 }),
  };
  for (const [name, overrides] of Object.entries(misfits))
    it(`a report is refused to facts with ${name}`, () => {
      thrown(() => reportOn(judgement(overrides)), "invalid_evidence");
    });
});

describe("the trade of an intent", () => {
  it("the trade of an intent is the side of the stock, with the decimals of both tokens and the kind of the stock's", () => {
    const stock = {
      stockAssetKey: STOCK_KEY,
      symbol: "ACMEx",
      underlying: "ACME",
      settlementAssetKey: DOLLAR_KEY,
      settlementSymbol: "USDT6",
      tokenKind: "price-bearing",
    };
    expect(tradeOf({ inputAssetKey: DOLLAR_KEY, outputAssetKey: STOCK_KEY }, REGISTRY)).to.deep.equal({
      ...stock,
      side: "buy",
      inputDecimals: 6,
      outputDecimals: 18,
    });
    expect(tradeOf({ inputAssetKey: STOCK_KEY, outputAssetKey: DOLLAR_KEY }, REGISTRY)).to.deep.equal({
      ...stock,
      side: "sell",
      inputDecimals: 18,
      outputDecimals: 6,
    });
  });

  it("the trade of an intent is one stock against one settlement token of the registry, nothing else", () => {
    const unknown = `eip155:${CHAIN_ID}:${addressFor("unknown")}`;
    for (const [inputAssetKey, outputAssetKey] of [
      [STOCK_KEY, STOCK_KEY],
      [DOLLAR_KEY, DOLLAR_KEY],
      [DOLLAR_KEY, unknown],
      [unknown, STOCK_KEY],
      ["", ""],
    ] as const)
      thrown(() => tradeOf({ inputAssetKey, outputAssetKey }, REGISTRY), "invalid_registry");
  });
});

describe("an authorization", () => {
  const call = { callDataHash: `0x${"ab".repeat(32)}`, nonce: "77", deadline: NOW + 300 };

  it("asks the guard for the trade that was judged, and certifies it", () => {
    for (const side of SIDES) {
      const report = reportOn(judgement({ side }));
      const { tradeIntent, certificate } = authorize(strict, report, call);
      expect(tradeIntent).to.deep.equal({
        owner: OWNER,
        recipient: OWNER,
        inputToken: side === "buy" ? DOLLAR : STOCK,
        outputToken: side === "buy" ? STOCK : DOLLAR,
        amountIn: quote(side).amountInRaw,
        minAmountOut: report.evidence.figures.minAmountOutRaw,
        route: ROUTER,
        callDataHash: call.callDataHash,
        policyHash: report.policyHash,
        nonce: "77",
        deadline: String(NOW + 300),
      });
      expect(certificate).to.deep.equal({
        intentHash: hashIntent(tradeIntent),
        evidenceHash: report.evidenceHash,
        jobId: jobIdHash("job_9f2c"),
        reportVersion: "2",
        issuedAt: String(NOW - 2),
        expiresAt: String(NOW - 2 + 120),
      });
    }
  });

  it("a certificate counts from the block, by which the guard judges it, however wrong our clock is", () => {
    for (const ahead of [-60, 60]) {
      const block = facts({ chain: { ...facts().chain, blockTimestamp: NOW + ahead } });
      const { certificate } = authorize(strict, reportOn(judgement({ facts: block })), call);
      expect(certificate.issuedAt).to.equal(String(NOW + ahead));
      expect(certificate.expiresAt).to.equal(String(NOW + ahead + 120));
    }
  });

  it("an authorization is refused to a denied trade", () => {
    const denied = reportOn(judgement({ facts: facts({ session: null }) }));
    thrown(() => authorize(strict, denied, call), "not_allowed");
  });

  it("an authorization is refused under another policy than the one that judged", () => {
    thrown(() => authorize(policyById("LAST_CLOSE"), reportOn(judgement()), call), "not_allowed");
  });
});
