/** What traces cost a service when their collector is away, slow or refuses: spans, and nothing else. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { parseConfig } from "../../../api/settings/config.ts";
import { createSpanCount, guardedProcessor } from "../../../api/traces/export.ts";
import { openTracer } from "../../../api/traces/open.ts";
import { NO_TRACES, type Tracer } from "../../../api/traces/tracer.ts";
import { startCollector, type TraceCollector } from "../../support/otlp.ts";

describe("traces", () => {
  let collector: TraceCollector;
  const told: { fields: any; message: string }[] = [];
  const log = { warn: (fields: object, message: string) => void told.push({ fields, message }) };
  let random = 0;
  const randomBytes = (count: number) => Uint8Array.from({ length: count }, () => (random++ * 31 + 7) % 256);
  const open = (env: Record<string, string> = {}): Promise<Tracer> =>
    openTracer({
      settings: parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }).traces,
      version: "0",
      randomBytes,
      log,
    });
  const answerOne = (tracer: Tracer, traceparent?: string, work = async () => {}) =>
    tracer.request(traceparent, { "assay.request_id": "r1" }, async (span) => {
      await work();
      span.end("GET /x", {}, false);
      return span.traceId;
    });

  beforeEach(async () => {
    collector = await startCollector();
    told.length = 0;
  });
  afterEach(() => collector.stop());

  it("are nothing at all without an endpoint", async () => {
    expect(await openTracer({ settings: null, version: "0", randomBytes, log })).to.equal(NO_TRACES);
  });

  it("end with the service: what is left is handed over before it is gone", async () => {
    const tracer = await open();
    await answerOne(tracer, undefined, () => tracer.step("select jobs", "client", {}, async () => {}));
    expect(collector.spans).to.deep.equal([]);
    await tracer.stop();
    expect(collector.spans.map(({ name }) => name)).to.have.members(["GET /x", "select jobs"]);
    expect(tracer.counts()).to.deep.equal({ exported: 2, failed: 0, dropped: 0 });
  });

  it("that the collector refuses are counted and told once, and touch no request", async () => {
    collector.status = 400;
    const tracer = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/key-in-a-path` });
    expect(await answerOne(tracer, undefined)).to.match(/^[0-9a-f]{32}$/);
    await tracer.stop();
    expect(tracer.counts()).to.deep.equal({ exported: 0, failed: 1, dropped: 0 });
    expect(told.map(({ message }) => message)).to.deep.equal(["traces could not be exported"]);
    expect(told[0]!.fields).to.deep.equal({ spans: 1, fault: "status 400" });
  });

  it("of a collector that is not there are lost alone, and keep the end from nothing", async () => {
    const { url } = collector;
    await collector.stop();
    const tracer = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    await answerOne(tracer);
    await tracer.stop();
    expect(tracer.counts().exported).to.equal(0);
    expect(JSON.stringify(told)).not.to.include(new URL(url).port);
    collector = await startCollector();
  });

  it("of a collector that never answers do not hold up the end", async () => {
    collector.status = "hang";
    const tracer = await open();
    await answerOne(tracer);
    const hangs = sleep(30_000, "hangs", { ref: false });
    expect(await Promise.race([tracer.stop(), hangs])).to.equal(undefined);
  });

  it("that wait are bounded: what is beyond is dropped and counted", () => {
    const count = createSpanCount();
    let passed = 0;
    const nothing = async () => {};
    const inner = { onStart() {}, onEnd: () => void passed++, forceFlush: nothing, shutdown: nothing };
    const guarded = guardedProcessor(inner, count, 3);
    const span = { spanContext: () => ({ traceFlags: 1 }) } as any;
    for (let index = 0; index < 5; index++) guarded.onEnd(span);
    expect([passed, count.waiting, count.dropped]).to.deep.equal([3, 3, 2]);
    count.waiting -= 2;
    guarded.onEnd(span);
    expect([passed, count.dropped]).to.deep.equal([4, 2]);
  });

  it("go on from the caller's, whether it is kept or not; anything else begins a new one", async () => {
    const tracer = await open();
    const trace = "0af7651916cd43dd8448eb211c80319c";
    expect(await answerOne(tracer, `00-${trace}-b7ad6b7169203331-01`)).to.equal(trace);
    let passedOn: unknown;
    const unkept = `00-${trace.replace("0a", "0b")}-b7ad6b7169203331-00`;
    await answerOne(tracer, unkept, async () => {
      passedOn = tracer.headers();
      await tracer.step("select jobs", "client", {}, async () => {});
    });
    expect(passedOn)
      .to.have.property("traceparent")
      .that.matches(/^00-0b.{30}-.{16}-00$/);
    const broken = fc.constantFrom(
      ...[`00-${trace}-b7ad6b7169203331`, `ff-${trace}-b7ad6b7169203331-01`],
      ...[`00-${"0".repeat(32)}-b7ad6b7169203331-01`, `00-${trace}-${"0".repeat(16)}-01`],
    );
    const begun = fc.asyncProperty(fc.oneof(fc.string(), broken), async (text) => {
      const its = await answerOne(tracer, text);
      expect(its).to.match(/^[0-9a-f]{32}$/);
      expect(its).to.not.equal(trace);
    });
    await fc.assert(begun, { numRuns: 50 });
    await tracer.stop();
    const ofCaller = collector.spans.filter(({ parentSpanId }) => parentSpanId === "b7ad6b7169203331");
    expect(ofCaller.map(({ traceId }) => traceId)).to.deep.equal([trace]);
  });

  for (const [sampler, kept] of [
    ["always_on", [true, true, true]],
    ["always_off", [false, false, false]],
    ["traceidratio", [false, false, false]],
    ["parentbased_always_on", [true, true, false]],
    ["parentbased_always_off", [false, true, false]],
    ["parentbased_traceidratio", [false, true, false]],
  ] as const)
    it(`are kept as ${sampler} says, of callers who say nothing, keep theirs, or do not`, async () => {
      const tracer = await open({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: "0" });
      const ids: (string | null)[] = [];
      for (const flags of [null, "01", "00"]) {
        const own = (ids.length + 10).toString(16).repeat(32);
        ids.push(await answerOne(tracer, flags === null ? undefined : `00-${own}-b7ad6b7169203331-${flags}`));
        await tracer.step("outside of all requests", "inside", {}, async () => {});
      }
      await tracer.stop();
      const seen = collector.spans.map(({ traceId }) => traceId);
      expect(ids.map((id) => seen.includes(id as string))).to.deep.equal(kept);
      expect(collector.spans.every(({ name }) => name === "GET /x")).to.equal(true);
    });

  it("say of an error its code or its name, never its words", async () => {
    const tracer = await open();
    const fails = (error: Error) => () =>
      tracer.step("select jobs", "client", {}, () => Promise.reject(error)).catch(() => {});
    const words = "duplicate key 0xdeadbeef of alice";
    await answerOne(tracer, undefined, fails(Object.assign(new Error(words), { code: "23505" })));
    await answerOne(tracer, undefined, fails(Object.assign(new Error(words), { code: words })));
    await tracer.stop();
    const failed = collector.spans.filter(({ name }) => name === "select jobs");
    expect(failed.map(({ failed: is, attributes }) => [is, attributes["error.type"]])).to.deep.equal([
      [true, "23505"],
      [true, "Error"],
    ]);
    expect(collector.bodies.join()).not.to.include("alice");
  });
});
