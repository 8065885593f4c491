import { expect } from "chai";
import { concat, Interface, Signature, Wallet } from "ethers";
import fc from "fast-check";
import { keccak256 } from "viem";
import { hashIntent } from "../../../attestor/certificate/certificate.ts";
import { certificateInCall } from "../../../attestor/certificate/guardCall.ts";
import {
  type CertifiedTrade,
  compactSignature,
  fullSignature,
  PACKED_LENGTH,
  packedCallData,
  packedRelayedCallData,
  packTrade,
  unpackCall,
  unpackTrade,
} from "../../../attestor/certificate/packedTrade.ts";
import { address, bytes, uint } from "../../support/arbitraries.ts";

const guard = new Interface(["function executePacked(bytes)", "function executeForPacked(bytes)"]);

const key = bytes(32)
  .filter((value) => /[^0x]/.test(value) && !value.startsWith("0xff"))
  .map((value) => new Wallet(value));
const signature = fc.tuple(key, bytes(32)).map(([wallet, digest]) => wallet.signingKey.sign(digest));

/** Trades that fit the packed form. */
const trade: fc.Arbitrary<CertifiedTrade> = fc
  .record({
    owner: address,
    inputToken: address,
    outputToken: address,
    route: address,
    amountIn: uint(128),
    minAmountOut: uint(128),
    nonce: uint(96),
    deadline: uint(32),
    reportVersion: uint(32),
    issuedAt: uint(32),
    expiresAt: uint(32),
    evidenceHash: bytes(32),
    policyHash: bytes(32),
    jobId: bytes(32),
    signature,
    routeCallData: bytes(4, 400),
  })
  .map(({ reportVersion, issuedAt, expiresAt, evidenceHash, policyHash, jobId, ...rest }) => {
    const { signature, routeCallData, ...own } = rest;
    const intent = {
      ...own,
      recipient: own.owner,
      selector: routeCallData.slice(0, 10),
      callDataHash: keccak256(routeCallData),
    };
    const intentHash = hashIntent(intent);
    const certificate = { intentHash, evidenceHash, policyHash, jobId, reportVersion, issuedAt, expiresAt };
    return { intent, certificate, certificateSignature: signature.serialized, routeCallData };
  });

/** The trade with a member of its intent otherwise, and all that follows from it. */
function withIntent(given: CertifiedTrade, change: Partial<CertifiedTrade["intent"]>): CertifiedTrade {
  const intent = { ...given.intent, ...change };
  return { ...given, intent, certificate: { ...given.certificate, intentHash: hashIntent(intent) } };
}

describe("a packed trade", () => {
  it("says what was packed, to the last member", () => {
    fc.assert(
      fc.property(trade, (given) => {
        const packed = packTrade(given);
        expect(packed).to.have.length(2 + 2 * PACKED_LENGTH + given.routeCallData.length - 2);
        expect(unpackTrade(given.intent.owner, packed!)).to.deep.equal(given);
      }),
    );
  });

  it("any packed trade is packed again to the same bytes", () => {
    // Half the order of the curve begins with 7f: below it every s counts.
    const lowS = bytes(31).map((rest) => `00${rest.slice(2)}`);
    fc.assert(
      fc.property(address, bytes(216 + 32), lowS, bytes(4, 300), (owner, head, s, data) => {
        const packed = `${head}${s}${data.slice(2)}`;
        const unpacked = unpackTrade(owner, packed);
        expect(unpacked).not.to.equal(null);
        expect(packTrade(unpacked!)).to.equal(packed);
      }),
    );
  });

  it("a packed trade is none with fewer bytes than its head and a selector", () => {
    fc.assert(
      fc.property(address, bytes(0, PACKED_LENGTH + 3), (owner, packed) => {
        expect(unpackTrade(owner, packed)).to.equal(null);
      }),
    );
    expect(unpackTrade(`0x${"11".repeat(20)}`, "0xzz")).to.equal(null);
  });

  it("holds no number that is too large for its place", () => {
    const limits = { amountIn: 128n, minAmountOut: 128n, nonce: 96n, deadline: 32n } as const;
    const times = ["reportVersion", "issuedAt", "expiresAt"] as const;
    fc.assert(
      fc.property(trade, uint(64), (given, beyond) => {
        for (const [name, bits] of Object.entries(limits)) {
          const value = String(2n ** bits + BigInt(beyond));
          expect(packTrade(withIntent(given, { [name]: value })), name).to.equal(null);
        }
        for (const name of times) {
          const certificate = { ...given.certificate, [name]: String(2n ** 32n + BigInt(beyond)) };
          expect(packTrade({ ...given, certificate }), name).to.equal(null);
        }
      }),
    );
  });

  it("a packed trade is none where something does not follow that the guard derives", () => {
    fc.assert(
      fc.property(trade, address, bytes(32), (given, other, hash) => {
        fc.pre(other !== given.intent.owner);
        const { certificate, routeCallData } = given;
        expect(packTrade(withIntent(given, { recipient: other })), "recipient").to.equal(null);
        expect(packTrade(withIntent(given, { callDataHash: hash })), "call data hash").to.equal(null);
        expect(packTrade({ ...given, certificate: { ...certificate, intentHash: hash } })).to.equal(null);
        expect(packTrade({ ...given, routeCallData: `${routeCallData}00` }), "call data").to.equal(null);
        const selector = `0x${(Number.parseInt(routeCallData.slice(2, 4), 16) ^ 1).toString(16).padStart(2, "0")}${routeCallData.slice(4, 10)}`;
        expect(packTrade(withIntent(given, { selector })), "selector").to.equal(null);
        const short = routeCallData.slice(0, 8) as `0x${string}`;
        const cut = withIntent({ ...given, routeCallData: short }, { callDataHash: keccak256(short) });
        expect(packTrade(cut), "three bytes").to.equal(null);
      }),
    );
  });
});

