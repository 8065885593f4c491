import { expect } from "chai";
import fc from "fast-check";
import { createSlotStore } from "../../../market/live/slotStore.ts";
import { createBudgets, type SlotStore } from "../../../market/providers/budgets.ts";
import type { Clock } from "../../../market/providers/clock.ts";
import type { RateLimit, Use } from "../../../market/providers/rate.ts";
import { forEachEngine } from "../../support/database.ts";
import { FAKE_NOW } from "../../support/providers/clock.ts";
import { faultOf } from "../../support/providers/faults.ts";
import { type VirtualClock, virtualClock } from "../../support/providers/virtualClock.ts";

/** 27 a window of a minute for all: 9 for jobs, 18 for collectors. */
const LIMIT: RateLimit = { requests: 30, perMs: 60_000, jobs: 9 };
const PROVIDER = "fake";

type Gates = ReturnType<typeof createBudgets>;

/** When requests leave, milliseconds since the start. */
function asker(clock: VirtualClock, left: number[] = []) {
  const ask = async (gates: Gates, use: Use, count: number, rate = LIMIT) => {
    for (let n = 0; n < count; n++) {
      await gates.gateOf(PROVIDER, rate, use).acquire(use);
      left.push(clock.now() - FAKE_NOW);
    }
  };
  return { ask, left };
}

function mostInWindow(times: readonly number[], windowMs: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));
}

