import { inspect } from "node:util";
import { expect } from "chai";
import { parseConfig } from "../../../api/settings/config.ts";
import { faultsWhen } from "../../support/settings.ts";
import WRONG from "./wrongTraces.json" with { type: "json" };

const ENDPOINT = "https://collector.example.com/tenant-83f1/";
const faultsOf = (env: Record<string, string>) => faultsWhen(() => parseConfig(env));

describe("the settings of traces", () => {
  it("are off without an endpoint, under any other settings", () => {
    expect(parseConfig({}).traces).to.equal(null);
    expect(parseConfig({ OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER: "always_on" }).traces).to.equal(null);
    expect(parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: "" }).traces).to.equal(null);
  });

  it("take OpenTelemetry's own names, with its defaults", () => {
    const { traces } = parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT });
    expect(traces?.url.reveal()).to.equal("https://collector.example.com/tenant-83f1/v1/traces");
    const usual = { serviceName: "assay", sampler: "parentbased_always_on", ratio: 1 };
    expect(traces).to.deep.include({ ...usual, callees: ["rpc", "facilitator"] });
    const set = parseConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a%3Db, x-tenant = 7",
      OTEL_SERVICE_NAME: "assay-eu",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      TRACE_CONTEXT_TO: "providers, rpc",
    }).traces;
    expect(set?.url.reveal()).to.equal("http://127.0.0.1:4318/v1/traces");
    expect(JSON.parse(set!.headers.reveal())).to.deep.equal({ authorization: "Bearer a=b", "x-tenant": "7" });
    const named = { serviceName: "assay-eu", sampler: "traceidratio", ratio: 0.25 };
    expect(set).to.deep.include({ ...named, callees: ["rpc", "providers"] });
    const none = parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, TRACE_CONTEXT_TO: "none" }).traces;
    expect(none?.callees).to.deep.equal([]);
  });

  it("never show where the collector is or what is sent along, right or wrong", () => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: "x-key=geheim-5521" };
    const config = parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...headers });
    for (const shown of [JSON.stringify(config), inspect(config, { depth: 9 })]) {
      expect(shown).not.to.include("geheim-5521");
      expect(shown).not.to.include("tenant-83f1");
    }
    expect(faultsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "ftp://geheim" })).to.deep.equal([
      "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://127.0.0.1:4318",
    ]);
    for (const headers of ["geheim", "=geheim", "x=%geheim", "x y=geheim", "x=geheim%0d%0aa: b"])
      expect(faultsOf({ OTEL_EXPORTER_OTLP_HEADERS: headers }), headers).to.deep.equal([
        "OTEL_EXPORTER_OTLP_HEADERS must be name=value with commas between, values percent-encoded",
      ]);
  });

  it("name what is wrong with the others", () => {
    for (const { name, value, fault } of WRONG)
      expect(faultsOf({ [name]: value })).to.deep.equal([`${name} ${fault}, not ${JSON.stringify(value)}`]);
  });
});
