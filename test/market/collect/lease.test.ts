import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { acquireLease, leaseHolder, releaseLease } from "../../../market/collect/lease.ts";
import { forEachEngine } from "../../support/database.ts";

describe("the collector's lease", () => {
  forEachEngine((engine) => {
    let db: Database;
    let now = 1_795_000_000_000;
    before(async () => {
      db = await engine.create();
    });
    beforeEach(() => db.deleteFrom("leases").execute());
    const lease = (holder: string, name = "collector") => ({
      db,
      name,
      holder,
      ttlMs: 1_000,
      now: () => now,
    });

    it("goes to one of many that ask at once", async () => {
      const holders = Array.from({ length: 8 }, (_, index) => `process-${index}`);
      const got = await Promise.all(holders.map((holder) => acquireLease(lease(holder))));
      expect(got.filter(Boolean)).to.have.length(1);
      expect(await leaseHolder(lease(""))).to.equal(holders[got.indexOf(true)]);
    });

    it("the collector's lease stays with its holder while that renews it, and is free when it has expired", async () => {
      expect(await acquireLease(lease("one"))).to.equal(true);
      now += 999;
      expect(await acquireLease(lease("two"))).to.equal(false);
      expect(await acquireLease(lease("one"))).to.equal(true);
      now += 999;
      expect(await acquireLease(lease("two"))).to.equal(false);
      now += 1;
      expect(await leaseHolder(lease(""))).to.equal(null);
      expect(await acquireLease(lease("two"))).to.equal(true);
      expect(await acquireLease(lease("one"))).to.equal(false);
    });

    it("the collector's lease is given back by its holder alone, and concerns one job alone", async () => {
      await acquireLease(lease("one"));
      await releaseLease(lease("two"));
      expect(await acquireLease(lease("two"))).to.equal(false);
      expect(await acquireLease(lease("two", "another"))).to.equal(true);
      await releaseLease(lease("one"));
      expect(await acquireLease(lease("two"))).to.equal(true);
    });
  });
});
