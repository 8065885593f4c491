/** Every vector that a publisher really signed, and everything that somebody could do to it: nothing of that passes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { concatBytes } from "@noble/hashes/utils.js";
import { expect } from "chai";
import { sessionAt } from "../../../attestor/calendar.ts";
import type { PriceProof } from "../../../attestor/evidence/facts.ts";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import { CHAINLINK } from "../../../attestor/publishers/chainlink/chainlink.ts";
import type { ProofCheck } from "../../../attestor/publishers/publisher.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof } from "../../../attestor/publishers/publishers.ts";
import { encodeAccumulator, parseAccumulator } from "../../../attestor/publishers/pyth/accumulator.ts";
import { PYTH } from "../../../attestor/publishers/pyth/pyth.ts";
import { SPACES } from "../../../attestor/publishers/pyth/vaa.ts";
import { ALL } from "../../support/all.ts";
import { signedReport } from "../../support/providers/dataStreams.ts";

const BNB = 56;
/** Of the bytes, one in so many is changed; with `--all` each of them in the first proof of each set of keys. */
const STEP = 11;
const ROUTERS_FILE = join(import.meta.dirname, "routers.json");
const ROUTERS: { set: number; data: string }[] = JSON.parse(readFileSync(ROUTERS_FILE, "utf8")).updates;
const reported = (data: string): PriceProof => ({ format: CHAINLINK.format, data });
const [AAPL, SPY] = [reported(signedReport("AAPL")), reported(signedReport("SPY"))];
const [GOLD, CRYPTO] = [reported(signedReport("XAU")), reported(signedReport("v3"))];

const check = (proof: PriceProof, keys: PublisherKeys = KNOWN_KEYS) => checkPriceProof(proof, keys, BNB);
const said = (one: ProofCheck) => (one.outcome === "signed" ? one.price : one.reason);
/** Every proof of one price that the routers' updates hold. */
const routed = ROUTERS.flatMap(({ set, data }) =>
  PYTH.proofsIn(fromHex(data)).map((proof) => ({ set, proof })),
);
const SIGNED: [string, PriceProof][] = [
  ...routed.map(({ set, proof }, index): [string, PriceProof] => [
    `price ${index} of router set ${set}`,
    proof,
  ]),
  ["Chainlink's AAPL", AAPL],
  ["Chainlink's SPY", SPY],
  ["Chainlink's XAU", GOLD],
];

const withSet = (index: number, change: object): PublisherKeys => ({
  ...KNOWN_KEYS,
  pyth: KNOWN_KEYS.pyth.map((set) =>
    set.space === "pyth" && set.index === index ? { ...set, ...change } : set,
  ),
});
const withConfiguration = (change: object): PublisherKeys => ({
  ...KNOWN_KEYS,
  chainlink: KNOWN_KEYS.chainlink.map((one) => ({ ...one, ...change })),
});

