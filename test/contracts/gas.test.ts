import { readFileSync } from "node:fs";
import { expect } from "chai";
import { createGasWorld, measureGas } from "../support/contracts/gas.ts";

/** Written by `npm run bench -- gas --update`, so that a change of gas is a change that a reviewer sees. */
const SNAPSHOT = new URL("gas.snapshot.json", import.meta.url);

/** Signatures and hashes of a run have a few zero bytes more or less, which moves gas by about a tenth of this. */
const TOLERANCE = 0.01;

/** A new snapshot alone does not move them. */
const CEILINGS = { owner: 58_500, relayer: 63_500 };

describe("what the guard costs above a direct swap", () => {
  let measured: Record<string, number>;
  const snapshot: Record<string, number> = JSON.parse(readFileSync(SNAPSHOT, "utf8"));

  before(async () => {
    measured = await measureGas(await createGasWorld());
  });

  it("is measured for the same trades as in the snapshot", () => {
    expect(Object.keys(measured)).to.deep.equal(Object.keys(snapshot));
  });

  for (const [sender, ceiling] of Object.entries(CEILINGS)) {
    it(`a trade on one pool that the ${sender} sends: at most ${ceiling}`, () => {
      for (const swap of ["v2", "v3"]) {
        const trade = `${swap}, sent by the ${sender}, later nonce of a word, above direct`;
        expect(measured[trade]).to.be.at.most(ceiling);
      }
    });
  }

  for (const [trade, before] of Object.entries(snapshot)) {
    it(`${trade}: at most one per cent above the ${before} of the snapshot`, () => {
      expect(measured[trade]).to.be.at.most(Math.floor(before * (1 + TOLERANCE)));
    });
  }
});
