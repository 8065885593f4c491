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
import {
  encodeAccumulator,
  leafHash,
  parseAccumulator,
  rootPayload,
} from "../../../attestor/publishers/pyth/accumulator.ts";
import { PYTH, priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { SPACES } from "../../../attestor/publishers/pyth/vaa.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import {
  localSigners,
  type PublishedPrice,
  signedMessage,
  signedUpdate,
} from "../../../devnet/hermes/update.ts";
import { NOW, reading } from "../fixtures.ts";

const VECTORS = JSON.parse(readFileSync(join(import.meta.dirname, "guardians.json"), "utf8"));
const [APPLE, AIRBNB] = VECTORS.update.prices;
const UPDATE = fromHex(VECTORS.update.data);
const BNB = 56;
const LOCAL = 31_337;

const proofOf = (data: Uint8Array) => ({ format: PYTH.format, data: toHex(data) });
const apple = () => priceProofOf(UPDATE, APPLE.feedId)!;
const withSets = (change: (sets: readonly SignerSet[]) => readonly SignerSet[]): PublisherKeys => ({
  ...KNOWN_KEYS,
  pyth: change(KNOWN_KEYS.pyth),
});
const NO_KEYS: PublisherKeys = { pyth: [], chainlink: [] };
const outcomeOf = (data: Uint8Array, chainId = LOCAL, sets = KNOWN_KEYS) =>
  checkPriceProof(proofOf(data), sets, chainId);
const reasonOf = (data: Uint8Array, chainId = LOCAL) => {
  const check = outcomeOf(data, chainId);
  return check.outcome === "signed" ? "signed" : `${check.outcome}: ${check.reason}`;
};

const ACME: PublishedPrice = {
  feedId: id("Equity.US.ACME/USD"),
  price: 20_012_345n,
  confidence: 4_002n,
  exponent: -5,
  publishedAt: NOW - 3,
};
const others = Array.from({ length: 6 }, (_, index) => ({ ...ACME, feedId: id(`feed ${index}`) }));

/** What an update of the local world says once this is done to its parts. */
function bent(change: (vaa: Uint8Array) => void): Uint8Array {
  const { vaa, messages } = parseAccumulator(signedUpdate([ACME], NOW));
  const changed = vaa.slice();
  change(changed);
  return encodeAccumulator({ vaa: changed, messages });
}

