/** The samples behind a grade: what they say is computed again by who has them. */
import { expect } from "chai";
import { liquidityOfSamples, type SampleBatch, samplesRoot } from "../../../attestor/evidence/samples.ts";
import { type Verification, verifyReport } from "../../../attestor/verify/verify.ts";
import {
  DOLLAR_KEY,
  facts,
  judgement,
  NOW,
  prepared,
  reportOn,
  STOCK_KEY,
  soundReport,
  TRUST,
} from "../fixtures.ts";

const BATCH: SampleBatch = {
  schema: "assay.samples/1",
  assetKey: STOCK_KEY,
  samples: [12, 9, 31].map((bps, index) => ({
    sampledAt: NOW - 3_600 + index,
    source: "test",
    impact1kBps: String(bps),
    impact10kBps: String(bps * 3),
  })),
};
const committed = (batch: SampleBatch) => ({
  ...liquidityOfSamples(batch),
  samplesRoot: samplesRoot(batch),
});
const reportOf = (liquidity: ReturnType<typeof committed>) =>
  reportOn(judgement({ facts: facts({ liquidity }) }));
const told = ({ steps }: Verification) =>
  steps.filter(({ name }) => name === "samples").map(({ outcome, detail }) => `${outcome}: ${detail}`);

describe("the verification of the samples behind a grade", () => {
  it("finds that medians and grade follow from them, and says nothing to who has none", async () => {
    const document = await prepared(reportOf(committed(BATCH)));
    const result = verifyReport(document, { ...TRUST, samples: BATCH });
    expect(result.verdict).to.equal("VALID");
    expect(told(result)).to.deep.equal([
      "ok: Medians and grade follow from the 3 samples that the evidence names.",
    ]);
    expect(told(verifyReport(document, TRUST))).to.deep.equal([]);
  });

  it("judges evidence INVALID that differs from the samples that it names", () => {
    const lies: [string, Partial<ReturnType<typeof committed>>][] = [
      ["impact1kBps", { impact1kBps: "11" }],
      ["impact10kBps", { impact10kBps: "35" }],
      ["sampleN", { sampleN: 4 }],
      ["updatedAt", { updatedAt: NOW - 3_599 }],
      ["source", { source: "another" }],
    ];
    for (const [member, lie] of lies) {
      const report = reportOf({ ...committed(BATCH), ...lie });
      const result = verifyReport(report, { samples: BATCH });
      expect(result.verdict, member).to.equal("INVALID");
      expect(told(result)).to.deep.equal([
        `wrong: The samples that the evidence names say otherwise: ${member}.`,
      ]);
    }
    const ofAnother = { ...BATCH, assetKey: DOLLAR_KEY };
    const stolen = verifyReport(reportOf(committed(ofAnother)), { samples: ofAnother });
    expect(told(stolen)).to.deep.equal([
      "wrong: The samples that the evidence names say otherwise: assetKey.",
    ]);
  });

  it("is UNVERIFIABLE with other samples, with what is none, and where the evidence names none", () => {
    const other = { ...BATCH, samples: BATCH.samples.slice(1) };
    for (const samples of [other, {}, null, "0x", { ...BATCH, more: 1 }, [BATCH]]) {
      const result = verifyReport(reportOf(committed(BATCH)), { samples });
      expect(told(result)[0], JSON.stringify(samples)).to.match(/^unknown: These /);
    }
    expect(told(verifyReport(soundReport(), { samples: BATCH }))[0]).to.equal(
      "unknown: The evidence names no samples to hold these against.",
    );
  });
});
