import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { fromHex } from "../../../attestor/evm/hash.ts";
import {
  KNOWN_KEYS,
  LOCAL_SIGNER_SET,
  RETIREMENT_SECONDS,
  withPublisherKeys,
} from "../../../attestor/publishers/publisherKeys.ts";
import { parseAccumulator } from "../../../attestor/publishers/pyth/accumulator.ts";
import { upgradeSignedBy } from "../../../attestor/publishers/pyth/setUpgrade.ts";
import { localSigners, signedMessage } from "../../../devnet/hermes/update.ts";
import { addressFor, NOW } from "../fixtures.ts";

const vectors = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"));
const GUARDIANS = vectors("guardians.json");
const ROUTERS = vectors("routers.json");
const setsOf = (wanted: string) => KNOWN_KEYS.pyth.filter(({ space }) => space === wanted);
const GOVERNANCE = { chain: 1, address: `0x${"4".padStart(64, "0")}` };

/** What follows the head of an upgrade message that so many signed. */
const payloadOf = (upgrade: string, signatures: number) => fromHex(upgrade).slice(6 + signatures * 66 + 51);

describe("the known signers of Pyth's prices", () => {
  it("of Wormhole's space are chained by their own signatures from its first key to set 7", () => {
    const known = new Map<number, readonly string[]>([[0, [GUARDIANS.genesisGuardian]]]);
    const named = GUARDIANS.upgrades.map((upgrade: string) => {
      const set = upgradeSignedBy(fromHex(upgrade), "wormhole", (index) => known.get(index));
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
    const named = upgradeSignedBy(fromHex(ROUTERS.upgrade), "pyth", (index) =>
      index === 0 ? first?.signers : undefined,
    );
    expect(named).to.eql({ index: 1, validFrom: 0, signers: second?.signers });
  });

  it("of the routers' space overlap between the last use of set 0 and the first use of set 1 that were seen", () => {
    const [lastOfFirst, firstOfSecond] = ROUTERS.updates.map(({ signedAt }: any) => signedAt);
    const [first, second] = setsOf("pyth");
    expect(first?.validUntil).to.equal(firstOfSecond);
    expect(second).to.include({ validFrom: lastOfFirst, validUntil: null });
  });

  it("cannot be named by another set, by a message of another kind, or with one bit changed", () => {
    const upgrade = fromHex(ROUTERS.upgrade);
    const keysOf = (index: number) => setsOf("pyth").find((set) => set.index === index)?.signers;
    const given = (bytes: Uint8Array) => () => upgradeSignedBy(bytes, "pyth", keysOf);
    upgrade.forEach((byte, place) => {
      expect(given(upgrade.with(place, byte ^ 1)), `byte ${place}`).to.throw();
    });
    const { vaa } = parseAccumulator(fromHex(ROUTERS.updates[0].data));
    expect(given(vaa)).to.throw("it is no upgrade of a set of signers");
    const self = signedMessage(payloadOf(ROUTERS.upgrade, 4), NOW, localSigners(), GOVERNANCE);
    expect(() => upgradeSignedBy(self, "pyth", () => LOCAL_SIGNER_SET.signers)).to.throw(
      "set 31337 cannot name set 1",
    );
  });
});

describe("the publishers' keys of a reader's file", () => {
  const own = { index: 2, validFrom: NOW, validUntil: null, signers: [addressFor("a router")] };
  const [configuration] = KNOWN_KEYS.chainlink;

  it("come beside those known here: sets, signed upgrades and configurations", () => {
    const strange = { ...configuration!, digest: `0x${"12".repeat(32)}` };
    const keys = withPublisherKeys({ signerSets: [own], upgrades: [ROUTERS.upgrade], chainlink: [strange] });
    expect(keys.pyth).to.eql([...KNOWN_KEYS.pyth, { space: "pyth", ...own }]);
    expect(keys.chainlink).to.eql([configuration, strange]);
  });

  it("end the term of the predecessor where the file says when an upgrade took effect", () => {
    const { upgrades, signers } = upgradedBy(1);
    const [before, named] = withPublisherKeys({ signerSets: [local], upgrades }).pyth.slice(-2);
    expect(named).to.eql({ space: "pyth", index: 8, validFrom: local.validFrom, validUntil: null, signers });
    expect(before?.validUntil).to.equal(null);
    const dated = { signerSets: [local], upgrades: [{ message: upgrades[0], validFrom: NOW }] };
    const [retired, later] = withPublisherKeys(dated).pyth.slice(-2);
    expect(retired?.validUntil).to.equal(NOW + RETIREMENT_SECONDS);
    expect(later?.validFrom).to.equal(NOW);
  });

  it("cannot take another's place", () => {
    const reading = (value: unknown) => () => withPublisherKeys(value);
    for (const index of [0, 1, 31_337])
      expect(reading({ signerSets: [{ ...own, index }] })).to.throw(
        `router set ${index} is known here with other keys`,
      );
    expect(reading({ chainlink: [{ ...configuration, f: 4 }] })).to.throw("known here with other signers");
    // Wormhole's own set 6 signed the message that names its set 7; the routers know no set 6.
    expect(reading({ upgrades: [GUARDIANS.upgrades[6]] })).to.throw(
      "upgrades[0] cannot be used: set 6, which signed it, is not known",
    );
    for (const value of [null, {}, [], { signerSets: [] }, { upgrades: ["01"] }, { sets: [] }])
      expect(reading(value), JSON.stringify(value)).to.throw();
  });

  /** A set that the test holds the keys of. */
  const local = {
    index: 7,
    validFrom: NOW - 5_000,
    validUntil: null,
    signers: LOCAL_SIGNER_SET.signers,
  };

  /** A message by which that set names one of the next number. */
  function upgradedBy(count: number) {
    const signers = LOCAL_SIGNER_SET.signers.slice(0, count);
    const keys = signers.map((address) => address.slice(2)).join("");
    const head = `${"436f7265".padStart(64, "0")}02000000000008${count.toString(16).padStart(2, "0")}`;
    const payload = fromHex(`0x${head}${keys}`);
    const message = signedMessage(payload, 0, { ...localSigners(), index: local.index }, GOVERNANCE);
    return { signers, upgrades: [`0x${Buffer.from(message).toString("hex")}`] };
  }
});
