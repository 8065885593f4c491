/** The ways that readers go, from page to page: with script and without, and while the database is away. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { DESKTOP, testBrowser } from "../support/browser.ts";
import { visit } from "../support/pages.ts";
import { carryOut, testService, walletOf } from "../support/service.ts";
import { testFolder } from "../support/suite.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

describe("the journeys of readers", function () {
  this.timeout(120_000);
  const folder = testFolder("journeys");
  const browser = testBrowser();
  const world = testWorld();
  const service = testService(world);
  let evidenceHash: string;
  let file: string;
  before(async () => {
    await world.tick();
    const { jobId } = await service.newJob();
    const { body: prepared } = await service.post(`/v1/jobs/${jobId}/prepare-execution`);
    ({ evidenceHash } = prepared.report);
    const transactionHash = await carryOut(walletOf(world), prepared.execution);
    await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
    await world.mine(2);
    const published = async () => (await fetch(`${service.url}/evidence/${evidenceHash}`)).text();
    const text = await until("the evidence", published, (answer) => answer.includes('"execution"'));
    file = join(folder, "report.json");
    writeFileSync(file, text);
  });

  it("lead from the market to a token, from a report to its token and on to the verifier", async () => {
    await visit(
      browser,
      service.url,
      "/",
      { viewport: DESKTOP, locale: "en" },
      async ({ page, complaints }) => {
        await page.getByRole("link", { name: "AAPLx", exact: true }).click();
        await page.waitForURL("**/tokens/**");
        expect(await page.locator("h1").innerText()).to.include("AAPLx");
        await page.goto(`${service.url}/reports/${evidenceHash}`);
        await page.locator("[data-verdict=VALID]").waitFor();
        await page
          .locator("#executed")
          .getByRole("link", { name: /AAPLx over time/ })
          .waitFor();
        await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Verify" }).click();
        await page.locator(".drop").waitFor();
        await page.locator("input[name=report]").setInputFiles(file);
        // Without a reason to trust its issuer.
        await page.locator("[data-verdict=UNVERIFIABLE]").waitFor();
        await page.locator(".fields summary").click();
        await page.locator("input[name=signer]").fill(world.accounts.attestation.address);
        await page.locator("input[name=guard]").focus();
        await page.locator("[data-verdict=VALID]").waitFor();
        expect(complaints).to.deep.equal([]);
      },
    );
  });

  it("lead the same way without script, as far as there is something to read", async () => {
    await visit(
      browser,
      service.url,
      "/",
      { javaScriptEnabled: false, locale: "en" },
      async ({ page, complaints }) => {
        await page.getByRole("link", { name: "AAPLx", exact: true }).click();
        await page.waitForURL("**/tokens/**");
        await page.goto(`${service.url}/reports/${evidenceHash}`);
        const report = await page.locator("main").innerText();
        expect(report).to.match(
          /Not checked yet[\s\S]*Guard paused\s+no\s+must be no[\s\S]*What was executed/,
        );
        expect(report).not.to.match(/\ballowed, |passed/);
        await page.locator("#facts summary").click();
        await page.locator(".facts").waitFor({ state: "visible" });
        // A browser that runs no script loads no module either.
        expect(complaints.filter((text) => !text.endsWith(".js: csp"))).to.deep.equal([]);
      },
    );
  });
});
