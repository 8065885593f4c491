/** /healthz and /readyz: whether the process lives, and whether it can do its work. */
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { expectProblem, startTestApp, testApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";

describe("the health of the service", () => {
  const app = testApp();

  it("everybody is told whether the service is alive, and ready by database, chain, clock, key and log", async () => {
    expect((await app.call("/healthz", { key: null })).body).to.deep.equal({ status: "live" });
    const signer = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
    const well = { refused: null, fault: null, keyFault: null };
    expect((await app.call("/readyz", { key: null })).body).to.deep.equal({
      status: "ready",
      checks: { database: "up", chain: "up" },
      clock: { aheadOfDatabaseSeconds: 0, differs: false },
      attestation: { signer, waiting: null, fault: null },
      log: { name: null, entries: 0, signedEntries: 0, signedAgo: null, waiting: 0, ...well },
    });
  });

  it("/readyz tells the state of the market's collection where it is asked to say more", async () => {
    for (const query of ["?verbose", "?verbose=1"]) {
      const { body } = await app.call(`/readyz${query}`, { key: null });
      validateAnswer(app.openapi, "GET", "/readyz", 200, body);
      expect(body.market).to.include({ round: null });
      expect(body.market.unpriced.length).to.be.greaterThan(0);
    }
  });

  for (const [what, chain] of [
    ["is away", () => Promise.reject(new Error("geheim"))],
    ["does not answer", () => new Promise<void>(() => {})],
  ] as const)
    it(`the service is alive and not ready while the chain ${what}, and does not say why`, async () => {
      await using away = await startTestApp({ probes: { chain } });
      const answer = expectProblem(await away.call("/readyz"), 503, "unavailable");
      expect(answer.body.checks).to.deep.equal({ database: "up", chain: "down" });
      expect(answer.headers.get("retry-after")).to.equal("5");
      expect(answer.text).to.not.contain("geheim");
      validateAnswer(away.openapi, "GET", "/readyz", 503, answer.body);
      expect((await away.call("/healthz")).status).to.equal(200);
    });

  it("the health is found out once a second, for all who want to know", async () => {
    let now = 5_000;
    let probes = 0;
    const chain = async () => {
      probes++;
      await setImmediate();
    };
    await using asked = await startTestApp({ probes: { chain }, data: { monotonic: () => now } });
    const ask = () => Promise.all(Array.from({ length: 20 }, () => asked.call("/readyz")));
    for (const { status } of [...(await ask()), ...(await ask())]) expect(status).to.equal(200);
    now += 999;
    await ask();
    expect(probes).to.equal(1);
    now += 1;
    await ask();
    expect(probes).to.equal(2);
  });
});
