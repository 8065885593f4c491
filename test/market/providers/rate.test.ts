import { expect } from "chai";
import { createRateGate, type RateLimit, retryAfter } from "../../../market/providers/rate.ts";
import { FAKE_NOW, type FakeClock, fakeClock } from "../../support/providers/clock.ts";
import { faultOf } from "../../support/providers/faults.ts";

describe("a provider's rate limit", () => {
  let clock: FakeClock;
  beforeEach(() => {
    clock = fakeClock();
  });

  const create = (rate: RateLimit, patienceMs = 30_000) =>
    createRateGate({ name: "fake", rate, clock, patienceMs });

  async function times(gate: ReturnType<typeof create>, count: number): Promise<number[]> {
    const left: number[] = [];
    await Promise.all(
      Array.from({ length: count }, () => gate.acquire().then(() => left.push(clock.now() - FAKE_NOW))),
    );
    return left;
  }

  it("spaces requests evenly and lets them leave in their order", async () => {
    expect(await times(create({ requests: 1, perMs: 2_000 }), 4)).to.eql([0, 2_000, 4_000, 6_000]);
    clock = fakeClock();
    expect(await times(create({ requests: 3, perMs: 1_000 }), 4)).to.eql([0, 334, 668, 1_002]);
  });

  it("never lets more leave in any window than the documented number, and one of patience", async () => {
    const left = await times(create({ requests: 30, perMs: 10_000 }), 100);
    for (const start of left)
      expect(left.filter((time) => time >= start && time < start + 10_000).length).to.be.at.most(30);
  });

  it("saves up to a burst and no more", async () => {
    const gate = create({ requests: 1, perMs: 1_000, burst: 2 });
    expect(await times(gate, 3)).to.eql([0, 0, 1_000]);
    clock.advance(60_000);
    expect(await times(gate, 3)).to.eql([61_000, 61_000, 62_000]);
  });

  it("waits out a lock-out that is short and refuses at once when it is long", async () => {
    const gate = create({ requests: 10, perMs: 1_000 });
    expect(gate.lockOut(new Headers({ "retry-after": "12" }))).to.equal(12_000);
    expect(await times(gate, 1)).to.eql([12_000]);
    gate.lockOut(new Headers({ "retry-after": "31" }));
    const fault = await faultOf(gate.acquire());
    expect([fault.code, fault.retryAfterMs]).to.eql(["rate_limited", 31_000]);
    clock.advance(31_000);
    await gate.acquire();
  });

  it("takes its own lock-out for a 429 that says nothing, and an hour at most for one that says too much", () => {
    expect(create({ requests: 1, perMs: 1, lockoutMs: 60_000 }).lockOut(new Headers())).to.equal(60_000);
    expect(create({ requests: 1, perMs: 1 }).lockOut(new Headers())).to.equal(1_000);
    const year = new Headers({ "retry-after": "31536000" });
    expect(create({ requests: 1, perMs: 1 }).lockOut(year)).to.equal(3_600_000);
  });

  it("waits for the reset when an answer says that nothing remains, in either way to write it", async () => {
    for (const reset of [String(FAKE_NOW / 1_000 + 9), "9"]) {
      clock = fakeClock();
      const gate = create({ requests: 10, perMs: 1_000 });
      gate.observe(new Headers({ "x-ratelimit-remaining": "1", "x-ratelimit-reset": reset }));
      expect(await times(gate, 1)).to.eql([0]);
      gate.observe(new Headers({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }));
      expect(await times(gate, 1)).to.eql([9_000]);
    }
  });

  it("waits for the next minute when the weight of this one is used up", async () => {
    const usedWeight = { header: "x-used", limit: 2_000 };
    const gate = create({ requests: 10, perMs: 1_000, usedWeight }, 60_000);
    clock.advance(20_000);
    gate.observe(new Headers({ "x-used": "1999" }));
    expect(await times(gate, 1)).to.eql([20_000]);
    gate.observe(new Headers({ "x-used": "2000" }));
    expect(await times(gate, 1)).to.eql([60_000]);
  });

  it("grants nothing and loses nothing when the clock is set back", async () => {
    const gate = create({ requests: 1, perMs: 1_000 });
    await gate.acquire();
    clock.advance(-3_600_000);
    await gate.acquire();
    expect(clock.sleeps).to.eql([1_000]);
  });

  it("reads Retry-After as seconds or as a date, and nothing else", () => {
    const read = (text: string) => retryAfter(new Headers({ "retry-after": text }), FAKE_NOW);
    expect(read("3")).to.equal(3_000);
    expect(read(new Date(FAKE_NOW + 5_000).toUTCString())).to.equal(5_000);
    expect(read(new Date(FAKE_NOW - 5_000).toUTCString())).to.equal(0);
    expect(read("soon")).to.equal(null);
    expect(retryAfter(new Headers(), FAKE_NOW)).to.equal(null);
  });
});
