import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { checksumAddress } from "../../../attestor/evm/address.ts";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import { ByteReader } from "../../../attestor/publishers/byteReader.ts";
import { KNOWN_KEYS, withPublisherKeys } from "../../../attestor/publishers/publisherKeys.ts";
import { parseVaa, type Space, signatureFault } from "../../../attestor/publishers/pyth/vaa.ts";
import { addressFor, NOW } from "../fixtures.ts";

const vectors = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"));
const GUARDIANS = vectors("guardians.json");
const ROUTERS = vectors("routers.json");
const setsOf = (wanted: string) => KNOWN_KEYS.pyth.filter(({ space }) => space === wanted);
/** A set goes on counting for a day after its successor took over. */
const RETIREMENT_SECONDS = 86_400;

/** The set that a message of governance names, whose signers are of the set before. */
function namedBy(message: string, space: Space, signersOf: (index: number) => readonly string[]) {
  const vaa = parseVaa(fromHex(message));
  expect(signatureFault(vaa, space, signersOf(vaa.set))).to.equal(null);
  const reader = new ByteReader(vaa.payload);
  expect(toHex(reader.take(32))).to.equal(`0x${"436f7265".padStart(64, "0")}`);
  expect([reader.number(1), reader.number(2)]).to.eql([2, 0]);
  const index = reader.number(4);
  expect(index).to.equal(vaa.set + 1);
  const signers = Array.from({ length: reader.number(1) }, () => checksumAddress(toHex(reader.take(20))));
  reader.end();
  return { index, validFrom: vaa.timestamp, signers };
}

describe("the known signers of Pyth's prices", () => {
  it("of Wormhole's space are chained by their own signatures from its first key to set 7", () => {
    const known = new Map<number, readonly string[]>([[0, [GUARDIANS.genesisGuardian]]]);
    const named = GUARDIANS.upgrades.map((upgrade: string) => {
      const set = namedBy(upgrade, "wormhole", (index) => known.get(index)!);
      known.set(set.index, set.signers);
      return set;
    });
    const shipped = setsOf("wormhole").map(({ index, validFrom, signers }) => ({
      index,
      validFrom,
      signers,
    }));
    expect(named.slice(2)).to.eql(shipped);
    expect(shipped.map(({ index }) => index)).to.eql([3, 4, 5, 6, 7]);
  });

  it("of Wormhole's space count until a day after the next set, and none beyond a day after the routers took over", () => {
    const cutover = Date.UTC(2026, 7, 26, 16) / 1000;
    const sets = setsOf("wormhole");
    const ends = sets.map((_, place) => (sets[place + 1]?.validFrom ?? cutover) + RETIREMENT_SECONDS);
    expect(sets.map(({ validUntil }) => validUntil)).to.eql(ends);
  });

  it("of the routers' space are chained: set 0 signed the message that names set 1", () => {
    const [first, second] = setsOf("pyth");
    const named = namedBy(ROUTERS.upgrade, "pyth", () => first!.signers);
    expect(named).to.eql({ index: 1, validFrom: 0, signers: second?.signers });
  });

  it("of the routers' space overlap between the last use of set 0 and the first use of set 1 that were seen", () => {
    const [lastOfFirst, firstOfSecond] = ROUTERS.updates.map(({ signedAt }: any) => signedAt);
    const [first, second] = setsOf("pyth");
    expect(first?.validUntil).to.equal(firstOfSecond);
    expect(second).to.include({ validFrom: lastOfFirst, validUntil: null });
  });
});

describe("the publishers' keys of a reader's file", () => {
  const own = { index: 2, validFrom: NOW, validUntil: null, signers: [addressFor("a router")] };
  const [configuration] = KNOWN_KEYS.chainlink;

  it("come beside those known here: sets and configurations", () => {
    const strange = { ...configuration!, digest: `0x${"12".repeat(32)}` };
    const keys = withPublisherKeys({ signerSets: [own], chainlink: [strange] });
    expect(keys.pyth).to.eql([...KNOWN_KEYS.pyth, { space: "pyth", ...own }]);
    expect(keys.chainlink).to.eql([configuration, strange]);
  });

  it("end the open term of a set that is known here, and change nothing else of it", () => {
    const { space, ...first } = KNOWN_KEYS.pyth.find(({ space, index }) => space === "pyth" && index === 0)!;
    const { space: _, ...second } = KNOWN_KEYS.pyth.at(-1)!;
    const later = { validFrom: NOW, validUntil: NOW + 9 };
    const keys = withPublisherKeys({ signerSets: [first, second].map((set) => ({ ...set, ...later })) });
    const [sameFirst, ended] = keys.pyth.slice(-2);
    expect([sameFirst, ended]).to.eql([
      { space, ...first },
      { space, ...second, validUntil: NOW + 9 },
    ]);
  });

  it("cannot take another's place", () => {
    const reading = (value: unknown) => () => withPublisherKeys(value);
    for (const index of [0, 1, 31_337])
      expect(reading({ signerSets: [{ ...own, index }] })).to.throw(
        `router set ${index} is known here with other keys`,
      );
    expect(reading({ chainlink: [{ ...configuration, f: 4 }] })).to.throw("known here with other signers");
    for (const value of [null, {}, [], { signerSets: [] }, { signerSets: [own], more: 1 }, { sets: [] }])
      expect(reading(value), JSON.stringify(value)).to.throw();
  });
});
