import { expect } from "chai";
import { getAddress } from "ethers";
import fc from "fast-check";
import {
  Address,
  AssetKey,
  addressOf,
  assetKeyOf,
  BasisPoints,
  Bytes32,
  RawAmount,
  Selector,
  Uint64,
  UnixSeconds,
  UnsignedDecimal,
} from "../../../attestor/values/primitives.ts";
import { addressFor } from "../fixtures.ts";

const address = addressFor("someone");
const lower = address.toLowerCase();
/** The address with the case of its first letter turned round: a wrong checksum. */
const wrong = lower === address ? address.toUpperCase() : flipCase(address);

function flipCase(text: string): string {
  const at = text.search(/[a-fA-F]/);
  const letter = text[at] ?? "";
  const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return text.slice(0, at) + flipped + text.slice(at + 1);
}

describe("primitives", () => {
  it("accept an address in one case or rightly checksummed, and checksum it", () => {
    expect(Address.parse(address)).to.equal(address);
    expect(Address.parse(lower)).to.equal(address);
    expect(Address.parse(`0x${lower.slice(2).toUpperCase()}`)).to.equal(address);
    expect(AssetKey.parse(`eip155:56:${lower}`)).to.equal(`eip155:56:${address}`);
    expect(addressOf(assetKeyOf(56, lower))).to.equal(address);
  });

  it("refuse an address of a wrong checksum, length or alphabet", () => {
    for (const value of [wrong, "", "0x", `${address}0`, address.slice(2), `0X${lower.slice(2)}`]) {
      expect(Address.safeParse(value).success, value).to.equal(false);
      expect(AssetKey.safeParse(`eip155:56:${value}`).success, value).to.equal(false);
    }
  });

  it("refuse asset keys of another form", () => {
    for (const value of [
      `eip155:0:${address}`,
      `eip155:01:${address}`,
      `eip155::${address}`,
      `solana:1:${address}`,
    ])
      expect(AssetKey.safeParse(value).success, value).to.equal(false);
  });

  it("accept every uint256 as a raw amount, and nothing past it", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(RawAmount.parse(value.toString())).to.equal(value.toString());
      }),
    );
    expect(RawAmount.safeParse((2n ** 256n - 1n).toString()).success).to.equal(true);
    expect(RawAmount.safeParse((2n ** 256n).toString()).success).to.equal(false);
    expect(Uint64.safeParse((2n ** 64n - 1n).toString()).success).to.equal(true);
    expect(Uint64.safeParse((2n ** 64n).toString()).success).to.equal(false);
  });

  it("answer every text with yes or no, however long or wrong, and never throw", () => {
    const schemas = [Address, AssetKey, BasisPoints, Bytes32, RawAmount, Selector, Uint64, UnsignedDecimal];
    const odd = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: fc.constantFrom(..."0123456789.-+exabcdefABCDEF"), maxLength: 120 }),
      fc.constantFrom(
        "x".repeat(78),
        "9".repeat(78),
        "9".repeat(100_000),
        "-0",
        "1e5",
        "0x10",
        " 1",
        "1 ",
        "１",
      ),
    );
    fc.assert(
      fc.property(odd, (value) => {
        for (const schema of schemas) expect(schema.safeParse(value).success).to.be.a("boolean");
      }),
      { numRuns: 500 },
    );
    for (const value of ["x".repeat(78), "-1", "01", "1.0", "1e5", "0x10", " 1", "１", ""])
      expect(RawAmount.safeParse(value).success, value).to.equal(false);
  });

  it("know no time that ISO 8601 could not write with four digits of a year", () => {
    expect(UnixSeconds.safeParse(253_402_300_799).success).to.equal(true);
    for (const value of [253_402_300_800, 2 ** 53 - 1, -1, 0.5, Number.NaN])
      expect(UnixSeconds.safeParse(value).success, String(value)).to.equal(false);
    expect(new Date(253_402_300_799_000).toISOString()).to.equal("9999-12-31T23:59:59.000Z");
  });

  it("take the checksum of the library, which knows nothing of chains", () => {
    expect(Address.parse(lower)).to.equal(getAddress(lower));
  });
});
