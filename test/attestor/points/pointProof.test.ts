/** A point with its proof: VALID for who trusts the log, INVALID when anything in it is another. */
import { expect } from "chai";
import fc from "fast-check";
import { logSigner } from "../../../api/log/key.ts";
import { toHex } from "../../../attestor/evm/hash.ts";
import { Frontier } from "../../../attestor/log/frontier.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { pointText } from "../../../attestor/points/point.ts";
import { shownPoints, verifyPoint } from "../../../attestor/points/pointProof.ts";
import type { PointProof } from "../../../attestor/points/proof.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { LOG_KEY, ORIGIN } from "../../support/logged.ts";
import { ANSWER, HOUR, proofsOf, shownWithProof, signedPoint } from "../../support/signedPoints.ts";

const TRUST = { logs: [LOG_KEY] };
const OTHERS = [1, 2, 3, 4].map((n) => signedPoint({ t: HOUR - n * 3_600 }));

const told = (shown: unknown, answer: object | null = ANSWER, trust = TRUST) =>
  verifyPoint(shown, answer as any, trust);
const wrongIn = (shown: unknown, answer: object | null = ANSWER) => {
  const { verdict, steps } = told(shown, answer);
  return [verdict, ...steps.filter(({ outcome }) => outcome === "wrong").map(({ name }) => name)];
};

