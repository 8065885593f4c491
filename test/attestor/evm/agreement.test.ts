/** The attestor's own hashing, signing and encoding agrees with ethers for any input. */
import { expect } from "chai";
import {
  AbiCoder,
  formatUnits,
  getAddress,
  hexlify,
  concat as joined,
  keccak256 as keccak,
  recoverAddress as recovered,
  Signature,
  id as textHash,
  Wallet,
} from "ethers";
import fc from "fast-check";
import { checksumAddress } from "../../../attestor/evm/address.ts";
import { concat, id, keccak256 } from "../../../attestor/evm/hash.ts";
import { digestSigner, recoverAddress } from "../../../attestor/evm/signature.ts";
import { decodeRouteCall, type RouteCall } from "../../../attestor/pools/routeCall.ts";
import { rawUnits, wholeUnits } from "../../../attestor/values/wholeUnits.ts";
import { address, bytes, uint } from "../../support/arbitraries.ts";

const data = bytes(0, 200);
const outcome = <T>(act: () => T): T | "refused" => {
  try {
    return act();
  } catch {
    return "refused";
  }
};

/** Of the curve secp256k1: from 1 to one below its order. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const privateKey = fc
  .oneof(fc.bigInt({ min: 1n, max: ORDER - 1n }), fc.constantFrom(1n, ORDER - 1n))
  .map((key) => `0x${key.toString(16).padStart(64, "0")}`);

describe("the attestor and ethers", () => {
  it("hashes bytes and texts as ethers does", () => {
    fc.assert(
      fc.property(fc.array(data, { maxLength: 4 }), fc.string({ unit: "grapheme" }), (parts, text) => {
        expect(concat(parts)).to.equal(joined(parts));
        expect(keccak256(joined(parts))).to.equal(keccak(joined(parts)));
        expect(id(text)).to.equal(textHash(text));
      }),
    );
  });

  it("write an address alike, and refuse the same checksums", () => {
    const casing = fc.constantFrom("lower", "upper", "own", "random");
    fc.assert(
      fc.property(
        bytes(20),
        casing,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (hex, how, up) => {
          const digits = hex.slice(2);
          const written = {
            lower: hex,
            upper: `0x${digits.toUpperCase()}`,
            own: getAddress(hex),
            random: `0x${[...digits].map((digit, index) => (up[index] ? digit.toUpperCase() : digit)).join("")}`,
          }[how];
          expect(outcome(() => checksumAddress(written))).to.equal(outcome(() => getAddress(written)));
        },
      ),
    );
    for (const odd of ["", "0x", "0x12", `0x${"g".repeat(40)}`, `0x${"1".repeat(41)}`])
      expect(
        outcome(() => checksumAddress(odd)),
        odd,
      ).to.equal("refused");
  });

  it("sign alike, to the byte, and find the same signer", () => {
    fc.assert(
      fc.property(privateKey, bytes(32), (key, digest) => {
        const theirs = new Wallet(key);
        const ours = digestSigner(key);
        const signature = ours.sign(digest);
        expect(signature).to.equal(theirs.signingKey.sign(digest).serialized);
        expect(ours.address).to.equal(theirs.address);
        expect(recoverAddress(digest, signature)).to.equal(ours.address);
      }),
      { numRuns: 50 },
    );
  });

  it("refuse a private key that is none of the curve's", () => {
    for (const none of [0n, ORDER, ORDER + 1n, 2n ** 256n - 1n]) {
      const key = `0x${none.toString(16).padStart(64, "0")}`;
      expect(outcome(() => digestSigner(key))).to.equal(outcome(() => new Wallet(key)));
    }
  });

  it("find the same signer of any changed signature, in the one form that the guard takes", () => {
    const { sign } = digestSigner(textHash("a key"));
    const theirs = (digest: string, signature: string): string | null => {
      const found = outcome(() =>
        Signature.from(signature).serialized === signature ? recovered(digest, signature) : null,
      );
      return found === "refused" ? null : found;
    };
    fc.assert(
      fc.property(bytes(32), fc.nat(64), fc.nat(255), fc.boolean(), (digest, place, value, changes) => {
        const signature = sign(digest);
        const written = Buffer.from(signature.slice(2), "hex");
        if (changes) written[place] = value;
        const bent = hexlify(written);
        expect(recoverAddress(digest, bent)).to.equal(theirs(digest, bent));
        const loud = `0x${bent.slice(2).toUpperCase()}`;
        if (loud !== bent) expect(recoverAddress(digest, loud)).to.equal(null);
      }),
      { numRuns: 100 },
    );
    for (const odd of ["", "0x", "no signature", `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`])
      expect(recoverAddress(textHash("digest"), odd), odd).to.equal(null);
  });

  const coder = AbiCoder.defaultAbiCoder();
  const V2 = ["uint256", "uint256", "address[]", "address", "uint256"];
  const V3 = ["address", "address", "uint24", "address", "uint256", "uint256", "uint256", "uint160"];
  const V3_02 = V3.filter((_, index) => index !== 4);

  /** As ethers reads the three functions of routers. */
  function decoded(call: string): RouteCall | null {
    const [selector, body] = [call.slice(0, 10), `0x${call.slice(10)}`];
    const found = outcome(() => {
      if (selector === "0x38ed1739") {
        const [amountIn, , path, recipient] = coder.decode(V2, body);
        return { path: [...path], fees: null, amountIn: String(amountIn), recipient };
      }
      const types = selector === "0x414bf389" ? V3 : V3_02;
      const values = coder.decode(types, body);
      const amountIn = String(values[types.length - 3]);
      return { path: [values[0], values[1]], fees: [Number(values[2])], amountIn, recipient: values[3] };
    });
    return found === "refused" ? null : found;
  }

  it("read the calls of routers alike, sound ones and such as are cut or changed", () => {
    const sound = fc.oneof(
      fc
        .tuple(uint(256), uint(256), fc.array(address, { maxLength: 5 }), address, uint(256))
        .map((values) => `0x38ed1739${coder.encode(V2, values).slice(2)}`),
      fc
        .tuple(address, address, uint(24), address, uint(256), uint(256), uint(256), uint(160))
        .map((values) => `0x414bf389${coder.encode(V3, values).slice(2)}`),
      fc
        .tuple(address, address, uint(24), address, uint(256), uint(256), uint(160))
        .map((values) => `0x04e45aaf${coder.encode(V3_02, values).slice(2)}`),
    );
    fc.assert(
      fc.property(
        sound,
        fc.nat(),
        fc.nat(255),
        fc.constantFrom("as it is", "cut", "changed", "longer"),
        (call, at, byte, how) => {
          const place = 10 + 2 * (at % ((call.length - 10) / 2));
          const digits = byte.toString(16).padStart(2, "0");
          const bent = {
            "as it is": call,
            cut: call.slice(0, place),
            changed: call.slice(0, place) + digits + call.slice(place + 2),
            longer: call + digits,
          }[how];
          expect(decodeRouteCall(bent)).to.eql(decoded(bent));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("write raw units as whole ones alike", () => {
    fc.assert(
      fc.property(uint(256), fc.nat(36), (raw, decimals) => {
        const whole = wholeUnits(raw, decimals);
        expect(whole).to.equal(formatUnits(raw, decimals).replace(/\.0$/, ""));
        expect(rawUnits(whole, decimals)).to.equal(raw);
      }),
    );
    for (const text of ["", "-1", "1e3", "0x1", " 1", ".5", "1.", "1,5", "1.0000001"])
      expect(rawUnits(text, 6), text).to.equal(null);
  });
});
