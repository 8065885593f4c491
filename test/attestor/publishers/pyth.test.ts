/** A price signed for Pyth as real guardians sign it, who counts as its signer, and what evidence may say of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { id } from "ethers";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import {
  KNOWN_KEYS,
  LOCAL_SIGNER_SET,
  type PublisherKeys,
  type SignerSet,
} from "../../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof, differencesFrom } from "../../../attestor/publishers/publishers.ts";
import { parseAccumulator } from "../../../attestor/publishers/pyth/accumulator.ts";
import { PYTH, priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { SPACES } from "../../../attestor/publishers/pyth/vaa.ts";
import { localSigners, type PublishedPrice, signedUpdate } from "../../../devnet/hermes/update.ts";
import { NOW, reading } from "../fixtures.ts";

const VECTORS = JSON.parse(readFileSync(join(import.meta.dirname, "guardians.json"), "utf8"));
const [APPLE, AIRBNB] = VECTORS.update.prices;
const UPDATE = fromHex(VECTORS.update.data);
const BNB = 56;
const LOCAL = 31_337;

const apple = () => priceProofOf(UPDATE, APPLE.feedId)!;
const withSets = (change: (sets: readonly SignerSet[]) => readonly SignerSet[]): PublisherKeys => ({
  ...KNOWN_KEYS,
  pyth: change(KNOWN_KEYS.pyth),
});

const ACME: PublishedPrice = {
  feedId: id("Equity.US.ACME/USD"),
  price: 20_012_345n,
  confidence: 4_002n,
  exponent: -5,
  publishedAt: NOW - 3,
};

describe("a price signed for Pyth by Wormhole's guardians", () => {
  it("a price of Wormhole's guardians says price, confidence and time of the feed, to the last digit", () => {
    for (const { feedId, price, confidence, publishedAt } of [APPLE, AIRBNB])
      expect(checkPriceProof(priceProofOf(UPDATE, feedId)!, KNOWN_KEYS, BNB)).to.deep.include({
        outcome: "signed",
        by: "wormhole guardian set 4",
        price: {
          feedId,
          price,
          confidence,
          publishedAt,
          signedAt: VECTORS.update.signedAt,
          session: null,
        },
      });
  });

  it("a price of Wormhole's guardians is taken out of an update of many with its own path and the same signatures", () => {
    const { vaa, messages } = parseAccumulator(UPDATE);
    const alone = parseAccumulator(fromHex(apple().data));
    expect(messages).to.have.length(9);
    expect(alone.messages).to.eql(
      messages.filter(({ message }) => toHex(message.subarray(1, 33)) === APPLE.feedId),
    );
    expect(alone.vaa).to.eql(vaa);
    expect(priceProofOf(UPDATE, id("no such feed"))).to.equal(null);
  });

  it("a price of Wormhole's guardians counts on every chain, the local one included", () => {
    expect(checkPriceProof(apple(), KNOWN_KEYS, LOCAL)).to.include({ outcome: "signed" });
  });

  it("a price of Wormhole's guardians is not verifiable here while its set is not known", () => {
    const others = withSets((sets) => sets.filter(({ index }) => index !== 4));
    const { price, ...told } = checkPriceProof(apple(), others, BNB) as any;
    expect(told).to.eql({
      outcome: "unknown",
      reason: "wormhole guardian set 4 is not known here",
      by: "wormhole guardian set 4",
    });
    expect(price.feedId).to.equal(APPLE.feedId);
  });

  it("a price of Wormhole's guardians needs the very guardians of the set", () => {
    const wrong = withSets((sets) =>
      sets.map((set) => (set.index === 4 ? { ...set, signers: sets.at(4)!.signers } : set)),
    );
    expect(checkPriceProof(apple(), wrong, BNB)).to.deep.include({ outcome: "broken" });
  });

  it("a price of Wormhole's guardians counts within the term of its set alone, the last second included", () => {
    const { signedAt } = VECTORS.update;
    const said = (validFrom: number, validUntil: number | null) => {
      const keys = withSets((sets) =>
        sets.map((set) => (set.index === 4 ? { ...set, validFrom, validUntil } : set)),
      );
      const check = checkPriceProof(apple(), keys, BNB);
      return check.outcome === "unknown" ? check.reason : check.outcome;
    };
    expect(said(signedAt, signedAt)).to.equal("signed");
    expect(said(signedAt, null)).to.equal("signed");
    expect(said(signedAt - 9, signedAt - 1)).to.equal(
      "wormhole guardian set 4 had been replaced when it was signed",
    );
    expect(said(signedAt + 1, null)).to.equal("wormhole guardian set 4 did not sign yet at that time");
  });

  it("a price needs two thirds of the guardians and one more, and of routers half of them and one more", () => {
    const sizes = [1, 2, 3, 4, 5, 18, 19, 20];
    expect(sizes.map(SPACES.wormhole.quorum)).to.eql([1, 2, 3, 3, 4, 13, 13, 14]);
    expect(sizes.map(SPACES.pyth.quorum)).to.eql([1, 2, 2, 3, 3, 10, 10, 11]);
  });
});

describe("what a price of the evidence says otherwise than was signed", () => {
  const proof = priceProofOf(signedUpdate([ACME], NOW), ACME.feedId);
  const said = { provider: "pyth", price: "200.12345", confidence: "0.04002", publishedAt: ACME.publishedAt };
  const signed = reading({ ...said, proof });
  const differing = (change: object) => {
    const check = checkPriceProof(proof!, KNOWN_KEYS, LOCAL);
    if (check.outcome !== "signed") throw new Error(check.reason);
    return differencesFrom({ ...signed, ...change }, check.price);
  };

  it("is nothing, or each member by its name", () => {
    expect(differing({})).to.deep.equal([]);
    expect(differing({ price: "200.12346" })).to.deep.equal(["price"]);
    expect(differing({ confidence: null, publishedAt: 1 })).to.deep.equal(["confidence", "publishedAt"]);
    expect(differing({ provider: "finnhub" })).to.deep.equal(["provider"]);
    expect(differing({ kind: "close" })).to.deep.equal(["kind"]);
  });
});

describe("a price of today under the signatures of a set that was replaced", () => {
  it("does not count, also where the message calls itself older", () => {
    const { index, privateKeys } = { ...localSigners(), index: 9 };
    const replacedAt = NOW - 90_000;
    const replaced: SignerSet = {
      space: "pyth",
      index,
      validFrom: NOW - 200_000,
      validUntil: replacedAt,
      signers: LOCAL_SIGNER_SET.signers,
    };
    const keys = withSets((sets) => [...sets, replaced]);
    const outcomeOf = (data: Uint8Array) =>
      checkPriceProof({ format: PYTH.format, data: toHex(data) }, keys, BNB).outcome;
    const outcome = (signedAt: number, publishedAt: number) =>
      outcomeOf(signedUpdate([{ ...ACME, publishedAt }], signedAt, { index, privateKeys }));
    expect(outcome(replacedAt, replacedAt)).to.equal("signed");
    expect(outcome(replacedAt - 3, replacedAt)).to.equal("signed");
    expect(outcome(replacedAt + 1, replacedAt)).to.equal("unknown");
    expect(outcome(replacedAt - 3, replacedAt + 1)).to.equal("unknown");
    expect(outcome(NOW, NOW - 3)).to.equal("unknown");
  });
});
