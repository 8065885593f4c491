/** The one form of a proof by Pyth, on prices that the local world's test keys sign: what counts, and each reason to refuse one. */
import { expect } from "chai";
import { id } from "ethers";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import {
  KNOWN_KEYS,
  LOCAL_SIGNER_SET,
  type PublisherKeys,
} from "../../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof } from "../../../attestor/publishers/publishers.ts";
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
import { NOW } from "../fixtures.ts";

const LOCAL = 31_337;
const SLOT = BigInt(NOW) * 20n;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const ACME: PublishedPrice = {
  feedId: id("Equity.US.ACME/USD"),
  price: 20_012_345n,
  confidence: 4_002n,
  exponent: -5,
  publishedAt: NOW - 3,
};
const others = Array.from({ length: 6 }, (_, index) => ({ ...ACME, feedId: id(`feed ${index}`) }));

const checkOf = (data: Uint8Array, chainId = LOCAL, keys = KNOWN_KEYS) =>
  checkPriceProof({ format: PYTH.format, data: toHex(data) }, keys, chainId);

/** An update of the price alone, and its parts. */
const ALONE = signedUpdate([ACME], NOW);
const { vaa: VAA, messages: MESSAGES } = parseAccumulator(ALONE);
const { message: MESSAGE } = MESSAGES[0]!;
const AMONG_OTHERS = parseAccumulator(signedUpdate([...others, ACME], NOW));
const [FIRST, SECOND] = [AMONG_OTHERS.messages[0]!, AMONG_OTHERS.messages[1]!];

/** A signature has 66 bytes, of which the first is the signer's number and the last its parity; the first begins at 6. */
const signatureAt = (index: number) => 6 + index * 66;
/** The update once this is done to a copy of what was signed, with its signatures. */
function bent(change: (vaa: Uint8Array) => void): Uint8Array {
  const vaa = VAA.slice();
  change(vaa);
  return encodeAccumulator({ vaa, messages: MESSAGES });
}
/** The update under other words that the keys signed. */
const signing = (payload: Uint8Array, emitter?: Parameters<typeof signedMessage>[3]) =>
  encodeAccumulator({ vaa: signedMessage(payload, NOW, localSigners(), emitter), messages: MESSAGES });
const atSlot = (slot: bigint) => signing(rootPayload(leafHash(MESSAGE), slot));
const ofMessage = (message: Uint8Array) =>
  encodeAccumulator({
    vaa: signedMessage(rootPayload(leafHash(message), SLOT), NOW, localSigners()),
    messages: [{ message, path: [] }],
  });
const byTwo = () => {
  const { index, privateKeys } = localSigners();
  return signedUpdate([ACME], NOW, { index, privateKeys: privateKeys.slice(0, 2) });
};
/** What was signed, without signatures and head. */
const PAYLOAD = VAA.subarray(signatureAt(3) + 51);

const highS = bent((vaa) => {
  const at = signatureAt(0);
  const s = BigInt(toHex(vaa.subarray(at + 33, at + 65)));
  vaa.set(fromHex(`0x${(ORDER - s).toString(16).padStart(64, "0")}`), at + 33);
  vaa[at + 65] = 1 - vaa[at + 65]!;
});
const otherParity = bent((vaa) => {
  const at = signatureAt(0) + 65;
  vaa[at] = vaa[at]! + 27;
});
const headed = Uint8Array.of(...ALONE.subarray(0, 6), 1, 0xff, ...ALONE.subarray(7));
const ofMinorVersion = ALONE.with(5, 1);

