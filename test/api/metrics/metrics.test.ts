/** Where metrics are served, and how they are read. */
import { createServer } from "node:http";
import { expect } from "chai";
import { createMetrics, measure } from "../../../api/metrics/metrics.ts";
import { failureOf } from "../../support/failure.ts";
import { listening } from "../../support/ports.ts";
import { startService } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

describe("metrics", () => {
  const world = testWorld();

  it("metrics are not served unless a port is set, and never on the API's own", async () => {
    await using service = await startService(world, ":memory:");
    expect(service.server.metricsUrl).to.equal(null);
    expect((await fetch(`${service.url}/metrics`)).status).to.equal(404);
  });

  it("metrics have an address of their own, where there is nothing else, and are unavailable without the database", async () => {
    await using service = await startService(world, ":memory:", { METRICS_PORT: "0" });
    const url = service.server.metricsUrl as string;
    expect(new URL(url).hostname).to.equal("127.0.0.1");
    expect((await fetch(url.replace("/metrics", "/v1/jobs"))).status).to.equal(404);
    expect((await fetch(url, { method: "POST" })).status).to.equal(405);
    await service.server.service.db.destroy();
    expect((await fetch(url)).status).to.equal(503);
  });

  it("metrics whose port is taken stop the start, by the name of the setting", async () => {
    await using other = await listening(createServer());
    const taken = startService(world, ":memory:", { METRICS_PORT: new URL(other.url).port });
    expect((await failureOf(taken, Error)).message).to.include("set METRICS_PORT to another port");
  });

  it("metrics are read once an answer where they follow from one state, and have no value where it is not known", async () => {
    const metrics = createMetrics();
    let state: number | null = 7;
    let reads = 0;
    const read = async () => {
      reads++;
      return state;
    };
    const help = "For this test.";
    measure(metrics, read, [
      { name: "assay_one", help, samples: (value) => [[{}, value]] },
      { name: "assay_two", help, labelNames: ["of"], samples: (value) => [[{ of: 'a"b' }, value]] },
    ]);
    const samples = async () => (await metrics.metrics()).split("\n").filter((line) => /^assay_/.test(line));
    expect(await samples()).to.deep.equal(["assay_one 7", 'assay_two{of="a\\"b"} 7']);
    expect(reads).to.equal(1);
    state = null;
    expect(await samples()).to.deep.equal([]);
  });
});
