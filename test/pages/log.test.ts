/** /log of a real service, in Chromium. */
import { expect } from "chai";
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import { testBrowser } from "../support/browser.ts";
import { answerOf } from "../support/http.ts";
import { carryOut, testService, walletOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

describe("the page of the decision log", () => {
  const browser = testBrowser();
  const world = testWorld();
  const service = testService(world);
  let executed: string;
  let unused: string;
  let jobId: string;
  before(async () => {
    await world.tick();
    const job = await service.newJob();
    ({ jobId } = job);
    unused = job.report.evidenceHash;
    const { body: prepared } = await service.post(`/v1/jobs/${jobId}/prepare-execution`);
    executed = prepared.report.evidenceHash;
    const transactionHash = await carryOut(walletOf(world), prepared.execution);
    await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
    await world.mine(2);
    await until(
      "public evidence",
      async () => answerOf(await fetch(`${service.url}/evidence/${executed}`)),
      ({ status }) => status === 200,
    );
  });

  const outcomesOf = (checks: readonly (readonly [string, string])[]) => Object.fromEntries(checks);

  it("shows the latest entries, checks them in the browser, and remembers the checkpoint for the next visit", async () => {
    await using context = await browser.newContext({ locale: "en" });
    for (const memory of ["absent", "ok"]) {
      const page = await context.newPage();
      await page.goto(`${service.url}/log`);
      await page.locator("[data-check=entries]").waitFor();
      const checks = await page
        .locator("[data-check]")
        .evaluateAll((all) =>
          all.map(
            (each) => [(each as HTMLElement).dataset.check!, (each as HTMLElement).dataset.outcome!] as const,
          ),
        );
      expect(outcomesOf(checks)).to.deep.equal({
        ...{ signature: "ok", consistency: "ok", memory, entries: "ok" },
      });
      await page.close();
    }
  });

  it("names the stock of an executed trade alone, and neither job, owner nor amount of any", async () => {
    const page = await (await fetch(`${service.url}/log`, { headers: { accept: "text/html" } })).text();
    const rowOf = (hash: string) =>
      new RegExp(`<tr[^>]*data-hash="${hash}"[\\s\\S]*?</tr>`).exec(page)?.[0] ?? "";
    expect(rowOf(executed)).to.include("AAPLx").and.include(`href="/reports/${executed}"`);
    expect(rowOf(unused)).to.include("allowed").and.not.include("AAPLx").and.not.include("href");
    for (const secret of [jobId, jobIdHash(jobId), walletOf(world).address, "USDL"])
      expect(page.toLowerCase()).not.to.include(secret.toLowerCase());
  });

  it("leaves the path to nobody but browsers, and the files below it to programs", async () => {
    expect((await fetch(`${service.url}/log`)).status).to.equal(404);
    expect(await (await fetch(`${service.url}/log/checkpoint`)).text()).to.match(/^assay\.localhost\/log\//);
  });
});