describe("a point with its proof", () => {
  it("is VALID for who trusts the log, as each of the three endpoints shows it", async () => {
    const shown = await shownWithProof(signedPoint(), OTHERS);
    const { verdict, steps, point } = told(shown);
    expect(verdict, JSON.stringify(steps)).to.equal("VALID");
    expect(point).to.deep.equal(signedPoint());
    expect(steps.map(({ name }) => name)).to.include.members(["point", "series", "root", "log", "issuer"]);

    const { ts: _, premium_bps: premium, ...rest } = shown;
    const everybody = { t: HOUR, premium, lo: -3.25, hi: 150, net_edge: 135.5, ...rest };
    expect(told(everybody).verdict).to.equal("VALID");
    expect(told(everybody, null).verdict).to.equal("VALID");
    expect(wrongIn({ ...everybody, net_edge: 135.6 })).to.deep.equal(["INVALID", "point"]);

    const inputs = {
      perpMarkUsd: "101",
      spotUsd: "100",
      fundingRate: "0.01",
      fundingIntervalHours: 8,
      stated: [],
    };
    const figures = { netEdgeBps: null, fundingAnnualBps: "12.5", fundingState: "single" as const, inputs };
    const basis = signedPoint({ series: "basis/zeta/AAPL", hour: { ...signedPoint().hour!, ...figures } });
    const [proof] = await proofsOf([basis]);
    const { proof: __, ...same } = rest;
    const shownBasis = {
      t: HOUR,
      basis: 150,
      lo: -3.25,
      hi: 150,
      funding_annual: 12.5,
      funding_state: "single",
      ...same,
      proof,
    };
    expect(told(shownBasis, { underlying: "AAPL", venue: "zeta" }).verdict).to.equal("VALID");
    expect(wrongIn(shownBasis, { underlying: "AAPL", venue: "eta" })).to.deep.equal(["INVALID", "series"]);
    expect(
      wrongIn({ ...shownBasis, funding_annual: 12.6 }, { underlying: "AAPL", venue: "zeta" }),
    ).to.deep.equal(["INVALID", "point"]);
  });

  it("is INVALID where any figure that it shows is another, or is not there", async () => {
    const shown: any = await shownWithProof();
    const changed = {
      number: (value: number) => value + 1,
      string: () => "other",
      boolean: (is: boolean) => !is,
    } as any;
    for (const name of Object.keys(shown).filter((member) => member !== "proof")) {
      const other = changed[typeof shown[name]](shown[name]);
      expect(wrongIn({ ...shown, [name]: other }), name).to.deep.equal(["INVALID", "point"]);
      expect(wrongIn({ ...shown, [name]: null }), name).to.deep.equal(["INVALID", "point"]);
      if (name === "ts") continue;
      const { [name]: _, ...less } = shown;
      expect(wrongIn(less), name).to.deep.equal(["INVALID", "point"]);
    }
  });

  it("is INVALID under another token's address, and VALID under its own in any case", async () => {
    const shown = await shownWithProof();
    const named = (address: string) => told(shown, { ...ANSWER, address }).verdict;
    expect(named(ANSWER.address.toLowerCase())).to.equal("VALID");
    expect(named(`0x${"1".repeat(40)}`)).to.equal("INVALID");
    expect(told(shown, { ...ANSWER, chain: "solana" }).verdict).to.equal("INVALID");
  });

  it("is UNVERIFIABLE without the log's key, without a proof, and where it shows what was not signed", async () => {
    const shown = await shownWithProof();
    expect(told(shown, ANSWER, { logs: [] }).verdict).to.equal("UNVERIFIABLE");
    expect(told({ ...shown, proof: null }).verdict).to.equal("UNVERIFIABLE");
    const { proof: _, ...bare } = shown;
    expect(told(bare).verdict).to.equal("UNVERIFIABLE");
    expect(told(null).verdict).to.equal("UNVERIFIABLE");
    expect(told({ ...shown, more: 1 }).verdict).to.equal("UNVERIFIABLE");
  });

  it("is INVALID by another log's key, by a log that had ended, and where it was written after its hour", async () => {
    const other = logSigner(new Uint8Array(32).fill(1));
    const [proof] = await proofsOf([signedPoint()], { by: other });
    const shown = await shownWithProof();
    expect(wrongIn({ ...shown, proof })).to.deep.equal(["INVALID", "log"]);
    const late = signedPoint({ changedAt: HOUR + 3_600 });
    const [after] = await proofsOf([late]);
    const changed_at = "2026-07-30T15:00:00.000Z";
    expect(wrongIn({ ...shown, changed_at, proof: after })).to.deep.equal(["INVALID", "root"]);
    const [old] = await proofsOf([signedPoint()], { origin: ORIGIN.replace("2026", "2024") });
    const served = (note: string) => ({ note, outcome: "ok" as const, detail: "and served", witnesses: [] });
    expect(verifyPoint({ ...shown, proof: old }, ANSWER, { ...TRUST, served }).verdict).to.equal("INVALID");
    expect(verifyPoint(shown, ANSWER, { ...TRUST, served }).verdict).to.equal("VALID");
  });

  it("is INVALID as the figures of an hour that was retracted", async () => {
    const [proof] = await proofsOf([signedPoint({ hour: null })]);
    expect(wrongIn({ ...(await shownWithProof()), proof })).to.deep.equal(["INVALID", "point"]);
  });

  it("is INVALID when any character of leaf, path, root, entry or log proof is another", async () => {
    const shown = await shownWithProof(signedPoint(), OTHERS);
    const texts = (proof: PointProof) => [
      proof.leaf,
      proof.root,
      proof.entry,
      proof.log_proof,
      ...proof.path,
    ];
    const changedAt = (text: string, at: number, by: string) => text.slice(0, at) + by + text.slice(at + 1);
    const lengths = texts(shown.proof).map(({ length }) => length);
    await fc.assert(
      fc.property(
        fc.nat({ max: lengths.length - 1 }).chain((which) =>
          fc.record({
            which: fc.constant(which),
            at: fc.nat({ max: lengths[which]! - 1 }),
            by: fc.oneof(
              fc.constantFrom(..."0123456789abcdef\n +/="),
              fc.string({ minLength: 1, maxLength: 1 }),
            ),
          }),
        ),
        ({ which, at, by }) => {
          const all = texts(shown.proof);
          const changed = changedAt(all[which]!, at, by);
          fc.pre(changed !== all[which]);
          all[which] = changed;
          const [leaf, root, entry, log_proof, ...path] = all as [
            string,
            string,
            string,
            string,
            ...string[],
          ];
          expect(
            told({ ...shown, proof: { ...shown.proof, leaf, root, entry, log_proof, path } }).verdict,
          ).to.equal("INVALID");
        },
      ),
      { numRuns: 400 },
    );
  });

  it("is INVALID with another index, size or hour, or a longer or shorter path", async () => {
    const shown = await shownWithProof(signedPoint(), OTHERS);
    const { proof } = shown;
    for (const other of [
      ...[{ index: 1 }, { index: -1 }, { size: 6 }, { size: 4 }, { hour: HOUR + 3_600 }, { hour: HOUR + 1 }],
      ...[{ path: proof.path.slice(1) }, { path: [...proof.path, proof.root] }, { more: 1 }, { leaf: 7 }],
    ])
      expect(told({ ...shown, proof: { ...proof, ...other } }).verdict, JSON.stringify(other)).to.equal(
        "INVALID",
      );
  });

  it("holds for each point of hours of any size, by the root of the plain RFC 6962 tree", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_100 }), fc.nat(), async (count, pick) => {
        const points = Array.from({ length: count }, (_, n) => signedPoint({ t: HOUR - n * 3_600 }));
        const proofs = await proofsOf(points);
        const tree = new Frontier(0, []);
        for (const point of points) tree.append(HASHER.leaf(utf8(pointText(point))));
        expect(proofs[0]!.root).to.equal(toHex(tree.root()));
        const shown = await shownWithProof();
        const at = pick % count;
        const ts = new Date((HOUR - at * 3_600) * 1_000).toISOString();
        expect(told({ ...shown, ts, proof: proofs[at] }).verdict).to.equal("VALID");
      }),
      {
        // The examples first.
        numRuns: 6,
        examples: [
          [256, 255],
          [257, 256],
          [512, 300],
          [1, 0],
        ],
      },
    );
  });

  it("is found in an answer, or alone", () => {
    expect(shownPoints({ points: [1, 2], symbol: "x" })?.points).to.deep.equal([1, 2]);
    expect(shownPoints({ proof: null })?.answer).to.equal(null);
    for (const none of [null, [], "points", {}]) expect(shownPoints(none)).to.equal(null);
  });
});