/** Proofs by the reason why they are refused. */
const REFUSED: Readonly<Record<string, readonly Uint8Array[]>> = {
  "2 of 5 signers signed, and 3 are needed": [byTwo()],
  "its signers are not in ascending order": [
    bent((vaa) => vaa.copyWithin(signatureAt(1), signatureAt(0), signatureAt(1))),
  ],
  "its set has no signer 5": [bent((vaa) => vaa.set([5], signatureAt(2)))],
  "the signature of signer 0 is not by that signer": [highS, otherParity],
  "what was signed is not by Pyth": [
    signing(PAYLOAD, { chain: 1, address: SPACES.pyth.emitter }),
    signing(PAYLOAD, { chain: 26, address: id("another program of Pythnet") }),
  ],
  "its path does not lead from the price to the signed root": [
    encodeAccumulator({ vaa: AMONG_OTHERS.vaa, messages: [{ ...SECOND, path: FIRST.path }] }),
    encodeAccumulator({ vaa: AMONG_OTHERS.vaa, messages: [{ ...FIRST, path: FIRST.path.slice(1) }] }),
    signing(rootPayload(new Uint8Array(20), SLOT)),
  ],
  "it is not in its one form, with one message": [
    signedUpdate([ACME, ...others], NOW),
    headed,
    ofMinorVersion,
    encodeAccumulator({ vaa: VAA, messages: [] }),
  ],
  "something follows after its end": [Uint8Array.of(...ALONE, 0)],
  "it ends too early": [ofMessage(MESSAGE.subarray(0, -1)), ALONE.subarray(0, 40)],
  "its slot is not of the time at which it was signed": [SLOT + 1n, BigInt(NOW), SLOT - 1_200n].map(atSlot),
  "its price is of a later time than its slot": [signedUpdate([{ ...ACME, publishedAt: NOW + 6 }], NOW)],
  "it is no accumulator update of Pyth": [ALONE.with(0, 0)],
  "its version is 2, and 1 is known here": [ALONE.with(4, 2)],
  "it is no Merkle update": [ALONE.with(7, 1)],
  "its signed message is not of version 1": [ALONE.with(10, 2)],
  "its price is none that evidence can state": [
    { price: -1n },
    { exponent: -19 },
    { exponent: 19 },
    { publishedAt: 253_402_300_800 },
  ].map((odd) => signedUpdate([{ ...ACME, ...odd }], NOW)),
};

describe("a price signed by test keys of the local world", () => {
  it("a price signed by test keys is signed by the accounts that the attestor names", () => {
    expect(localAccounts().routers.map(({ address }) => address)).to.eql(LOCAL_SIGNER_SET.signers);
  });

  it("a price signed by test keys counts on the local chain, with any others in the tree", () => {
    const noKeys: PublisherKeys = { pyth: [], chainlink: [] };
    for (const count of [0, 1, 2, 6]) {
      const update = signedUpdate([...others.slice(0, count), ACME], NOW);
      expect(checkPriceProof(priceProofOf(update, ACME.feedId)!, noKeys, LOCAL)).to.eql({
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

  it("a price signed by test keys is refused on any other chain, also where a reader's sets name these keys", () => {
    const named = { ...KNOWN_KEYS, pyth: [...KNOWN_KEYS.pyth, LOCAL_SIGNER_SET] };
    for (const chainId of [1, 56, 31_338])
      for (const keys of [KNOWN_KEYS, named]) {
        const check = checkOf(ALONE, chainId, keys);
        expect(check).to.include({ outcome: "broken" });
        expect((check as { reason: string }).reason).to.contain("count on chain 31337 alone");
      }
  });

  for (const [reason, proofs] of Object.entries(REFUSED))
    it(`a price signed by test keys is refused where ${reason}`, () => {
      for (const data of proofs) expect(checkOf(data)).to.eql({ outcome: "broken", reason });
    });

  it("a price signed by test keys counts in the form and the slot that each of these refusals departs from", () => {
    for (const data of [ALONE, signing(PAYLOAD), atSlot(SLOT), ofMessage(MESSAGE)])
      expect(checkOf(data)).to.include({ outcome: "signed" });
  });

  it("a price signed by test keys is brought into its one form where a publisher of a later minor version hands it out", () => {
    for (const data of [headed, ofMinorVersion])
      expect(priceProofOf(data, ACME.feedId)?.data).to.equal(toHex(ALONE));
  });

  it("a price signed by test keys is read from a message to which its publisher has added members", () => {
    expect(checkOf(ofMessage(Uint8Array.of(...MESSAGE, 1, 2, 3)))).to.eql(checkOf(ofMessage(MESSAGE)));
  });

  it("a price signed by test keys is not verifiable in a format that is not known", () => {
    expect(checkPriceProof({ format: "redstone", data: "0x00" }, KNOWN_KEYS, LOCAL)).to.eql({
      outcome: "unknown",
      reason: 'proofs of the format "redstone" are not known here',
      by: 'proofs of the format "redstone"',
      price: null,
    });
  });
});
