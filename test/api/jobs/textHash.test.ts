/** The service's keccak256 and the attestor's own say the same of every text. */
import { expect } from "chai";
import fc from "fast-check";
import { openTextHash } from "../../../api/jobs/judge.ts";
import { id } from "../../../attestor/evm/hash.ts";
import type { TextHash } from "../../../attestor/values/canonical.ts";

describe("the service's keccak256", () => {
  let hash: TextHash;

  before(async () => {
    hash = await openTextHash();
  });

  it("the service's keccak256 is the attestor's, for every length around the blocks of 136 bytes", () => {
    for (let length = 0; length <= 1_100; length++) {
      const text = "a".repeat(length);
      expect(hash(text), `${length} bytes`).to.equal(id(text));
    }
  });

  it("the service's keccak256 is the attestor's, for texts of all writing, one after the other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), (text) => {
        expect(hash(text)).to.equal(id(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("the service's keccak256 is the attestor's for texts of megabytes", () => {
    const text = '{"€":"🂡"}'.repeat(300_000);
    expect(hash(text)).to.equal(id(text));
  });
});