describe("what publishers really signed", () => {
  it("is accepted, every price of it, with the set that signed", () => {
    for (const { set, proof } of routed) {
      const checked = check(proof);
      expect(checked).to.include({ outcome: "signed", by: `pyth router set ${set}` });
      expect((checked as any).signers).to.have.length(3);
    }
    expect(routed).to.have.length(7);
    for (const [name, proof] of SIGNED.slice(-3))
      expect(check(proof), name).to.include({
        outcome: "signed",
        by: "chainlink configuration 0x00094baebfda9b87680d8e59aa20a3e565126640ee7caeab3cd965e5568b17ee",
      });
  });

  it("says price, half-spread, times and session, to the last digit", () => {
    expect(said(check(AAPL))).to.eql({
      feedId: "0x000bbd87a23775b4c11092ae9a1fc7b3393636ae1dbb9f1ef460f845c0f4cff1",
      price: "313.25735",
      confidence: "0.05265",
      publishedAt: 1_788_976_800,
      signedAt: 1_788_976_800,
      session: "regular",
    });
    expect(said(check(SPY))).to.deep.include({ price: "767.645", session: "regular" });
    // SPY was last seen 3 s before its report.
    expect(said(check(SPY))).to.deep.include({ publishedAt: 1_788_880_197, signedAt: 1_788_880_200 });
    const last = check(routed.at(-1)!.proof);
    expect(said(last)).to.deep.include({ price: "84804.7515", session: null, signedAt: 1_791_030_045 });
  });

  it("agrees with the calendar where it states the session of US stocks", () => {
    for (const proof of [AAPL, SPY]) {
      const { session, signedAt } = said(check(proof)) as any;
      expect(sessionAt(signedAt).state).to.equal(session);
    }
  });

  it("states a session only where somebody says what the stream's market status means", () => {
    const [known] = KNOWN_KEYS.chainlink;
    const feedId = (said(check(GOLD)) as any).feedId;
    const sessionIf = (marketStatus: "24/5" | "open-closed") =>
      (said(check(GOLD, withConfiguration({ feeds: [{ feedId, symbol: "XAU", marketStatus }] }))) as any)
        .session;
    expect((said(check(GOLD)) as any).session).to.equal(null);
    expect(known?.feeds.map(({ symbol }) => symbol)).to.eql(["AAPL", "SPY"]);
    // On a Saturday its status is 5, which the two-valued streams do not have.
    expect([sessionIf("24/5"), sessionIf("open-closed")]).to.eql(["closed", null]);
  });
});

