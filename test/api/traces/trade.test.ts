/** A paid trade in one trace, as a collector sees it. */
import { expect } from "chai";
import { createLogger } from "../../../api/metrics/logger.ts";
import { localPayments } from "../../../devnet/facilitator.ts";
import { localSources } from "../../../devnet/market/sources.ts";
import { countingRpc } from "../../support/countingRpc.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { type Answer, expectStatus, json } from "../../support/http.ts";
import { type CollectedSpan, startCollector } from "../../support/otlp.ts";
import { startFacilitator } from "../../support/paymentFacilitator.ts";
import { buyerOf, createPaidWorld } from "../../support/payments.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLIENT_SPAN = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${CLIENT_SPAN}-01`;
const OTHER_TRACE = "af92f3577b34da6a3ce929d0e0e4736b";
const EXPORT_KEY = "key-of-the-collector-93b1";
const FACILITATOR_KEY = "key-of-the-facilitator-77aa";
/** What a client names itself, and what it puts beside its trace. */
const STATE = "vendor=state-of-a-client-5512";

const [CREATE, REPORT] = ["POST /v1/jobs", "GET /v1/jobs/:id/report"] as const;
const PREPARE = "POST /v1/jobs/:id/prepare-execution";

describe("the traces of a paid trade", () => {
  const world = testWorld(createPaidWorld);

  forAlikeEngines((engine) => {
    const collector = ofSuite(startCollector);
    const rpc = ofSuite(() => countingRpc(world.url));
    const facilitator = ofSuite(() => startFacilitator(world));
    let databaseUrl: string;
    let job: any;
    let execution: any;
    let transactionHash: string;
    const log: Record<string, unknown>[] = [];
    const sent: string[] = [];
    let refused: Answer;
    let ofTrade: readonly CollectedSpan[];

    const tracing = (init: RequestInit = {}, more: Record<string, string> = {}): RequestInit => {
      const headers = new Headers(init.headers);
      const set = { traceparent: TRACEPARENT, tracestate: STATE, ...more };
      for (const [name, value] of Object.entries(set)) headers.set(name, value);
      return { ...init, headers };
    };

    const service = ofSuite(async () => {
      databaseUrl = await engine.createUrl();
      const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
      const env = {
        PAYMENT_PHASE: "paid",
        RPC_URL: rpc.url,
        FACILITATOR_URL: facilitator.url,
        FACILITATOR_KEY,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `x-key=${EXPORT_KEY}`,
        OTEL_SERVICE_NAME: "assay-under-test",
      };
      return startService(world, databaseUrl, env, {
        payments: localPayments,
        logger: createLogger({ level: "info", destination }),
        market: (context) => ({ sources: localSources({ ...context, now: () => world.clock.now() }) }),
      });
    });
    before(async () => {
      await trade();
      await service.stop();
      ofTrade = collector.spans.filter(({ traceId }) => traceId === TRACE);
    });
    async function trade(): Promise<void> {
      const buyer = buyerOf(service, engine.name === "sqlite" ? 0 : 1);
      const body = service.jobBody({ ownerAddress: buyer.wallet.address });
      job = (await service.call("/v1/jobs", tracing(json(body)))).body;
      const withKey = tracing({}, { "x-api-key": service.key });
      expectStatus(await buyer.pay(`/v1/jobs/${job.jobId}/report`, withKey), 200);
      sent.push(...facilitator.requests.map(({ body: asked }) => asked?.paymentPayload?.payload?.signature));
      const asked = tracing(json({ deadlineSeconds: 120 }));
      const prepared = await service.call(`/v1/jobs/${job.jobId}/prepare-execution`, asked);
      execution = prepared.body.execution;
      expect(execution, prepared.text).not.to.equal(null);
      transactionHash = await carryOut(walletOf(world, engine.name === "sqlite" ? 0 : 1), execution);
      await service.call(`/v1/jobs/${job.jobId}/submissions`, tracing(json({ transactionHash })));
      await service.jobWhen(job.jobId, ({ executions }) => executions[0]?.state === "confirmed");
      const traceparent = `00-${OTHER_TRACE}-${CLIENT_SPAN}-01`;
      refused = await service.call("/v1/jobs", tracing(json({ secret: "nobody-knows" }), { traceparent }));
      await fetch(`${service.url}/v1/nothing/at/all?with=query-nobody-keeps`, tracing());
    }

    const named = (name: string) => ofTrade.filter((span) => span.name === name);
    const parentOf = ({ parentSpanId }: CollectedSpan) =>
      ofTrade.find(({ spanId }) => spanId === parentSpanId);
    const rootOf = (span: CollectedSpan): CollectedSpan => {
      const parent = parentOf(span);
      return parent ? rootOf(parent) : span;
    };

    it("come in the protocol's own form, with the collector's key and the service's name", () => {
      expect(collector.faults).to.deep.equal([]);
      expect(collector.headers.every((headers) => headers["x-key"] === EXPORT_KEY)).to.equal(true);
      expect(collector.resource["service.name"]).to.equal("assay-under-test");
    });

    it("are one tree: every request stands under the client's span, every step under its request", () => {
      const requests = ofTrade.filter(({ kind }) => kind === 2);
      const submit = "POST /v1/jobs/:id/submissions";
      expect(requests.map(({ name }) => name)).to.include.members([CREATE, REPORT, PREPARE, submit, "GET"]);
      for (const request of requests) expect(request.parentSpanId, request.name).to.equal(CLIENT_SPAN);
      for (const span of ofTrade) expect(rootOf(span).kind, span.name).to.equal(2);
      expect(new Set(ofTrade.map(({ spanId }) => spanId)).size).to.equal(ofTrade.length);
    });

    it("go from the request over judging and the chain to the database and the facilitator", () => {
      const under = (name: string) => new Set(named(name).map((span) => rootOf(span).name));
      for (const name of ["gather facts", "judge"])
        expect([...under(name)], name).to.include.members([CREATE, PREPARE]);
      for (const name of ["facilitator verify", "facilitator settle"])
        expect([...under(name)], name).to.deep.equal([REPORT]);
      for (const name of ["await log checkpoint", "certify"])
        expect([...under(name)], name).to.deep.equal([PREPARE]);
      expect([...under("insert jobs")]).to.deep.equal([CREATE]);
      expect([...under("insert log_waiting")]).to.include.members([CREATE, PREPARE]);
      const gathered = ofTrade.filter((span) => parentOf(span)?.name === "gather facts");
      const reads = gathered.filter(({ attributes }) => "rpc.method" in attributes);
      expect([...new Set(reads.map((span) => rootOf(span).name))]).to.include.members([CREATE, PREPARE]);
      expect(reads.map(({ attributes }) => attributes["rpc.method"]).join()).to.include("eth_call");
      const asked = named("provider pyth")[0]!;
      expect(asked.attributes).to.deep.equal({ "assay.provider": "pyth" });
      expect(rootOf(asked).name).to.equal(CREATE);
      const insert = named("insert jobs")[0]!;
      expect(insert.attributes).to.deep.equal({
        "db.system.name": engine.name === "sqlite" ? "sqlite" : "postgresql",
        "db.operation.name": "insert",
        "db.collection.name": "jobs",
      });
    });

    it("reach the node and the facilitator, without the client's trace state", () => {
      const spanOf = (traceparent: string | undefined) => {
        const [, traceId, spanId, flags] = /^00-(\w+)-(\w+)-(\w\w)$/.exec(traceparent ?? "") ?? [];
        expect([traceId, flags]).to.deep.equal([TRACE, "01"]);
        return ofTrade.find((span) => span.spanId === spanId)?.name;
      };
      const ours = rpc.traces.filter(({ traceparent }) => traceparent.includes(TRACE));
      expect(ours).not.to.deep.equal([]);
      for (const { methods, traceparent } of ours)
        expect(spanOf(traceparent)).to.equal(new Set(methods).size === 1 ? methods[0] : "rpc batch");
      // By default, providers get no trace context.
      expect(rpc.traces.some(({ methods }) => methods.includes("GET"))).to.equal(false);
      const asked = facilitator.requests;
      expect(asked.map(({ path, traceparent }) => [path, spanOf(traceparent)])).to.deep.equal([
        ["/verify", "facilitator verify"],
        ["/settle", "facilitator settle"],
      ]);
    });

    it("share the request's name with the log and the problem that is answered", () => {
      const { requestId } = refused.body;
      expect(refused.headers.get("x-request-id")).to.equal(requestId);
      const span = collector.spans.find(({ attributes }) => attributes["assay.request_id"] === requestId)!;
      const told = [span.traceId, span.name, span.attributes["assay.problem"]];
      expect(told).to.deep.equal([OTHER_TRACE, CREATE, "invalid_request"]);
      const line = log.find((entry) => entry.requestId === requestId)!;
      expect([line.traceId, line.status, line.msg]).to.deep.equal([OTHER_TRACE, 400, "request"]);
      const requests = ofTrade.filter(({ kind }) => kind === 2);
      const lines = log.filter(({ traceId, msg }) => traceId === TRACE && msg === "request");
      const names = requests.map(({ attributes }) => attributes["assay.request_id"]);
      expect(lines.map(({ requestId: name }) => name)).to.have.members(names);
    });

    it("are begun by the steps of the collection too, and by nothing that only looks", () => {
      const first = collector.spans.filter(({ parentSpanId }) => parentSpanId === null);
      const kinds = new Set(first.map(({ name, kind }) => (kind === 2 ? "request" : name.split(" ")[0])));
      expect([...kinds]).to.have.members(["request", "collect"]);
      const premiums = first.find(({ name }) => name === "collect premiums")!;
      expect(collector.spans.some(({ parentSpanId }) => parentSpanId === premiums.spanId)).to.equal(true);
    });

    it("say nothing of keys, tokens, payments, addresses or amounts", () => {
      // Nanoseconds hold any few digits sooner or later.
      const everything = collector.bodies
        .join("\n")
        .replaceAll(/"(start|end)TimeUnixNano":"\d+"/g, "")
        .toLowerCase();
      const { attestation, users } = world.accounts;
      const signed = sent.filter((text) => text !== undefined);
      const secrets = [
        ...[service.key, service.keyId, job.jobId, job.jobToken ?? "no-token-in-a-job"],
        ...[EXPORT_KEY, FACILITATOR_KEY, STATE, databaseUrl],
        ...[rpc.url, facilitator.url].map((url) => new URL(url).host),
        ...[attestation, ...users].flatMap(({ address, privateKey }) => [address, privateKey]),
        ...[world.token("USDL"), world.token("AAPLx"), world.deployment.guard],
        ...[transactionHash, execution.guardCall.data.slice(0, 200), ...signed],
        ...["250000000", "nobody-knows", "query-nobody-keeps", "/v1/nothing"],
      ];
      expect(signed).not.to.deep.equal([]);
      for (const secret of secrets) {
        const text = String(secret).toLowerCase();
        expect(everything.includes(text), text).to.equal(false);
        if (text.startsWith("0x")) expect(everything.includes(text.slice(2)), text).to.equal(false);
      }
    });

    it("have no attributes but those that are listed", () => {
      const names = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
      const ours = ["collector.step", "facilitator.operation", "mcp.call", "policy", "problem", "provider"];
      const listed = {
        assay: [...ours, "request_id", "rpc.calls"],
        db: ["collection.name", "operation.name", "system.name"],
        error: ["type"],
        http: ["request.method", "response.status_code", "route"],
        rpc: ["method", "system"],
      };
      const all = Object.entries(listed).flatMap(([of, these]) => these.map((name) => `${of}.${name}`));
      expect(all).to.include.members([...names]);
    });
  });
});
