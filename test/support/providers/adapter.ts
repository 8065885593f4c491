/** A provider's adapter on a bench: a server and a clock in the provider's place, and what every adapter makes of a failing one. */
import { expect } from "chai";
import fc from "fast-check";
import { ProviderFault } from "../../../market/providers/fault.ts";
import { createLimits, UNLIMITED } from "../../../market/providers/limits.ts";
import type { ProviderDeps } from "../../../market/providers/provider.ts";
import { failureOf } from "../failure.ts";
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
import { type VirtualTime, virtualTime } from "./virtualTime.ts";

export interface Bench {
  readonly upstream: FakeUpstream;
  readonly time: VirtualTime;
  readonly deps: ProviderDeps;
}

/** A server and a clock of its own for each test of the suite. */
export function bench(): Bench {
  const made = {} as { upstream: FakeUpstream; time: VirtualTime; deps: ProviderDeps };
  beforeEach(async () => {
    made.upstream = await startFakeUpstream();
    const time = virtualTime();
    const { fetch, now } = time;
    made.time = time;
    made.deps = { fetch, now, limits: createLimits(), lane: "collecting", baseUrl: made.upstream.url };
  });
  afterEach(async () => {
    made.time.end();
    await made.upstream.close();
  });
  return made;
}

export const faultOf = (work: Promise<unknown>): Promise<ProviderFault> => failureOf(work, ProviderFault);

/** None of these answers has the shape that is asked for. */
export async function expectOtherShapes(
  { upstream }: Bench,
  answers: readonly unknown[],
  ask: () => Promise<unknown>,
): Promise<void> {
  for (const answer of answers) {
    upstream.reply(json(answer));
    expect((await faultOf(ask())).code, JSON.stringify(answer)).to.equal("shape");
  }
}

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(..."0|-0|1e99|1e999|NaN|Infinity|0x10| 1|1_000|1,5|-1||1.5".split("|")),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.constantFrom(0, -1, 1e300, 5e-324, 2 ** 53, 1e21, 4_102_444_801),
);

/** Every decimal text that a statement carries must be one that the store and the evidence can read. */
function expectPlainDecimals(value: unknown, key = ""): void {
  if (Array.isArray(value)) for (const item of value) expectPlainDecimals(item, key);
  else if (value && typeof value === "object") {
    // A listing's figure and a report's are words.
    const isWorded = "of" in value && (value.of === "listing" || value.of === "report");
    for (const [name, item] of Object.entries(value))
      if (!(isWorded && name === "figure")) expectPlainDecimals(item, name);
  } else if (typeof value === "string" && /figure|amount|Usd|Rate|next|confidence/.test(key))
    expect(value, key).to.match(/^-?\d+(\.\d+)?$/);
  else if (typeof value === "number") expect(Number.isSafeInteger(value), `${key} ${value}`).to.equal(true);
}

/**
 * @param call of the adapter
 * @param shape an answer of nearly its shape with one place left for anything
 */
export function failsAsEvery(
  name: string,
  call: (deps: ProviderDeps) => Promise<unknown>,
  shape: (hole: unknown) => unknown,
): void {
  describe(`when ${name} fails`, () => {
    const at = bench();
    const fault = () => faultOf(call(at.deps));

    it("gives up a request that hangs, at its deadline, and one whose body hangs", async () => {
      for (const hangs of [hanging, hangingBody]) {
        at.upstream.reply(hangs(() => at.time.advance(10_000)));
        expect((await fault()).code).to.equal("timeout");
      }
    });

    it("tells HTML and truncated JSON from an answer", async () => {
      at.upstream.reply(html);
      expect((await fault()).code).to.equal("not_json");
      at.upstream.reply(truncated(shape("1")));
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
      const before = at.time.now();
      const told = await fault();
      expect([told.code, told.retryAfterMs]).to.eql(["rate_limited", 7_000]);
      expect(at.time.now() - before).to.be.at.least(14_000);
      at.upstream.reply(status(429, ""));
      expect((await fault()).code).to.equal("rate_limited");
    });

    it("turns away another shape, null included, without repeating the question or its text", async () => {
      at.upstream.reply(json({ secret: "hunter2" }));
      const failed = await fault();
      expect(failed.code).to.equal("shape");
      expect(at.upstream.asked).to.have.length(1);
      expect(`${failed.message} ${JSON.stringify(failed)}`).not.to.contain("hunter2");
      at.upstream.reply(json("hunter2"));
      expect((await fault()).code).to.equal("shape");
    });

    it("comes out as statements of plain figures or as a fault, and as nothing else", async () => {
      const { now } = at.time;
      await fc.assert(
        fc.asyncProperty(fc.oneof(anything.map(shape), fc.jsonValue()), async (body) => {
          const fetch = (async () => Response.json(body)) as unknown as typeof globalThis.fetch;
          const work = call({ fetch, now, limits: UNLIMITED, lane: "collecting" });
          const result = await work.catch((error: unknown) => error);
          if (result instanceof Error) expect(result).to.be.instanceOf(ProviderFault);
          else expectPlainDecimals(result);
        }),
        { numRuns: 150 },
      );
    });
  });
}
