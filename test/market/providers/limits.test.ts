import { expect } from "chai";
import { postgresPoolOf } from "../../../database/open.ts";
import {
  createLimits,
  isCollected,
  type Lane,
  type ProviderLimits,
  type RateLimit,
} from "../../../market/providers/limits.ts";
import { forEachEngine } from "../../support/database.ts";
import { faultOf } from "../../support/providers/adapter.ts";
import { FAKE_NOW, ofEachTest } from "../../support/providers/virtualTime.ts";

/** 21 a minute for collectors, 9 for jobs: 3 in half a minute. */
const RATE: RateLimit = { requests: 30, perMs: 60_000 };
const PROVIDER = "fake";

const turn = (limits: ProviderLimits, lane: Lane, rate = RATE) =>
  limits.turns(PROVIDER, rate, lane, 1).take();

/** The most requests in any window, wherever it begins. */
function mostInWindow(times: readonly number[], windowMs: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));
}

describe("a provider's limit", () => {
  const time = ofEachTest();
  /** When requests leave that are all wanted at once, milliseconds since the start. */
  const left = async (limits: ProviderLimits, lane: Lane, count: number, rate = RATE) => {
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: count }, () =>
        turn(limits, lane, rate).then(() => times.push(time.now() - FAKE_NOW)),
      ),
    );
    return times;
  };

  it("is spaced evenly for collectors, by 0.7 of it at most, in the order of their questions", async () => {
    const rate = { requests: 10, perMs: 7_000 };
    expect(await left(createLimits(), "collecting", 4, rate)).to.eql([0, 1_000, 2_000, 3_000]);
    time.advance(60_000);
    const greedy = { ...rate, collectors: 1 };
    const [first = 0, second] = await left(createLimits(), "collecting", 2, greedy);
    expect(second).to.equal(first + 1_000);
  });

  it("lets a job's lookup leave at once while collectors want more than there is", async () => {
    const limits = createLimits();
    void left(limits, "collecting", 100);
    const from = time.now();
    await turn(limits, "jobs");
    expect(time.now()).to.equal(from);
  });

  it("holds in any window of its length, whoever asks and whenever", async () => {
    const limits = createLimits();
    const collecting = left(limits, "collecting", 60);
    const asked: number[] = [];
    // Jobs come in bursts, at the end of one of their windows too.
    for (const pause of [0, 29_000, 1_500, 29_000, 40_000]) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      asked.push(...(await left(limits, "jobs", 3)));
    }
    const all = [...(await collecting), ...asked];
    expect(mostInWindow(asked, 60_000)).to.be.within(6, 9);
    expect(mostInWindow(all, 60_000)).to.be.at.most(30);
  });

  it("gives a provider that collectors do not ask to the jobs alone", async () => {
    const rate = { ...RATE, collectors: 0 };
    expect([isCollected(rate), isCollected(RATE)]).to.eql([false, true]);
    expect(() => createLimits().turns(PROVIDER, rate, "collecting", 1)).to.throw(
      "no requests for collectors",
    );
    expect(await left(createLimits(), "jobs", 10, rate)).to.eql(Array(10).fill(0));
  });

  describe("for requests of one moment", () => {
    const lot = async (limits: ProviderLimits, rate: RateLimit, uses = 3) => {
      const turns = limits.turns(PROVIDER, rate, "collecting", 3);
      await turns.begin();
      const times: number[] = [];
      while (times.length < uses && (await turns.take())) times.push(time.now() - FAKE_NOW);
      turns.end();
      expect(await turns.take()).to.equal(false);
      return times;
    };

    it("lets them leave together where it would spread them too far, and nobody between them elsewhere", async () => {
      const slow = createLimits();
      const lots = await Promise.all([lot(slow, RATE), lot(slow, RATE)]);
      const apart = Math.ceil(60_000 / 7);
      expect(lots).to.eql([Array(3).fill(0), Array(3).fill(apart)]);
      const from = time.now() - FAKE_NOW;
      const fast = createLimits();
      const rate = { requests: 10, perMs: 3_500 };
      const [own, other] = await Promise.all([lot(fast, rate), left(fast, "collecting", 1, rate)]);
      expect(own.map((at) => at - from)).to.eql([0, 500, 1_000]);
      expect(other[0]).to.equal(from + 1_500);
    });

    it("gives those to others that are not taken", async () => {
      const limits = createLimits();
      expect(await lot(limits, RATE, 1)).to.eql([0]);
      expect((await left(limits, "collecting", 3)).slice(0, 2)).to.eql([0, 0]);
    });
  });

  it("waits out a lock-out that is short, for collectors and jobs, and refuses at once when it is long", async () => {
    for (const lane of ["collecting", "jobs"] as const) {
      const limits = createLimits();
      await turn(limits, lane);
      expect(limits.lockOut(PROVIDER, 12_000)).to.equal(12_000);
      const from = time.now();
      await turn(limits, lane);
      expect(time.now() - from, lane).to.equal(12_000);
      limits.lockOut(PROVIDER, 31_000);
      const fault = await faultOf(turn(limits, lane));
      expect([fault.code, fault.retryAfterMs], lane).to.eql(["rate_limited", 31_000]);
      time.advance(31_000);
      await turn(limits, lane);
    }
  });

  it("spaces those again that a lock-out has kept waiting", async () => {
    const limits = createLimits();
    const waiting = left(limits, "collecting", 4);
    limits.lockOut(PROVIDER, 20_000);
    const [, second = 0, third = 0, fourth = 0] = await waiting;
    expect(second).to.be.at.least(20_000);
    expect([third - second, fourth - third].every((apart) => apart >= 2_857)).to.equal(true);
  });

  it("takes an hour at most for a lock-out that says too much", () => {
    expect(createLimits().lockOut(PROVIDER, 31_536_000_000)).to.equal(3_600_000);
    expect(createLimits().lockOut(PROVIDER, -1)).to.equal(0);
  });
});

describe("a provider's limit of several processes", () => {
  forEachEngine((engine) => {
    it("is counted together for jobs in PostgreSQL, and by each process on SQLite", async () => {
      const db = await engine.create();
      const processes = [1, 2].map(() => createLimits(postgresPoolOf(db)));
      const rate: RateLimit = { requests: 30, perMs: 600 };
      const from = performance.now();
      const times: number[] = [];
      const jobs = processes.flatMap((limits) => Array.from({ length: 3 }, () => turn(limits, "jobs", rate)));
      await Promise.all(jobs.map((job) => job.then(() => times.push(performance.now() - from))));
      const early = times.filter((at) => at < 250).length;
      expect(early).to.equal(engine.name === "postgres" ? 3 : 6);
    });
  });
});