describe("what publishers signed, with anything changed", () => {
  const signedBy = new Set<string | null>();
  for (const [name, proof] of SIGNED) {
    const checked = check(proof);
    const by = "by" in checked ? checked.by : null;
    const step = ALL && !signedBy.has(by) ? 1 : STEP;
    signedBy.add(by);
    it(`${name} proves nothing with one byte changed, whichever it is, cut off or added to`, () => {
      const bytes = fromHex(proof.data);
      const outcome = (changed: Uint8Array) => check({ ...proof, data: toHex(changed) }).outcome;
      const places = Array.from(bytes.keys()).filter((place) => place % step === 0);
      const changed = (place: number) => bytes.with(place, bytes[place]! ^ (1 << (place % 8)));
      expect(places.filter((place) => outcome(changed(place)) === "signed")).to.eql([]);
      expect(outcome(bytes.slice(0, -1))).to.equal("broken");
      expect(outcome(concatBytes(bytes, Uint8Array.of(0)))).to.equal("broken");
    }).timeout(60_000);
  }

  it("proves nothing under another space, set, digest or schema", () => {
    const router = routed[0]!.proof;
    const text = SPACES.pyth.emitter.slice(2);
    const elsewhere = { ...router, data: router.data.replace(text, SPACES.wormhole.emitter.slice(2)) };
    // Wormhole's set 0 is not known here, and its number names no set of routers.
    expect(check(elsewhere)).to.include({ outcome: "unknown", by: "wormhole guardian set 0" });
    const asOther = fromHex(router.data);
    asOther[14] = 1;
    expect(check({ ...router, data: toHex(asOther) }).outcome).to.equal("broken");
    expect(check(CRYPTO)).to.include({
      outcome: "unknown",
      reason: "reports of schema v3 are not known here",
    });
    for (const digest of [`0x${"00".repeat(32)}`, `0x0006${"bd".repeat(30)}`])
      expect(check(AAPL, withConfiguration({ digest })).outcome).to.equal("unknown");
    expect(check({ ...AAPL, format: PYTH.format }).outcome).to.equal("broken");
    expect(check({ ...router, format: CHAINLINK.format }).outcome).to.equal("broken");
  });

  it("proves nothing by keys after their term, or before it", () => {
    for (const { set, proof } of routed) {
      const { signedAt } = said(check(proof)) as any;
      const ended = check(proof, withSet(set, { validFrom: 0, validUntil: signedAt - 1 }));
      expect(ended).to.include({ outcome: "unknown", by: `pyth router set ${set}` });
      expect(check(proof, withSet(set, { validFrom: signedAt + 1 })).outcome).to.equal("unknown");
    }
  });

  it("proves nothing with fewer signers, or one twice: of routers three of five", () => {
    const { vaa, messages } = parseAccumulator(fromHex(routed[0]!.proof.data));
    const signature = (place: number) => vaa.slice(6 + place * 66, 6 + (place + 1) * 66);
    const body = vaa.slice(6 + 3 * 66);
    const signedAs = (places: number[]) => {
      const bytes = concatBytes(
        vaa.slice(0, 5),
        Uint8Array.of(places.length),
        ...places.map(signature),
        body,
      );
      return said(check({ ...routed[0]!.proof, data: toHex(encodeAccumulator({ vaa: bytes, messages })) }));
    };
    expect(signedAs([0, 1, 2])).to.have.property("price");
    expect(signedAs([0, 1])).to.equal("2 of 5 signers signed, and 3 are needed");
    for (const places of [
      [0, 1, 1],
      [0, 0, 1],
      [1, 0, 2],
    ])
      expect(signedAs(places)).to.equal("its signers are not in ascending order");
  });

  it("proves nothing with fewer or more signers than f + 1, one twice, or a stranger: of Chainlink's sixteen six", () => {
    const bytes = fromHex(AAPL.data);
    const word = (index: number) => bytes.slice(32 * index, 32 * index + 32);
    const HEAD = 7 + 1 + 14;
    const [rs, ss] = [HEAD + 1, HEAD + 1 + 6 + 1].map((from) =>
      Array.from({ length: 6 }, (_, index) => word(from + index)),
    ) as [Uint8Array[], Uint8Array[]];
    const length = (count: number) => fromHex(`0x${count.toString(16).padStart(64, "0")}`);
    const signedBy = (places: number[]) => {
      const vs = new Uint8Array(32);
      places.forEach((place, index) => {
        vs[index] = word(6)[place]!;
      });
      const head = bytes.slice(0, 32 * 5);
      const ssPlace = length(32 * (HEAD + 1 + places.length));
      const blob = bytes.slice(32 * 7, 32 * HEAD);
      const list = (all: Uint8Array[]) => [length(places.length), ...places.map((place) => all[place]!)];
      const data = toHex(concatBytes(head, ssPlace, vs, blob, ...list(rs), ...list(ss)));
      return said(check({ ...AAPL, data }));
    };
    expect(signedBy([0, 1, 2, 3, 4, 5])).to.have.property("price");
    expect(signedBy([0, 1, 2, 3, 4])).to.equal("5 of 16 signers signed, and exactly 6 are needed");
    expect(signedBy([0, 1, 2, 3, 4, 5, 5])).to.equal("7 of 16 signers signed, and exactly 6 are needed");
    expect(signedBy([0, 1, 2, 3, 4, 4])).to.equal("one signer signed twice");
    const [configuration] = KNOWN_KEYS.chainlink;
    const outsider = (said(check(AAPL)) as any) && (check(AAPL) as any).signers[2];
    const signers = configuration!.signers.filter((address) => address !== outsider);
    expect(said(check(AAPL, withConfiguration({ signers })))).to.equal(
      "signature 2 is by nobody of the configuration",
    );
  });

  it("is stale by the feed's own last change, however late it is signed", () => {
    const at = 32 * (8 + 7);
    const bytes = fromHex(AAPL.data);
    // Nobody signed this report; what it says is read before anybody asks who did.
    const hours = (1_788_976_800n - 25_137n) * 1_000_000_000n;
    bytes.set(fromHex(`0x${hours.toString(16).padStart(64, "0")}`), at);
    const keys = withConfiguration({ digest: `0x${"00".repeat(32)}` });
    const checked = check({ ...AAPL, data: toHex(bytes) }, keys);
    expect((checked as any).price).to.include({
      signedAt: 1_788_976_800,
      publishedAt: 1_788_976_800 - 25_137,
    });
  });
});