describe("signatures of 64 bytes", () => {
  it("signatures of 64 bytes are those of ethers, and turn back", () => {
    fc.assert(
      fc.property(signature, (given) => {
        const compact = compactSignature(given.serialized);
        expect(compact).to.equal(given.compactSerialized);
        expect(fullSignature(compact!)).to.equal(given.serialized);
        expect(compactSignature(compact!)).to.equal(compact);
      }),
    );
  });

  it("signatures of 64 bytes are none for a high s, another v or another length", () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    fc.assert(
      fc.property(signature, fc.integer({ min: 0, max: 255 }), (given, v) => {
        const high = `0x${(order - BigInt(given.s)).toString(16).padStart(64, "0")}`;
        const turned = `${given.r}${high.slice(2)}${given.v === 27 ? "1c" : "1b"}`;
        expect(compactSignature(turned)).to.equal(null);
        expect(Signature.from(given.serialized).s).to.equal(given.s);
        const odd = `${given.serialized.slice(0, 130)}${v.toString(16).padStart(2, "0")}`;
        if (v !== 27 && v !== 28) expect(compactSignature(odd)).to.equal(null);
        expect(compactSignature(given.serialized.slice(0, 128))).to.equal(null);
        expect(compactSignature(`${given.serialized}00`)).to.equal(null);
      }),
    );
    expect(compactSignature(`0x${"11".repeat(32)}7f${"ff".repeat(31)}`)).to.equal(null);
    expect(compactSignature("0x")).to.equal(null);
  });
});

describe("call data of the packed entry points", () => {
  it("call data of the packed entry points is what the ABI makes of the bytes", () => {
    fc.assert(
      fc.property(trade, signature, (given, owners) => {
        const packed = packTrade(given)!;
        const { owner } = given.intent;
        expect(packedCallData(packed)).to.equal(guard.encodeFunctionData("executePacked", [packed]));
        expect(packedRelayedCallData(owner, owners.serialized, packed)).to.equal(
          guard.encodeFunctionData("executeForPacked", [concat([owner, owners.compactSerialized, packed])]),
        );
        expect(packedRelayedCallData(owner, "0x1234", packed), "a contract's signature").to.equal(null);
      }),
    );
  });

  it("call data of the packed entry points is read as what it is: the trade, its owner and its certificate", () => {
    fc.assert(
      fc.property(trade, signature, (given, owners) => {
        const packed = packTrade(given)!;
        const { owner } = given.intent;
        const { evidenceHash, jobId, reportVersion } = given.certificate;
        const relayed = packedRelayedCallData(owner, owners.serialized, packed)!;
        const calls = [
          ["executePacked", packedCallData(packed)],
          ["executeForPacked", relayed],
        ] as const;
        for (const [functionName, data] of calls) {
          const sender = functionName.startsWith("executeFor") ? undefined : owner;
          expect(unpackCall(data, sender)).to.deep.equal({ functionName, trade: given });
          expect(certificateInCall(data)).to.deep.equal({ evidenceHash, jobId, reportVersion });
        }
      }),
    );
  });

  it("call data of the packed entry points is read where its header points, as the guard reads it, with any bytes in between", () => {
    const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
    fc.assert(
      fc.property(trade, trade, bytes(0, 90), (given, other, between) => {
        const { owner } = given.intent;
        const decoy = packedCallData(packTrade(other)!).slice(74);
        for (const gap of [decoy, between.slice(2), decoy + between.slice(2)]) {
          const whole = packedCallData(packTrade(given)!);
          const data = `${whole.slice(0, 10)}${word(32 + gap.length / 2)}${gap}${whole.slice(74)}`;
          expect(guard.decodeFunctionData("executePacked", data)[0]).to.equal(packTrade(given));
          expect(unpackCall(data, owner)?.trade).to.deep.equal(given);
        }
      }),
    );
    const data = packedCallData(packTrade(fc.sample(trade, 1)[0]!)!);
    for (const place of [2n ** 256n - 1n, 2n ** 64n + 32n, 2n ** 53n + 32n, BigInt(data.length), 0n])
      expect(unpackCall(`${data.slice(0, 10)}${word(place)}${data.slice(74)}`), `${place}`).to.equal(null);
  });

  it("call data of the packed entry points is none where it ends too early or is of another function", () => {
    fc.assert(
      fc.property(trade, fc.nat(), (given, at) => {
        const data = packedCallData(packTrade(given)!);
        const argumentEnds = 138 + 2 * PACKED_LENGTH + given.routeCallData.length - 2;
        expect(unpackCall(data.slice(0, 10 + (at % (argumentEnds - 10))))).to.equal(null);
        expect(unpackCall(`0x12345678${data.slice(10)}`)).to.equal(null);
        expect(unpackCall(`${data}zz`)).to.equal(null);
      }),
    );
  });
});
