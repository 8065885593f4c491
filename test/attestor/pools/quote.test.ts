/** Evidence with the state of its pools: what follows from it is VALID, and anything else is INVALID. */
import { expect } from "chai";
import fc from "fast-check";
import type { QuoteFacts } from "../../../attestor/evidence/facts.ts";
import { poolAddress } from "../../../attestor/pools/create2.ts";
import { MAX_TICK, MIN_TICK } from "../../../attestor/pools/poolState.ts";
import {
  isTickOfPrice,
  MAX_SQRT_RATIO,
  MIN_SQRT_RATIO,
  sqrtRatioAtTick,
} from "../../../attestor/pools/tickMath.ts";
import { addressOf } from "../../../attestor/values/primitives.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import {
  addressFor,
  DOLLAR,
  facts,
  judgement,
  named,
  prepared,
  reportOn,
  SIDES,
  type Side,
  STOCK,
  TRUST,
} from "../fixtures.ts";
import { pooledQuote, ROUTED, V2, V3 } from "./pooledQuotes.ts";

const report = (quote: QuoteFacts, side: Side) =>
  reportOn(judgement({ side, registry: ROUTED, facts: facts({ quote }, side) }));

/** A forger computes every figure and every hash again. */
const verified = (quote: QuoteFacts, side: Side) => verifyReport(report(quote, side), { registry: ROUTED });

const wrongSteps = (quote: QuoteFacts, side: Side) => named(verified(quote, side), "wrong");

const bent = (quote: QuoteFacts, bend: (pool: any) => void): QuoteFacts => {
  const copy = structuredClone(quote);
  bend(copy.pools![0]);
  return copy;
};

describe("a quote with the state of its pools", () => {
  it("makes a prepared trade VALID to a reader with the registry", async () => {
    for (const side of SIDES) {
      const document = await prepared(report(pooledQuote("uniswap-v2", side), side));
      expect(verifyReport(document, { ...TRUST, registry: ROUTED }).verdict).to.equal("VALID");
    }
  });

  it("a quote with the state of its pools is INVALID where the pool is none of the registry's route, when the registry is given", () => {
    for (const kind of ["uniswap-v2", "uniswap-v3"] as const) {
      const forged = bent(pooledQuote(kind, "buy"), (own) =>
        Object.assign(own, { address: addressFor("a pool of my own") }),
      );
      expect(wrongSteps(forged, "buy"), kind).to.deep.equal(["registry"]);
    }
  });

  it("never throws on changed pools, and accepts none", () => {
    const sound = pooledQuote("uniswap-v3", "buy", 200_000_000_000n);
    const original = JSON.parse(JSON.stringify(report(sound, "buy")));
    const pool = original.evidence.quote.pools[0];
    const paths = [
      ...Object.keys(pool).map((key) => [key]),
      ...["words", "ticks"].flatMap((list) =>
        pool[list].flatMap((one: object, n: number) => [
          [list, n],
          ...Object.keys(one).map((key) => [list, n, key]),
        ]),
      ),
    ] as (string | number)[][];
    const anything = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom("0", "-1", "1".repeat(78), -887_273, 32_768, `0x${"f".repeat(64)}`, [], {}, null),
      fc.integer(),
      fc.bigInt().map(String),
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths), anything, (path, value) => {
        const changed = structuredClone(original);
        let holder = changed.evidence.quote.pools[0];
        for (const key of path.slice(0, -1)) holder = holder[key];
        const last = path.at(-1) as string;
        if (JSON.stringify(holder[last]) === JSON.stringify(value)) return;
        holder[last] = value;
        expect(verifyReport(changed).isConsistent).to.equal(false);
        // With the hash made to fit.
        const { quote } = changed.evidence;
        let forged: unknown = null;
        try {
          forged = report(quote, "buy");
        } catch {
          // It does not fit the schema: nobody can make such a report at all.
          return;
        }
        const names = named(verifyReport(forged, { registry: ROUTED }), "wrong");
        // A parsed form may be another way to write the same.
        const same = JSON.stringify((forged as any).evidence.quote) === JSON.stringify(sound);
        if (!same) expect(names.length, JSON.stringify({ path, value })).to.be.greaterThan(0);
      }),
      { numRuns: 400 },
    );
  });
});

describe("a tick's price", () => {
  it("a tick's price is that of the contracts at both ends and at the middle", () => {
    expect(sqrtRatioAtTick(MIN_TICK)).to.equal(MIN_SQRT_RATIO);
    expect(sqrtRatioAtTick(MAX_TICK)).to.equal(MAX_SQRT_RATIO);
    expect(sqrtRatioAtTick(0)).to.equal(1n << 96n);
    for (const tick of [MIN_TICK - 1, MAX_TICK + 1, 0.5])
      expect(() => sqrtRatioAtTick(tick)).to.throw(RangeError);
  });

  it("ascends, and belongs to its own tick or, where a trade down ended on it, to the one below", () => {
    fc.assert(
      fc.property(fc.integer({ min: MIN_TICK + 1, max: MAX_TICK - 2 }), (tick) => {
        const price = sqrtRatioAtTick(tick);
        expect(sqrtRatioAtTick(tick + 1) > price).to.equal(true);
        expect([tick - 2, tick - 1, tick, tick + 1].map((one) => isTickOfPrice(one, price))).to.deep.equal([
          false,
          true,
          true,
          false,
        ]);
      }),
    );
  });
});

it("an address of a pool does not hang on the order in which its tokens are named", () => {
  for (const [route, fee] of [
    [V2, null],
    [V3, 500],
  ] as const)
    expect(poolAddress(route, STOCK, DOLLAR, fee)).to.equal(poolAddress(route, DOLLAR, STOCK, fee));
  expect(addressOf(`eip155:1:${poolAddress(V3, STOCK, DOLLAR, 500)}`)).not.to.equal(
    poolAddress(V3, STOCK, DOLLAR, 3_000),
  );
});
