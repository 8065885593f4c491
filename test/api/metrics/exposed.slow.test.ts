/** What a running service exposes, against the metrics that it made, and what dashboard and alerts ask for. */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { localMarket } from "../../../devnet/market/sources.ts";
import { forEachEngine } from "../../support/database.ts";
import { type Exposition, namesIn, readExposition, type Sample } from "../../support/exposition.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import type { Service } from "../../support/service.ts";
import { throughProxy } from "../../support/silentProxy.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
/** As the service made it. */
interface MetricSpec {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Of a histogram. */
  readonly upperBounds?: readonly number[];
}
const RULES = "deploy/prometheus/assay.rules.yml";
const DASHBOARD = "deploy/grafana/assay.dashboard.json";

const specsOf = ({ server }: Service) =>
  new Map(
    (server.service.metrics.getMetricsAsArray() as unknown as MetricSpec[]).map((spec) => [spec.name, spec]),
  );

describe("the metrics that a service exposes", () => {
  const world = testPaidWorld();

  const start = (databaseUrl: string) =>
    startPaidService(
      world,
      databaseUrl,
      { METRICS_PORT: "0" },
      {
        market: (context) => ({ market: localMarket({ ...context, now: () => world.clock.now() }) }),
      },
    );
  const scrape = async (service: Service): Promise<Exposition> => {
    const answer = await fetch(service.server.metricsUrl as string);
    expect(answer.status).to.equal(200);
    return readExposition(await answer.text());
  };
  /** As soon as it has samples of all these, and no request is under way: its end is counted when it has closed. */
  async function scrapeWith(service: Service, wanted: readonly string[]): Promise<Exposition> {
    const lineOf = ({ name, labels, value }: Sample) => `${name} ${Object.values(labels).join()} ${value}`;
    return until(
      wanted.join(", "),
      () => scrape(service),
      ({ samples }) => {
        const lines = samples.map(lineOf);
        return wanted.every((start) => lines.some((line) => line.startsWith(start)));
      },
    );
  }

  forEachEngine((engine) => {
    const service = ofSuite(async () => start(await engine.createUrl()));
    let exposition: Exposition;
    let specs: ReturnType<typeof specsOf>;
    let jobId: string;
    const baseOf = (name: string) => (specs.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ""));
    before(async () => {
      specs = specsOf(service);
      const buyer = buyerOf(service, engine.name === "sqlite" ? 2 : 3);
      const { body } = await service.post("/v1/jobs", service.jobBody());
      jobId = body.jobId;
      const headers = { "x-api-key": service.key };
      expect((await buyer.pay(`/v1/jobs/${jobId}/report`, { headers })).status).to.equal(200);
      await service.post("/v1/jobs", {});
      for (const path of ["/v1/unknown/1", "/v1/unknown/2?a=b", "/wp-login.php"])
        await fetch(new URL(path, service.url));
      await fetch(service.url, { method: "PROPFIND" });
      await fetch(new URL("/v1/policies", service.url), { method: "DELETE" });
      exposition = await scrapeWith(service, [
        "assay_collector_step_age_seconds premiums",
        "assay_collector_step_seconds_count premiums",
        "assay_log_checkpoint_age_seconds",
        "assay_http_requests_in_flight  0",
      ]);
    });

    const valueAt = (name: string, labels: Record<string, string>) =>
      exposition.samples.find(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      )?.value;

    it("the metrics that a service exposes are those that it made, each with its type, its meaning and its own labels", () => {
      expect([...exposition.families]).to.have.deep.members(
        [...specs.values()].map(({ name, type, help }) => [name, { type, help }]),
      );
      expect(exposition.families.size).to.be.at.least(40);
      for (const { name, labels } of exposition.samples) {
        const own = Object.keys(labels).filter((label) => label !== "le");
        expect(own, name).to.have.members([...specs.get(baseOf(name))!.labelNames]);
      }
    });

    it("the metrics that a service exposes count a request by its route's template, and all requests without one together", () => {
      const count = "assay_http_request_seconds_count";
      expect(valueAt(count, { method: "POST", route: "/v1/jobs", status: "2xx" })).to.equal(1);
      expect(valueAt(count, { method: "POST", route: "/v1/jobs", status: "4xx" })).to.equal(1);
      // Asked for its price, and paid for.
      expect(valueAt(count, { method: "GET", route: "/v1/jobs/:id/report", status: "4xx" })).to.equal(1);
      expect(valueAt(count, { method: "GET", route: "/v1/jobs/:id/report", status: "2xx" })).to.equal(1);
      expect(valueAt(count, { method: "GET", route: "unknown", status: "4xx" })).to.equal(3);
      expect(valueAt(count, { method: "DELETE", route: "/v1/policies", status: "4xx" })).to.equal(1);
      expect(valueAt(count, { method: "other" })).to.equal(1);
      const values = exposition.samples.flatMap(({ labels }) => Object.values(labels));
      for (const value of values) {
        expect(value).not.to.include(jobId);
        expect(value).not.to.include("wp-login");
        expect(value).not.to.include(service.keyId);
      }
    });

    it("the metrics that a service exposes time the database, the node, the providers, the log, the collection and the facilitator", () => {
      for (const [name, labels] of [
        ["assay_database_statement_seconds_count", { operation: "insert", outcome: "ok" }],
        ["assay_database_statement_seconds_count", { operation: "commit", outcome: "ok" }],
        ["assay_rpc_request_seconds_count", { method: "eth_call", outcome: "ok" }],
        ["assay_provider_request_seconds_count", { provider: "pyth", outcome: "ok" }],
        ["assay_log_publish_seconds_count", { outcome: "ok" }],
        ["assay_collector_step_seconds_count", { step: "premiums" }],
        ["assay_facilitator_request_seconds_count", { operation: "settle", outcome: "ok" }],
      ] as const)
        expect(valueAt(name, labels), `${name} ${JSON.stringify(labels)}`).to.be.greaterThan(0);
      expect(valueAt("assay_database_up", {})).to.equal(1);
      expect(valueAt("assay_log_checkpoint_age_seconds", {})).to.be.within(0, 600);
      expect(valueAt("assay_collector_step_age_seconds", { step: "premiums" })).to.be.within(0, 600);
      expect(valueAt("assay_http_requests_in_flight", {})).to.equal(0);
      const connections = (state: string) => valueAt("assay_database_connections", { state });
      expect(Number(connections("used")) + Number(connections("idle"))).to.be.greaterThan(0);
    });

    it("the metrics that a service exposes follow Prometheus' conventions: seconds in the name of what is timed, _total for counters alone, buckets ascending", () => {
      for (const { name, type, help, upperBounds } of specs.values()) {
        expect(name).to.match(/^assay_[a-z][a-z0-9_]*$/);
        expect(name.endsWith("_total"), name).to.equal(type === "counter");
        if (type === "histogram") expect(name).to.match(/_seconds$/);
        expect(help, name).to.match(/^[A-Z0-9].*\.$/);
        expect(upperBounds !== undefined, name).to.equal(type === "histogram");
        expect([...(upperBounds ?? [])].sort((one, other) => one - other)).to.deep.equal(upperBounds ?? []);
      }
    });

    const panels = [...read(DASHBOARD).matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)];
    const rules = [...read(RULES).matchAll(/^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.+)\n)/gm)];
    for (const [title, file, expressions] of [
      ["dashboard", DASHBOARD, panels.map(([, text]) => JSON.parse(text!))],
      ["alerts", RULES, rules.map(([, lines, line]) => lines ?? line)],
    ] as const)
      it(`the metrics that a service exposes are all that the ${title} asks for, by names and labels`, () => {
        expect(expressions.length).to.be.at.least(10);
        for (const expression of expressions as readonly string[]) {
          const { metrics, labels } = namesIn(expression);
          const known = metrics.flatMap((name) => {
            const base = baseOf(name);
            expect(exposition.families.has(base), `${file} names ${name}`).to.equal(true);
            const isSuffixed = base !== name;
            expect(isSuffixed, `${file}: ${name}`).to.equal(specs.get(base)!.type === "histogram");
            return specs.get(base)!.labelNames;
          });
          if (metrics.length === 0) expect(expression).to.match(/^up\{/);
          else expect([...known, "le", "instance"], expression).to.include.members(labels);
        }
      });
  });

  it("the metrics that a service exposes are served while the database is away, those of it without values", async () => {
    const { postgresServer } = await import("../../support/postgres.ts");
    await using proxy = await throughProxy(await (await postgresServer()).createDatabase());
    await using service = await start(proxy.url);
    await service.call("/v1/policies");
    const isUp = ({ samples }: Exposition) => samples.find(({ name }) => name === "assay_database_up")?.value;
    expect(isUp(await scrape(service))).to.equal(1);
    await proxy.close();
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(503);
    const { samples, families } = await scrape(service);
    expect(isUp({ samples, families })).to.equal(0);
    expect(families.size).to.equal(specsOf(service).size);
    expect(samples.some(({ name }) => name === "assay_payments")).to.equal(false);
    expect(samples.some(({ name }) => name === "assay_payment_open_age_seconds")).to.equal(false);
    const counted = samples.filter(({ name }) => name === "assay_http_request_seconds_count");
    expect(counted.find(({ labels }) => labels.status === "5xx")?.labels.route).to.equal("/readyz");
    const failed = samples.filter(
      ({ name, labels }) => name.endsWith("statement_seconds_count") && labels.outcome === "unavailable",
    );
    expect(failed).not.to.deep.equal([]);
  });

  it("the dashboard has ten panels, one for each alert, no two in one place", () => {
    const { panels } = JSON.parse(read(DASHBOARD));
    expect(panels).to.have.length(10);
    const expressions = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr)).join("\n");
    const alerted = namesIn(read(RULES).replaceAll(/^ +(summary|action|runbook):.*$/gm, "")).metrics;
    for (const name of alerted.filter((each) => each.startsWith("assay_")))
      expect(expressions).to.contain(name);
    const places = panels.map(({ gridPos: { x, y } }: any) => `${x} ${y}`);
    expect(new Set(places).size).to.equal(places.length);
    expect(new Set(panels.map(({ id }: any) => id)).size).to.equal(panels.length);
  });
});
