/** Leases and what is written under them: on both engines only who has a lease writes. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import { createDatabaseClock, type DatabaseClock } from "../../database/clock.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { fenced } from "../../database/fenced.ts";
import {
  type Fence,
  LeaseLost,
  releaseLease,
  renewLeases,
  takeLease,
  whileHeld,
} from "../../database/lease.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import { countOf, forEachEngine, rowsOf } from "../support/database.ts";

const TTL_MS = 1_000;

describe("a lease", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    let now = 1_795_000_000_000;
    const clear = async () => {
      await db.deleteFrom("leases").execute();
      await db.deleteFrom("chain_cursors").execute();
    };
    beforeEach(clear);
    const as = (holder: string, isDead: (holder: string) => boolean = () => false) => {
      return { db, holder, ttlMs: TTL_MS, now: () => now, isDead };
    };
    const take = (holder: string, name = "collector") => takeLease(as(holder), name);
    const had = async (holder: string): Promise<Fence> => (await take(holder))!;
    const cursor = async (of = db) => (await rowsOf(of, "chain_cursors")).map(({ block }) => block);
    const write = (to: Database, block: number) =>
      to
        .insertInto("chain_cursors")
        .values({ name: "one", block })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ block }))
        .execute();
    const fault = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

    it("goes to one of many that ask at once", async () => {
      const holders = Array.from({ length: 8 }, (_, index) => `process-${index}`);
      for (const round of [1, 2]) {
        const got = (await Promise.all(holders.map((holder) => take(holder)))).filter(Boolean);
        expect(got).to.have.length(1);
        expect(got[0]).to.include({ epoch: round });
        now += TTL_MS;
      }
    });

    it("a lease stays with its holder while that renews it, and is free when it has expired", async () => {
      const one = await had("one");
      now += 999;
      expect(await take("two")).to.equal(null);
      expect(await renewLeases(as("one"), [one])).to.deep.equal([one]);
      now += 999;
      expect(await take("two")).to.equal(null);
      now += 1;
      expect(await take("two")).to.deep.equal({ name: "collector", holder: "two", epoch: 2 });
      expect(await renewLeases(as("one"), [one])).to.deep.equal([]);
    });

    it("a lease that expired while nobody else took it is renewed as it was", async () => {
      const one = await had("one");
      now += 10 * TTL_MS;
      expect(await renewLeases(as("one"), [one])).to.deep.equal([one]);
      expect(await take("two")).to.equal(null);
    });

    it("a lease is given back by its holder alone, and concerns one work alone", async () => {
      const one = await had("one");
      await releaseLease(db, { ...one, holder: "two" });
      expect(await take("two")).to.equal(null);
      expect(await take("two", "another")).to.include({ epoch: 1 });
      await releaseLease(db, one);
      expect(await take("two")).to.include({ epoch: 2 });
    });

    it("a lease of a process that is known to be dead is taken before it expires", async () => {
      await had("one");
      const knowing = (dead: string) => as("two", (holder) => holder === dead);
      expect(await takeLease(knowing("other"), "collector")).to.equal(null);
      expect(await takeLease(knowing("one"), "collector")).to.include({ epoch: 2 });
    });

    it("only its holder writes; a former holder cannot, in any way", async () => {
      const lost: string[] = [];
      const first = fenced(db, await had("one"), () => lost.push("one"));
      await write(first, 1);
      await first.transaction().execute((trx) => write(trx, 2));
      now += TTL_MS;
      const second = fenced(db, await had("two"), () => lost.push("two"));
      await write(second, 3);
      const withGone = first.with("gone", (cte) => cte.selectFrom("chain_cursors").selectAll());
      const tries = [
        write(first, 9),
        first.transaction().execute((trx) => write(trx, 9)),
        first.updateTable("chain_cursors").set({ block: 9 }).execute(),
        first.deleteFrom("chain_cursors").execute(),
        sql`update chain_cursors set block = 9`.execute(first),
        withGone.deleteFrom("chain_cursors").execute(),
      ];
      for (const outcome of await Promise.all(tries.map(fault))) expect(outcome).to.be.instanceOf(LeaseLost);
      expect(await cursor()).to.deep.equal([3]);
      expect(await cursor(first)).to.have.length(1);
      expect(lost).to.deep.equal(tries.map(() => "one"));
    });

    it("a holder that lost the lease and has it again writes nothing of its work of before", async () => {
      const before = fenced(db, await had("one"));
      now += TTL_MS;
      await releaseLease(db, await had("two"));
      const again = fenced(db, await had("one"));
      expect(await fault(write(before, 9))).to.be.instanceOf(LeaseLost);
      await write(again, 3);
      expect(await cursor()).to.deep.equal([3]);
    });

    it("a statement on the condition of the lease changes nothing once that has moved", async () => {
      await write(db, 1);
      const one = await had("one");
      const set = (block: number) =>
        db.updateTable("chain_cursors").set({ block }).where(whileHeld(one)).executeTakeFirst();
      expect((await set(2)).numUpdatedRows).to.equal(1n);
      now += TTL_MS;
      await had("two");
      expect((await set(9)).numUpdatedRows).to.equal(0n);
      expect(await cursor()).to.deep.equal([2]);
    });

    it("all writes are of the newest epoch, in any order of the processes' steps", async () => {
      const step = fc.record({
        who: fc.nat(2),
        what: fc.constantFrom("take", "renew", "write", "wait", "release"),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          await clear();
          const fences: (Fence | null)[] = [null, null, null];
          let newest = 0;
          for (const { who, what } of steps) {
            const mine = fences[who] ?? null;
            const holder = `process-${who}`;
            if (what === "wait") now += TTL_MS;
            if (what === "take") {
              fences[who] = (await take(holder)) ?? mine;
              const epoch = fences[who] === mine ? newest : fences[who]!.epoch;
              expect(epoch).to.be.at.least(newest);
              newest = epoch;
            }
            if (what === "renew" && mine !== null && (await renewLeases(as(holder), [mine])).length === 1)
              expect(mine.epoch).to.equal(newest);
            if (what === "release" && mine !== null) await releaseLease(db, mine);
            if (what !== "write" || mine === null) continue;
            const outcome = await fault(write(fenced(db, mine), mine.epoch));
            if (outcome === null) expect(mine.epoch).to.equal(newest);
            else expect(outcome).to.be.instanceOf(LeaseLost);
          }
        }),
        { numRuns: 100 },
      );
    });

    if (engine.name === "postgres") {
      it("a lease moves in its time between processes whose machines' clocks are minutes apart", async () => {
        const clocks = [120_000, -120_000, 0].map((ahead) =>
          createDatabaseClock({ db, machine: () => Date.now() + ahead, monotonic: () => performance.now() }),
        );
        for (const clock of clocks) await clock.look();
        const [ahead, behind, right] = clocks as [DatabaseClock, DatabaseClock, DatabaseClock];
        for (const [one, two] of [
          [ahead, behind],
          [behind, ahead],
        ] as const) {
          await db.deleteFrom("leases").execute();
          const by = (holder: string, clock: DatabaseClock) => ({ ...as(holder), now: clock.now });
          const from = right.now();
          expect(await takeLease(by("one", one), "collector")).to.include({ epoch: 1 });
          expect(await takeLease(by("two", two), "collector")).to.equal(null);
          while ((await takeLease(by("two", two), "collector")) === null) await sleep(20);
          expect(right.now() - from).to.be.within(TTL_MS - 100, 60_000);
        }
        for (const [index, ms] of [120_000, -120_000, 0].entries())
          expect(clocks[index]!.aheadMs()).to.be.closeTo(ms, 1_000);
      });

      it("a lease moves after what its holder has under way is committed, and renewals do not wait for that", async () => {
        const one = await had("one");
        const finish = Promise.withResolvers<void>();
        const transaction = fenced(db, one).transaction();
        const writing = transaction.execute(async (trx) => {
          await write(trx, 1);
          await finish.promise;
        });
        while ((await countOf(db, "leases")) === 0) await sleep(5);
        await sleep(50);
        expect(await renewLeases(as("one"), [one])).to.deep.equal([one]);
        now += TTL_MS;
        const order: string[] = [];
        const taking = take("two").then(() => order.push("taken"));
        await sleep(100);
        order.push("committed");
        finish.resolve();
        await writing;
        await taking;
        expect(order).to.deep.equal(["committed", "taken"]);
      });

      it("a holder that froze within a transaction is rolled back by the server, and another has the lease", async () => {
        const frozen = openDatabase(await engine.createUrl());
        const deps = (holder: string) => ({ ...as(holder), db: frozen });
        const one = (await takeLease(deps("one"), "collector"))!;
        const asleep = Promise.withResolvers<void>();
        const transaction = fenced(frozen, one).transaction();
        const writing = fault(
          transaction.execute(async (trx) => {
            await write(trx, 9);
            await asleep.promise;
            await write(trx, 10);
          }),
        );
        const locks = sql`select 1 from pg_locks where mode = 'RowShareLock'`;
        while ((await locks.execute(frozen)).rows.length === 0) await sleep(10);
        now += TTL_MS;
        let two: Fence | null = null;
        while (two === null)
          two = await takeLease(deps("two"), "collector").catch((error: unknown) => {
            if (!isDatabaseUnavailable(error)) throw error;
            return null;
          });
        await write(fenced(frozen, two), 3);
        asleep.resolve();
        expect(await writing).to.not.equal(null);
        expect(await cursor(frozen)).to.deep.equal([3]);
        await frozen.destroy();
      }).timeout(30_000);
    }
  });
});