describe("a price signed for Pyth by Wormhole's guardians", () => {
  it("says price, confidence and time of the feed, to the last digit", () => {
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

  it("a price signed for Pyth by Wormhole's guardians is taken out of an update of many with its own path and the same signatures", () => {
    const { vaa, messages } = parseAccumulator(UPDATE);
    const alone = parseAccumulator(fromHex(apple().data));
    expect(messages).to.have.length(9);
    expect(alone.messages).to.eql(
      messages.filter(({ message }) => toHex(message.subarray(1, 33)) === APPLE.feedId),
    );
    expect(alone.vaa).to.eql(vaa);
    expect(priceProofOf(UPDATE, id("no such feed"))).to.equal(null);
  });

  it("accepts a price signed for Pyth by Wormhole's guardians on every chain, the local one included", () => {
    expect(checkPriceProof(apple(), KNOWN_KEYS, LOCAL)).to.include({ outcome: "signed" });
  });

  it("a price signed for Pyth by Wormhole's guardians is not verifiable here while its set is not known", () => {
    const others = withSets((sets) => sets.filter(({ index }) => index !== 4));
    const { price, ...told } = checkPriceProof(apple(), others, BNB) as any;
    expect(told).to.eql({
      outcome: "unknown",
      reason: "wormhole guardian set 4 is not known here",
      by: "wormhole guardian set 4",
    });
    expect(price.feedId).to.equal(APPLE.feedId);
  });

  it("needs the very guardians of the set", () => {
    const wrong = withSets((sets) =>
      sets.map((set) => (set.index === 4 ? { ...set, signers: sets.at(4)!.signers } : set)),
    );
    expect(checkPriceProof(apple(), wrong, BNB)).to.deep.include({ outcome: "broken" });
  });

  it("counts within the term of its set alone, the last second included", () => {
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
});

describe("a price signed by the local world's test keys", () => {
  it("a price signed by the local world's test keys is signed by the accounts that the attestor names", () => {
    expect(localAccounts().routers.map(({ address }) => address)).to.eql(LOCAL_SIGNER_SET.signers);
  });

  it("counts on the local chain, with any others in the tree", () => {
    for (const count of [0, 1, 2, 6]) {
      const update = signedUpdate([...others.slice(0, count), ACME], NOW);
      expect(checkPriceProof(priceProofOf(update, ACME.feedId)!, NO_KEYS, LOCAL)).to.eql({
        outcome: "signed",
        by: "test keys of the local world",
        signers: LOCAL_SIGNER_SET.signers.slice(0, 3),
        price: {
          feedId: ACME.feedId,
          price: "200.12345",
          confidence: "0.04002",
          publishedAt: ACME.publishedAt,
          signedAt: NOW,
          session: null,
        },
      });
    }
  });

  it("a price signed by the local world's test keys is refused on any other chain, also where a reader's sets name it", () => {
    const named = withSets((sets) => [...sets, LOCAL_SIGNER_SET]);
    for (const chainId of [1, 56, 31_338])
      expect(outcomeOf(signedUpdate([ACME], NOW), chainId, named)).to.deep.include({ outcome: "broken" });
    expect(reasonOf(signedUpdate([ACME], NOW), 56)).to.contain("count on chain 31337 alone");
  });

  it("needs three of the five", () => {
    const { index, privateKeys } = localSigners();
    const two = signedUpdate([ACME], NOW, { index, privateKeys: privateKeys.slice(0, 2) });
    expect(reasonOf(two)).to.equal("broken: 2 of 5 signers signed, and 3 are needed");
    const sizes = [1, 2, 3, 4, 5, 18, 19, 20];
    expect(sizes.map(SPACES.wormhole.quorum)).to.eql([1, 2, 3, 3, 4, 13, 13, 14]);
    expect(sizes.map(SPACES.pyth.quorum)).to.eql([1, 2, 2, 3, 3, 10, 10, 11]);
  });

  it("a price signed by the local world's test keys does not count one signer twice, nor one that is not there", () => {
    // A signature has 66 bytes, of which the first is the signer's number; the first starts at 6.
    const twice = bent((vaa) => vaa.copyWithin(6 + 66, 6, 6 + 66));
    expect(reasonOf(twice)).to.equal("broken: its signers are not in ascending order");
    const absent = bent((vaa) => vaa.set([5], 6 + 2 * 66));
    expect(reasonOf(absent)).to.equal("broken: its set has no signer 5");
  });

  it("a price signed by the local world's test keys has one accepted form of each signature: not the one with the high s, nor another number for its parity", () => {
    const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = bent((vaa) => {
      const s = BigInt(toHex(vaa.subarray(39, 71)));
      vaa.set(fromHex(`0x${(ORDER - s).toString(16).padStart(64, "0")}`), 39);
      vaa[71] = 1 - vaa[71]!;
    });
    const parity = bent((vaa) => vaa.set([vaa[71]! + 27], 71));
    for (const data of [high, parity])
      expect(reasonOf(data)).to.equal("broken: the signature of signer 0 is not by that signer");
  });

  it("a price signed by the local world's test keys is of Pyth's emitter: another message that they signed is none of its prices", () => {
    const { messages, vaa } = parseAccumulator(signedUpdate([ACME], NOW));
    const payload = vaa.subarray(6 + 3 * 66 + 51);
    for (const emitter of [
      { chain: 1, address: SPACES.pyth.emitter },
      { chain: 26, address: id("another program of Pythnet") },
    ]) {
      const signed = signedMessage(payload, NOW, localSigners(), emitter);
      expect(reasonOf(encodeAccumulator({ vaa: signed, messages }))).to.equal(
        "broken: what was signed is not by Pyth",
      );
    }
  });

  it("leads to the signed root, and to no other", () => {
    const { vaa, messages } = parseAccumulator(signedUpdate([...others, ACME], NOW));
    const [first] = messages;
    const swapped = encodeAccumulator({ vaa, messages: [{ ...messages[1]!, path: first!.path }] });
    const cut = encodeAccumulator({ vaa, messages: [{ ...first!, path: first!.path.slice(1) }] });
    for (const data of [swapped, cut])
      expect(reasonOf(data)).to.equal("broken: its path does not lead from the price to the signed root");
    const other = signedMessage(rootPayload(new Uint8Array(20), BigInt(NOW) * 20n), NOW, localSigners());
    expect(reasonOf(encodeAccumulator({ vaa: other, messages: [first!] }))).to.contain("path does not lead");
  });

  it("has one form: one message, no header of later versions, nothing behind", () => {
    const update = signedUpdate([ACME, ...others], NOW);
    const one = signedUpdate([ACME], NOW);
    const headed = Uint8Array.of(...one.subarray(0, 6), 1, 0xff, ...one.subarray(7));
    const minor = one.with(5, 1);
    const none = encodeAccumulator({ vaa: parseAccumulator(one).vaa, messages: [] });
    for (const data of [update, headed, minor, none])
      expect(reasonOf(data)).to.equal("broken: it is not in its one form, with one message");
    // What a publisher of a later minor version would hand out is brought into that form.
    for (const data of [headed, minor]) expect(priceProofOf(data, ACME.feedId)?.data).to.equal(toHex(one));
    expect(reasonOf(Uint8Array.of(...one, 0))).to.equal("broken: something follows after its end");
  });

  it("a price signed by the local world's test keys is read from a message to which its publisher has added members, and from none that lacks any", () => {
    const { message } = parseAccumulator(signedUpdate([ACME], NOW)).messages[0]!;
    const signedAs = (bytes: Uint8Array) => {
      const vaa = signedMessage(rootPayload(leafHash(bytes), BigInt(NOW) * 20n), NOW, localSigners());
      return outcomeOf(encodeAccumulator({ vaa, messages: [{ message: bytes, path: [] }] }));
    };
    expect(signedAs(Uint8Array.of(...message, 1, 2, 3))).to.eql(signedAs(message));
    expect(signedAs(message).outcome).to.equal("signed");
    expect(signedAs(message.subarray(0, -1))).to.eql({ outcome: "broken", reason: "it ends too early" });
  });

  it("has a slot of the time at which it was signed, and no price of a later time", () => {
    const { messages } = parseAccumulator(signedUpdate([ACME], NOW));
    const root = leafHash(messages[0]!.message);
    const atSlot = (slot: bigint) => {
      const vaa = signedMessage(rootPayload(root, slot), NOW, localSigners());
      return reasonOf(encodeAccumulator({ vaa, messages }));
    };
    expect(atSlot(BigInt(NOW) * 20n)).to.equal("signed");
    for (const slot of [BigInt(NOW) * 20n + 1n, BigInt(NOW), BigInt(NOW - 60) * 20n])
      expect(atSlot(slot)).to.equal("broken: its slot is not of the time at which it was signed");
    expect(reasonOf(signedUpdate([{ ...ACME, publishedAt: NOW + 6 }], NOW))).to.equal(
      "broken: its price is of a later time than its slot",
    );
  });

  it("is distinguished from what is no proof at all", () => {
    const one = signedUpdate([ACME], NOW);
    const at = (place: number, value: number) => one.with(place, value);
    expect(reasonOf(at(0, 0))).to.equal("broken: it is no accumulator update of Pyth");
    expect(reasonOf(at(4, 2))).to.equal("broken: its version is 2, and 1 is known here");
    expect(reasonOf(at(7, 1))).to.equal("broken: it is no Merkle update");
    expect(reasonOf(at(10, 2))).to.equal("broken: its signed message is not of version 1");
    expect(reasonOf(one.subarray(0, 40))).to.equal("broken: it ends too early");
    expect(checkPriceProof({ format: "redstone", data: "0x00" }, KNOWN_KEYS, LOCAL)).to.eql({
      outcome: "unknown",
      reason: 'proofs of the format "redstone" are not known here',
      by: 'proofs of the format "redstone"',
      price: null,
    });
  });

  it("a price signed by the local world's test keys is none that evidence could state when it is negative, or of an exponent beyond all decimals", () => {
    for (const odd of [{ price: -1n }, { exponent: -19 }, { exponent: 19 }, { publishedAt: 253_402_300_800 }])
      expect(reasonOf(signedUpdate([{ ...ACME, ...odd }], NOW))).to.equal(
        "broken: its price is none that evidence can state",
      );
  });
});

describe("what a price of the evidence says otherwise than was signed", () => {
  const proof = priceProofOf(signedUpdate([...others, ACME], NOW), ACME.feedId);
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

  it("cannot be told on another chain, where the local world's keys are anybody's", () => {
    expect(checkPriceProof(proof!, KNOWN_KEYS, 56).outcome).to.equal("broken");
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
    const outcome = (signedAt: number, publishedAt: number) =>
      outcomeOf(signedUpdate([{ ...ACME, publishedAt }], signedAt, { index, privateKeys }), BNB, keys)
        .outcome;
    expect(outcome(replacedAt, replacedAt)).to.equal("signed");
    expect(outcome(replacedAt - 3, replacedAt)).to.equal("signed");
    expect(outcome(replacedAt + 1, replacedAt)).to.equal("unknown");
    expect(outcome(replacedAt - 3, replacedAt + 1)).to.equal("unknown");
    expect(outcome(NOW, NOW - 3)).to.equal("unknown");
  });
});
