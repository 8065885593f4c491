import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { id } from "ethers";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import {
  encodeAccumulator,
  leafHash,
  parseAccumulator,
  rootPayload,
} from "../../../attestor/pyth/accumulator.ts";
import {
  type GuardianSet,
  type GuardianSets,
  KNOWN_GUARDIAN_SETS,
  LOCAL_GUARDIAN_SET,
  RETIREMENT_SECONDS,
  withGuardianSets,
} from "../../../attestor/pyth/guardianSets.ts";
import { upgradeSignedBy } from "../../../attestor/pyth/guardianSetUpgrade.ts";
import {
  checkPriceProof,
  PYTH_ACCUMULATOR,
  PYTHNET_EMITTER,
  priceProofOf,
  signedBy,
} from "../../../attestor/pyth/priceProof.ts";
import { quorumOf } from "../../../attestor/pyth/vaa.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import {
  localGuardians,
  type PublishedPrice,
  signedMessage,
  signedUpdate,
} from "../../../devnet/hermes/update.ts";
import { NOW, reading } from "../fixtures.ts";

const VECTORS = JSON.parse(readFileSync(join(import.meta.dirname, "vectors.json"), "utf8"));
const [APPLE, AIRBNB] = VECTORS.update.prices;
const UPDATE = fromHex(VECTORS.update.data);
const BNB = 56;
const LOCAL = 31_337;

const proofOf = (data: Uint8Array) => ({ format: PYTH_ACCUMULATOR, data: toHex(data) });
const apple = () => priceProofOf(UPDATE, APPLE.feedId)!;
const outcomeOf = (data: Uint8Array, chainId = LOCAL, sets = KNOWN_GUARDIAN_SETS) =>
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

describe("a price signed by Pyth's guardians", () => {
  it("says price, confidence and time of the feed, to the last digit", () => {
    for (const { feedId, price, confidence, publishedAt } of [APPLE, AIRBNB])
      expect(checkPriceProof(priceProofOf(UPDATE, feedId)!, KNOWN_GUARDIAN_SETS, BNB)).to.eql({
        outcome: "signed",
        by: "pyth guardian set 4",
        price: { feedId, price, confidence, publishedAt },
      });
  });

  it("a price signed by Pyth's guardians is taken out of an update of many with its own path and the same signatures", () => {
    const { vaa, messages } = parseAccumulator(UPDATE);
    const alone = parseAccumulator(fromHex(apple().data));
    expect(messages).to.have.length(9);
    expect(alone.messages).to.eql(
      messages.filter(({ message }) => toHex(message.subarray(1, 33)) === APPLE.feedId),
    );
    expect(alone.vaa).to.eql(vaa);
    expect(priceProofOf(UPDATE, id("no such feed"))).to.equal(null);
  });

  it("accepts a price signed by Pyth's guardians on every chain, the local one included", () => {
    expect(checkPriceProof(apple(), KNOWN_GUARDIAN_SETS, LOCAL)).to.include({ outcome: "signed" });
  });

  it("a price signed by Pyth's guardians is nobody's word here while its guardian set is not known", () => {
    const later = KNOWN_GUARDIAN_SETS.filter(({ index }) => index !== 4);
    expect(checkPriceProof(apple(), later, BNB)).to.eql({
      outcome: "unknown",
      reason: "guardian set 4 is not known here",
    });
  });

  it("needs the very guardians of the set", () => {
    const wrong = KNOWN_GUARDIAN_SETS.map((set) =>
      set.index === 4 ? { ...set, guardians: KNOWN_GUARDIAN_SETS.at(-1)!.guardians } : set,
    );
    expect(checkPriceProof(apple(), wrong, BNB)).to.deep.include({ outcome: "broken" });
  });

  it("counts until a day after the next set was named, and not before its own", () => {
    const at = (own: number, next: number): GuardianSets =>
      KNOWN_GUARDIAN_SETS.map((set) => ({ ...set, validFrom: set.index === 4 ? own : next }));
    const { signedAt } = VECTORS.update;
    const said = (own: number, next: number) => {
      const check = checkPriceProof(apple(), at(own, next), BNB);
      return check.outcome === "unknown" ? check.reason : check.outcome;
    };
    expect(said(signedAt, signedAt - RETIREMENT_SECONDS)).to.equal("signed");
    expect(said(signedAt, signedAt - RETIREMENT_SECONDS - 1)).to.equal(
      "guardian set 4 had been replaced when it was signed",
    );
    expect(said(signedAt + 1, signedAt)).to.equal("guardian set 4 was not named yet when it was signed");
  });
});