describe("the budget of a provider", () => {
  let clock: VirtualClock;
  beforeEach(() => {
    clock = virtualClock(FAKE_NOW, 0);
  });

  it("the budget of a provider has room for a job's lookup while collectors want more than there is", async () => {
    const gates = createBudgets({ clock });
    const collecting = asker(clock);
    void Promise.all([1, 2, 3].map(() => collecting.ask(gates, "premium", 20)));
    await clock.until(clock.sleep(60_000));
    const from = clock.now();
    await clock.until(gates.gateOf(PROVIDER, LIMIT, "job").acquire("job"));
    expect(clock.now() - from).to.equal(0);
    expect(collecting.left.length).to.be.within(17, 19);
  });

  it("lets premiums leave before impacts that came first, and what was begun before both", async () => {
    const gates = createBudgets({ clock });
    const order: string[] = [];
    const gate = gates.gateOf(PROVIDER, LIMIT, "premium");
    const one = (use: Use) => gate.acquire(use).then(() => order.push(use));
    const all = Promise.all([one("impact"), one("impact"), one("impact"), one("premium"), one("sample")]);
    await clock.until(all);
    expect(order).to.deep.equal(["sample", "premium", "impact", "impact", "impact"]);
  });

  it("lets the quotes of a sample leave together where the rate would spread them too far", async () => {
    const gate = createBudgets({ clock }).gateOf(PROVIDER, LIMIT, "impact");
    const lots = async () => {
      const turns = await gate.acquire("impact", 3);
      const times: number[] = [];
      while (await turns.use()) times.push(clock.now() - FAKE_NOW);
      turns.end();
      return times;
    };
    const unused = async () => (await gate.acquire("impact", 3)).end();
    const [first, second, , third] = await clock.until(Promise.all([lots(), lots(), unused(), lots()]));
    expect(first).to.deep.equal([0, 0, 0]);
    expect(second).to.deep.equal([10_000, 10_000, 10_000]);
    // What a lot does not use others have.
    expect(third).to.deep.equal([20_000, 20_000, 20_000]);
  });

  it("lets nothing leave while what is shared is away, and tells who waits after two seconds", async () => {
    let isAway = true;
    const away = () => (isAway ? Promise.reject(new Error("away")) : Promise.resolve());
    const store: SlotStore = {
      lease: () => away().then(() => ({ from: clock.now(), slots: 1, blockedUntil: 0 })),
      block: away,
    };
    const gate = createBudgets({ clock, store }).gateOf(PROVIDER, LIMIT, "premium");
    const waiting = ["premium", "impact"].map((use) => faultOf(gate.acquire(use as Use)));
    for (const fault of await clock.until(Promise.all(waiting))) expect(fault.code).to.equal("rate_limited");
    expect(clock.now() - FAKE_NOW).to.equal(2_000);
    isAway = false;
    await clock.until(gate.acquire());
    gate.lockOut(new Headers());
  });

  forEachEngine((engine) => {
    const shared = async () => {
      const db = await engine.create();
      const leases = { count: 0 };
      const store = createSlotStore(db, () => clock.now());
      const counting: SlotStore = {
        lease: (...asked) => {
          leases.count++;
          return clock.during(store.lease(...asked));
        },
        block: (...asked) => clock.during(store.block(...asked)),
      };
      return { leases, process: () => createBudgets({ clock, store: counting }) };
    };

    it("the budget of a provider is shared by processes: together they keep the limit, and each has its part", async function () {
      this.timeout(20_000);
      const { process } = await shared();
      const [{ ask, left }, alone, jobs] = [asker(clock), asker(clock), asker(clock)];
      const both = [ask(process(), "premium", 30), ask(process(), "premium", 30)];
      const work = [...both, alone.ask(process(), "impact", 10), jobs.ask(process(), "job", 5)];
      await clock.until(Promise.all(work));
      const everything = [...left, ...alone.left];
      expect(mostInWindow(everything, 60_000)).to.be.at.most(18);
      expect(mostInWindow([...everything, ...jobs.left], 60_000)).to.be.at.most(27);
      // As much as there is, too: 70 requests at 18 a minute.
      expect(Math.max(...everything)).to.be.within(200_000, 250_000);
    });

    it("keeps the limit where a statement fails now and then, carried out or not", async () => {
      const db = await engine.create();
      const store = createSlotStore(db, () => clock.now());
      const anyFates = fc.infiniteStream(fc.constantFrom("fine", "fine", "before", "after"));
      const kept = fc.asyncProperty(anyFates, async (fates) => {
        const lease: SlotStore["lease"] = (...asked) => {
          const fate = fates.next().value;
          const leased = fate === "before" ? Promise.reject(new Error("away")) : store.lease(...asked);
          return clock.during(leased.then((slice) => (fate === "after" ? Promise.reject(slice) : slice)));
        };
        const { ask, left } = asker(clock);
        const processes = [1, 2, 3].map(() => createBudgets({ clock, store: { ...store, lease } }));
        // A refused process asks again.
        const asking = processes.map((gates) => ask(gates, "premium", 8).catch(() => {}));
        await clock.until(Promise.all(asking));
        expect(mostInWindow(left, 60_000)).to.be.at.most(18);
        await clock.until(clock.sleep(200_000));
      });
      await fc.assert(kept, { numRuns: 10 });
    });

    it("asks the database about once a second, however many requests leave", async function () {
      this.timeout(20_000);
      const { leases, process } = await shared();
      const fast: RateLimit = { requests: 100, perMs: 1_000 };
      const { ask, left } = asker(clock);
      const gates = process();
      await clock.until(Promise.all([ask(gates, "premium", 150, fast), ask(gates, "impact", 150, fast)]));
      expect(mostInWindow(left, 1_000)).to.be.at.most(91);
      expect(leases.count).to.be.within(3, 6);
    });

    it("keeps all processes away from a provider that has locked one of them out", async () => {
      const { process } = await shared();
      const [one, other] = [process(), process()].map((gates) => gates.gateOf(PROVIDER, LIMIT, "premium"));
      await clock.until(Promise.all([one!.acquire(), other!.acquire()]));
      one!.lockOut(new Headers({ "retry-after": "120" }));
      await clock.until(clock.sleep(10_000));
      const fault = await faultOf(clock.until(other!.acquire().then(() => other!.acquire())));
      expect(fault.code).to.equal("rate_limited");
      await clock.until(clock.sleep(120_000));
      await clock.until(other!.acquire());
    });

    it("takes an end far ahead for that of a clock that was wrong", async () => {
      const ahead: Clock = { ...clock, now: () => clock.now() + 86_400_000 };
      const db = await engine.create();
      const leasedBy = ({ now }: Clock) =>
        createSlotStore(db, now).lease({ provider: PROVIDER, lane: "jobs", spacingMs: 1_000 }, 1);
      await leasedBy(ahead);
      expect((await leasedBy(clock)).from).to.equal(clock.now());
    });
  });
});
