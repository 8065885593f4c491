/** What operators measure of the paid phase. */

import { createServer } from "node:http";
import { expect } from "chai";
import { createMetrics, measure } from "../../../api/metrics/metrics.ts";
import { forEachEngine } from "../../support/database.ts";
import { expectStatus, json } from "../../support/http.ts";
import { FOREIGN_WORDS, testFacilitator } from "../../support/paymentFacilitator.ts";
import { addPayment } from "../../support/paymentRows.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { type Service, startService } from "../../support/service.ts";

describe("metrics", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  const paid = (databaseUrl: string) =>
    startPaidService(world, databaseUrl, { FACILITATOR_URL: facilitator.url, METRICS_PORT: "0" });

  async function scrape(service: Service): Promise<Map<string, number>> {
    const answer = expectStatus(await fetch(service.server.metricsUrl as string), 200);
    expect(answer.headers.get("content-type")).to.equal("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    expect(text).not.to.include(FOREIGN_WORDS);
    const samples = text.matchAll(/^([^#\s]\S*(?:\{.*\})?) (\S+)$/gm);
    return new Map([...samples].map(([, name, value]) => [name!, Number(value)]));
  }

  forEachEngine((engine) => {
    it("metrics count payments by state, time the facilitator, and tell its faults", async () => {
      await using service = await paid(await engine.createUrl());
      const buyer = buyerOf(service, engine.name === "sqlite" ? 0 : 1);
      const settled = `assay_payments{state="settled",network="eip155:31337",asset="${world.token("USDL")}"}`;
      const requests = "assay_facilitator_request_seconds_count";
      expect((await scrape(service)).get(settled)).to.equal(undefined);
      expect((await buyer.pay("/a2mcp/verify", json(service.verifyBody()))).status).to.equal(200);
      const first = await scrape(service);
      for (const name of [
        settled,
        `${requests}{operation="verify",outcome="ok"}`,
        `${requests}{operation="settle",outcome="ok"}`,
        'assay_payment_seconds_count{state="settled"}',
      ])
        expect(first.get(name), name).to.equal(1);
      expect(first.get("assay_payment_open_age_seconds")).to.equal(0);

      const body = service.verifyBody({ amountInRaw: "260000000" });
      const signature = await buyer.sign(await service.verify(body));
      facilitator.verifyFault = "error";
      expect((await service.verify(body, signature)).status).to.equal(503);
      facilitator.verifyFault = "refuse";
      expect((await service.verify(body, signature)).status).to.equal(402);
      const second = await scrape(service);
      for (const name of [
        'assay_facilitator_faults_total{operation="verify",fault="no_answer"}',
        `${requests}{operation="verify",outcome="refused"}`,
      ])
        expect(second.get(name), name).to.equal(1);
    });

    it("metrics tell the age of the oldest payment that is open", async () => {
      await using service = await paid(await engine.createUrl());
      const now = Math.floor(Date.now() / 1_000);
      // On a network that is not configured: nothing brings it to an end.
      const open = { state: "settling", network: "eip155:99", next_look_at: (now + 900) * 1_000 } as const;
      await addPayment(service.server.service.db, now - 120, open);
      await addPayment(service.server.service.db, now - 30, open);
      expect((await scrape(service)).get("assay_payment_open_age_seconds")).to.be.within(120, 125);
    });
  });

  it("metrics are not served unless a port is set, and never on the API's own", async () => {
    await using service = await startService(world, ":memory:");
    expect(service.server.metricsUrl).to.equal(null);
    expect((await fetch(`${service.url}/metrics`)).status).to.equal(404);
  });

  it("metrics have an address of their own, where there is nothing else, and say so when it is taken", async () => {
    const service = await paid(":memory:");
    const url = service.server.metricsUrl as string;
    expect(new URL(url).hostname).to.equal("127.0.0.1");
    expect((await fetch(url.replace("/metrics", "/v1/jobs"))).status).to.equal(404);
    expect((await fetch(url, { method: "POST" })).status).to.equal(405);
    await service.server.service.db.destroy();
    expect((await fetch(url)).status).to.equal(503);
    await service.stop();

    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const taken = startService(world, ":memory:", { METRICS_PORT: String(port) });
    expect(await taken.catch((error: Error) => error.message)).to.include("set METRICS_PORT to another port");
    other.close();
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
