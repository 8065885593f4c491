/** The ways in which every upstream fails, told of every adapter in the same words. */
import { expect } from "chai";
import { ProviderFault } from "../../../market/providers/fault.ts";
import type { ProviderDeps } from "../../../market/providers/http.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import {
  broken,
  type FakeUpstream,
  hanging,
  hangingBody,
  html,
  json,
  startFakeUpstream,
  status,
  truncated,
} from "./upstream.ts";

export interface Bench {
  readonly upstream: FakeUpstream;
  readonly clock: FakeClock;
  readonly deps: ProviderDeps;
}

/** A server and a clock of its own for each test of the suite. */
export function bench(): Bench {
  const made: { upstream: FakeUpstream; clock: FakeClock; deps: ProviderDeps } = {} as any;
  beforeEach(async () => {
    made.upstream = await startFakeUpstream();
    made.clock = fakeClock();
    made.deps = { fetch, clock: made.clock, random: () => 0.5, baseUrl: made.upstream.url };
  });
  afterEach(() => made.upstream.close());
  return made;
}

export async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const error = await work.then(
    (value) => new Error(`no fault but ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderFault)) throw error;
  return error;
}

/** @param good an answer in the provider's shape, whose first half is sent as a truncated one */
export function failsLikeEveryUpstream(deps: {
  readonly good: unknown;
  /** A shape that the provider never has. */
  readonly misshapen?: unknown;
  call(deps: ProviderDeps): Promise<unknown>;
}): void {
  describe("when the provider fails", () => {
    const at = bench();
    const fault = () => faultOf(deps.call(at.deps));

    it("gives up a request that hangs, at its deadline, and one whose body hangs", async () => {
      at.upstream.reply(hanging(() => at.clock.expire()));
      expect((await fault()).code).to.equal("timeout");
      at.upstream.reply(hangingBody(() => at.clock.expire()));
      expect((await fault()).code).to.equal("timeout");
    });

    it("tells HTML and truncated JSON from an answer", async () => {
      at.upstream.reply(html);
      expect((await fault()).code).to.equal("not_json");
      at.upstream.reply(truncated(deps.good));
      expect((await fault()).code).to.equal("not_json");
    });

    it("takes a broken connection and a 5xx for a passing fault", async () => {
      at.upstream.reply(broken);
      expect((await fault()).code).to.equal("network");
      at.upstream.reply(status(503, "<html>down</html>"));
      const failed = await fault();
      expect([failed.code, failed.status]).to.eql(["status", 503]);
    });

    it("comes back after a 429 when the provider said, and without Retry-After in its own time", async () => {
      at.upstream.reply(status(429, "<html>slow down</html>", { "retry-after": "7" }));
      const before = at.clock.now();
      const told = await fault();
      expect([told.code, told.retryAfterMs]).to.eql(["rate_limited", 7_000]);
      expect(at.clock.now() - before).to.be.at.least(14_000);
      at.upstream.reply(status(429, ""));
      expect((await fault()).code).to.equal("rate_limited");
    });

    it("turns away another shape, null included, without repeating the question or its text", async () => {
      at.upstream.reply(json(deps.misshapen ?? { secret: "hunter2" }));
      const failed = await fault();
      expect(failed.code).to.equal("shape");
      expect(at.upstream.asked).to.have.length(1);
      expect(`${failed.message} ${JSON.stringify(failed)}`).not.to.contain("hunter2");
      at.upstream.reply(json("hunter2"));
      expect((await fault()).code).to.equal("shape");
    });
  });
}
