/** `MUTATIONS=100000 npx mocha test/attestor/publishers/fuzz.test.ts` tries as many; a run of all tests has no time for them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { id } from "ethers";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import { KNOWN_KEYS } from "../../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof } from "../../../attestor/publishers/publishers.ts";
import { PYTH, priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { signedUpdate } from "../../../devnet/hermes/update.ts";
import { NOW } from "../fixtures.ts";
import { mutated, seeded } from "./mutations.ts";

const MUTATIONS = Number(process.env.MUTATIONS ?? 3_000);
const LOCAL = 31_337;

const VECTORS = JSON.parse(readFileSync(join(import.meta.dirname, "guardians.json"), "utf8"));

function soundProofs(): Uint8Array[] {
  const real = VECTORS.update.prices.map(({ feedId }: { feedId: string }) =>
    priceProofOf(fromHex(VECTORS.update.data), feedId),
  );
  const feeds = ["ACME", "EMCA", "MECA"].map((name, index) => ({
    feedId: id(name),
    price: 20_000_000n + BigInt(index),
    confidence: 4_000n,
    exponent: -5,
    publishedAt: NOW,
  }));
  const local = feeds.map(({ feedId }) => priceProofOf(signedUpdate(feeds, NOW), feedId));
  return [...real, ...local].map(({ data }) => fromHex(data));
}

describe("a proof of a price with anything changed", () => {
  const sound = soundProofs();
  const known = new Set(sound.map(toHex));
  const outcomeOf = (data: string) =>
    checkPriceProof({ format: PYTH.format, data }, KNOWN_KEYS, LOCAL).outcome;

  it("accepts the proof of a price before anything in it is changed", () => {
    for (const data of known) expect(outcomeOf(data)).to.equal("signed");
  });

  it(`a proof of a price with anything changed is accepted never, and makes nothing throw (${MUTATIONS.toLocaleString("en")} changes)`, () => {
    const random = seeded(20_261_122);
    const outcomes = { broken: 0, unknown: 0, signed: 0 };
    for (let tried = 0; tried < MUTATIONS; ) {
      const [one, other] = [random(), random()].map((x) => sound[Math.floor(x * sound.length)]!);
      const data = toHex(mutated(one!, other!, random));
      if (known.has(data)) continue;
      tried++;
      const outcome = outcomeOf(data);
      outcomes[outcome]++;
      if (outcome === "signed") expect.fail(`accepted: ${data}`);
      try {
        priceProofOf(fromHex(data), id("ACME"));
      } catch (error) {
        if (!(error instanceof AttestorError)) throw error;
      }
    }
    // Both ways to fail were tried: a proof of a set that nobody knows is none either.
    expect(outcomes.broken).to.be.greaterThan(MUTATIONS / 2);
    expect(outcomes.unknown).to.be.greaterThan(0);
  }).timeout(600_000);
});
