/** What operators measure of the paid phase. */
import { expect } from "chai";
import { forEachEngine } from "../../support/database.ts";
import { expectStatus, json } from "../../support/http.ts";
import { FOREIGN_WORDS, testFacilitator } from "../../support/paymentFacilitator.ts";
import { addPayment } from "../../support/paymentRows.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import type { Service } from "../../support/service.ts";

describe("the metrics of payments", () => {
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
    it("the metrics of payments count them by state, time the facilitator, and tell its faults", async () => {
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

    it("the metrics of payments tell the age of the oldest one that is open", async () => {
      await using service = await paid(await engine.createUrl());
      const now = Math.floor(Date.now() / 1_000);
      // On a network that is not configured: nothing brings it to an end.
      const open = { state: "settling", network: "eip155:99", next_look_at: (now + 900) * 1_000 } as const;
      await addPayment(service.server.service.db, now - 120, open);
      await addPayment(service.server.service.db, now - 30, open);
      expect((await scrape(service)).get("assay_payment_open_age_seconds")).to.be.within(120, 125);
    });
  });
});