describe("a price signed by the local world's guardians", () => {
  it("a price signed by the local world's guardians is signed by the accounts that the attestor names", () => {
    expect(localAccounts().guardians.map(({ address }) => address)).to.eql(LOCAL_GUARDIAN_SET.guardians);
  });

  it("counts on the local chain, whatever stands beside it in the tree", () => {
    for (const count of [0, 1, 2, 6]) {
      const update = signedUpdate([...others.slice(0, count), ACME], NOW);
      expect(checkPriceProof(priceProofOf(update, ACME.feedId)!, [], LOCAL)).to.eql({
        outcome: "signed",
        by: "the local world's guardian set",
        price: {
          feedId: ACME.feedId,
          price: "200.12345",
          confidence: "0.04002",
          publishedAt: ACME.publishedAt,
        },
      });
    }
  });

  it("a price signed by the local world's guardians is refused on any other chain, also where a reader's sets name it", () => {
    const named = [...KNOWN_GUARDIAN_SETS, LOCAL_GUARDIAN_SET];
    for (const chainId of [1, 56, 31_338])
      expect(outcomeOf(signedUpdate([ACME], NOW), chainId, named)).to.deep.include({ outcome: "broken" });
    expect(reasonOf(signedUpdate([ACME], NOW), 56)).to.contain("count on chain 31337 alone");
  });

  it("needs more than two thirds of them", () => {
    const { index, privateKeys } = localGuardians();
    const two = signedUpdate([ACME], NOW, { index, privateKeys: privateKeys.slice(0, 2) });
    expect(reasonOf(two)).to.equal("broken: 2 of 3 guardians signed, and 3 are needed");
    expect([1, 2, 3, 4, 18, 19, 20].map(quorumOf)).to.eql([1, 2, 3, 3, 13, 13, 14]);
  });

  it("a price signed by the local world's guardians does not count one guardian twice, nor one that is not there", () => {
    // A signature has 66 bytes, of which the first is the guardian's number; the first stands at 6.
    const twice = bent((vaa) => vaa.copyWithin(6 + 66, 6, 6 + 66));
    expect(reasonOf(twice)).to.equal("broken: its guardians do not stand in ascending order");
    const absent = bent((vaa) => vaa.set([3], 6 + 2 * 66));
    expect(reasonOf(absent)).to.equal("broken: its guardian set has no guardian 3");
  });

  it("a price signed by the local world's guardians has one accepted form of each signature: not the one with the high s, nor another number for its parity", () => {
    const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const high = bent((vaa) => {
      const s = BigInt(toHex(vaa.subarray(39, 71)));
      vaa.set(fromHex(`0x${(ORDER - s).toString(16).padStart(64, "0")}`), 39);
      vaa[71] = 1 - vaa[71]!;
    });
    const parity = bent((vaa) => vaa.set([vaa[71]! + 27], 71));
    for (const data of [high, parity])
      expect(reasonOf(data)).to.equal("broken: the signature of guardian 0 is not by that guardian");
  });

  it("a price signed by the local world's guardians is of Pyth's emitter: another message that guardians signed is none of its prices", () => {
    const { messages, vaa } = parseAccumulator(signedUpdate([ACME], NOW));
    const payload = vaa.subarray(6 + 3 * 66 + 51);
    for (const emitter of [
      { chain: 1, address: PYTHNET_EMITTER },
      { chain: 26, address: id("another program of Pythnet") },
    ]) {
      const signed = signedMessage(payload, NOW, localGuardians(), emitter);
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
    const other = signedMessage(rootPayload(new Uint8Array(20), 1n), NOW, localGuardians());
    expect(reasonOf(encodeAccumulator({ vaa: other, messages: [first!] }))).to.contain("path does not lead");
  });

  it("stands in one form: one message, no header of later versions, nothing behind", () => {
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

  it("a price signed by the local world's guardians is read from a message to which its publisher has added members, and from none that lacks any", () => {
    const { message } = parseAccumulator(signedUpdate([ACME], NOW)).messages[0]!;
    const signedAs = (bytes: Uint8Array) => {
      const vaa = signedMessage(rootPayload(leafHash(bytes), 1n), NOW, localGuardians());
      return outcomeOf(encodeAccumulator({ vaa, messages: [{ message: bytes, path: [] }] }));
    };
    expect(signedAs(Uint8Array.of(...message, 1, 2, 3))).to.eql(signedAs(message));
    expect(signedAs(message).outcome).to.equal("signed");
    expect(signedAs(message.subarray(0, -1))).to.eql({ outcome: "broken", reason: "it ends too early" });
  });

  it("is told apart from what is no proof at all", () => {
    const one = signedUpdate([ACME], NOW);
    const at = (place: number, value: number) => one.with(place, value);
    expect(reasonOf(at(0, 0))).to.equal("broken: it is no accumulator update of Pyth");
    expect(reasonOf(at(4, 2))).to.equal("broken: its version is 2, and 1 is known here");
    expect(reasonOf(at(7, 1))).to.equal("broken: it is no Merkle update");
    expect(reasonOf(at(10, 2))).to.equal("broken: its signed message is not of version 1");
    expect(reasonOf(one.subarray(0, 40))).to.equal("broken: it ends too early");
    expect(checkPriceProof({ format: "redstone", data: "0x00" }, KNOWN_GUARDIAN_SETS, LOCAL)).to.eql({
      outcome: "unknown",
      reason: 'proofs of the format "redstone" are not known here',
    });
  });

  it("a price signed by the local world's guardians is none that evidence could state when it is negative, or of an exponent beyond all decimals", () => {
    for (const odd of [{ price: -1n }, { exponent: -19 }, { exponent: 19 }, { publishedAt: 253_402_300_800 }])
      expect(reasonOf(signedUpdate([{ ...ACME, ...odd }], NOW))).to.equal(
        "broken: its price is none that evidence can state",
      );
  });
});

describe("who signed a price of the evidence", () => {
  const proof = priceProofOf(signedUpdate([...others, ACME], NOW), ACME.feedId);
  const signed = reading({
    provider: "pyth",
    price: "200.12345",
    confidence: "0.04002",
    publishedAt: ACME.publishedAt,
    proof,
  });

  it("who signed a price of the evidence is named where the evidence says what was signed", () => {
    expect(signedBy(signed, LOCAL)).to.eql({ by: "the local world's guardian set", reason: null });
  });

  it("who signed a price of the evidence is nobody where it says anything else, and where there is no proof", () => {
    const otherwise = (change: object) => signedBy({ ...signed, ...change }, LOCAL).reason;
    const unlike = "what was signed reads otherwise:";
    expect(otherwise({ price: "200.12346" })).to.equal(`${unlike} price`);
    expect(otherwise({ confidence: null, publishedAt: 1 })).to.equal(`${unlike} confidence, publishedAt`);
    expect(otherwise({ provider: "finnhub" })).to.equal(`${unlike} provider`);
    expect(otherwise({ kind: "close" })).to.equal(`${unlike} kind`);
    expect(otherwise({ proof: null })).to.equal("it carries no proof");
    expect(signedBy(signed, 56).by).to.equal(null);
  });
});

describe("guardian sets", () => {
  const known = new Map<number, readonly string[]>([[0, [VECTORS.genesisGuardian]]]);

  it("guardian sets are chained by their own signatures from Wormhole's first key to the newest known here", () => {
    const named: GuardianSet[] = VECTORS.upgrades.map((upgrade: string) => {
      const set = upgradeSignedBy(fromHex(upgrade), (index) => known.get(index));
      known.set(set.index, set.guardians);
      return set;
    });
    expect(named.filter(({ index }) => index >= 3)).to.eql(KNOWN_GUARDIAN_SETS);
    expect(named.map(({ index }) => index)).to.eql([1, 2, 3, 4, 5, 6, 7]);
  });

  it("guardian sets cannot be named by another set, by a message of another kind, or with one bit changed", () => {
    const upgrade = fromHex(VECTORS.upgrades[6]);
    const given = (bytes: Uint8Array) => () => upgradeSignedBy(bytes, (index) => known.get(index));
    for (const place of [2, 10, 6 + 14 * 66 + 3, upgrade.length - 1]) {
      expect(given(upgrade.with(place, upgrade[place]! ^ 1)), String(place)).to.throw();
    }
    const price = parseAccumulator(UPDATE).vaa;
    expect(given(price)).to.throw("it is no upgrade of the guardian set");
    const governance = { chain: 1, address: `0x${"4".padStart(64, "0")}` };
    const self = signedMessage(upgrade.slice(6 + 14 * 66 + 51), NOW, localGuardians(), governance);
    expect(() => upgradeSignedBy(self, () => LOCAL_GUARDIAN_SET.guardians)).to.throw(
      "set 31337 cannot name set 7",
    );
  });

  it("of a reader's file come beside those known here, by their own word or by a known set's", () => {
    const next = {
      index: 8,
      validFrom: 1_790_000_000,
      guardians: [APPLE, AIRBNB].map(({ feedId }) => feedId.slice(0, 42)),
    };
    const sets = withGuardianSets({ guardianSets: [next], upgrades: [VECTORS.upgrades[6]] });
    expect(sets.map(({ index }) => index)).to.eql([3, 4, 5, 6, 7, 8]);
    expect(sets.at(-1)?.guardians.map((address) => address.toLowerCase())).to.eql(next.guardians);
  });

  it("of a reader's file cannot stand in another's place", () => {
    const own = { validFrom: 1, guardians: [LOCAL_GUARDIAN_SET.guardians[0]] };
    const reading = (value: unknown) => () => withGuardianSets(value);
    for (const index of [4, 31_337])
      expect(reading({ guardianSets: [{ ...own, index }] })).to.throw(
        `guardian set ${index} is known here with other guardians`,
      );
    expect(reading({ upgrades: [VECTORS.upgrades[0]] })).to.throw(
      "upgrades[0] cannot be used: guardian set 0, which signed it, is not known",
    );
    for (const value of [null, {}, [], { guardianSets: [] }, { upgrades: ["01"] }, { sets: [] }])
      expect(reading(value), JSON.stringify(value)).to.throw();
  });
});
