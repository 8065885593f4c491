/** Facts that an unpaid request had gathered: for the retry of the same body, for a few seconds, and no more than fit. */
import { expect } from "chai";
import { createKeptFacts, type GatheredFacts, KEPT_MS } from "../../../api/jobs/keptFacts.ts";
import { ownCaches } from "../../support/caches.ts";

describe("facts that are kept for a paying retry", () => {
  let now = 1_795_000_000_000;
  const facts = (bytes = 100) =>
    ({ facts: { text: "x".repeat(bytes) }, proofs: null, capturedAt: 1 }) as unknown as GatheredFacts;

  it("are given once, and for the same intent alone", () => {
    const kept = createKeptFacts(ownCaches(), () => now);
    const gathered = facts();
    kept.keep("0xaa", gathered);
    expect(kept.take("0xab")).to.equal(null);
    expect(kept.take("0xaa")).to.equal(gathered);
    expect(kept.take("0xaa")).to.equal(null);
  });

  it("are too old after five seconds, and after a clock was set back", () => {
    const kept = createKeptFacts(ownCaches(), () => now);
    kept.keep("0xaa", facts());
    now += KEPT_MS - 1;
    expect(kept.take("0xaa")).not.to.equal(null);
    kept.keep("0xaa", facts());
    now += KEPT_MS;
    expect(kept.take("0xaa")).to.equal(null);
    kept.keep("0xaa", facts());
    now -= 1;
    expect(kept.take("0xaa")).to.equal(null);
  });

  it("go oldest first where they are too many or too large", () => {
    const kept = createKeptFacts(ownCaches(), () => now);
    for (let n = 0; n < 1_000; n++) kept.keep(String(n), facts(50_000));
    expect(kept.take("0")).to.equal(null);
    expect(kept.take("999")).not.to.equal(null);
    for (const name of ["large", "larger"]) kept.keep(name, facts(9 * 1024 * 1024));
    expect(kept.take("large")).to.equal(null);
    expect(kept.take("larger")).not.to.equal(null);
    kept.keep("largest", facts(20 * 1024 * 1024));
    expect(kept.take("largest")).to.equal(null);
  });
});
