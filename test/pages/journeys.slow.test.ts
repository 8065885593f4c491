/** The ways that readers go, from page to page: with a key and without, with script and without, and while the database is away. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
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
  let transactionHash: string;
  let file: string;
  before(async () => {
    await world.tick();
    const { jobId } = await service.newJob();
    const { body: prepared } = await service.post(`/v1/jobs/${jobId}/prepare-execution`);
    ({ evidenceHash } = prepared.report);
    transactionHash = await carryOut(walletOf(world), prepared.execution);
    await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
    await world.mine(2);
    const published = async () => (await fetch(`${service.url}/evidence/${evidenceHash}`)).text();
    const text = await until("the evidence", published, (answer) => answer.includes('"execution"'));
    file = join(folder, "report.json");
    writeFileSync(file, text);
  });

  async function giveKey(page: Page, key: string): Promise<void> {
    await page.getByRole("button", { name: "API key" }).click();
    await page.getByLabel("Your API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Key in use" }).waitFor();
  }

  async function find(page: Page, what: string): Promise<void> {
    await page.locator("input[name=q]").fill(what);
    await page.keyboard.press("Enter");
  }

  for (const withKey of [false, true])
    it(`lead from the market to a token, from its trade to the report and on to the verifier, ${withKey ? "with" : "without"} a key`, async () => {
      await visit(
        browser,
        service.url,
        "/",
        { viewport: DESKTOP, locale: "en" },
        async ({ page, complaints }) => {
          if (withKey) await giveKey(page, service.key);
          await page.getByRole("link", { name: "AAPLx", exact: true }).click();
          await page.waitForURL("**/tokens/**");
          expect(await page.locator("h1").innerText()).to.include("AAPLx");
          await find(page, transactionHash);
          await page.waitForURL(`**/reports/${evidenceHash}`);
          await page.locator("[data-verdict=VALID]").waitFor();
          await page
            .locator("#executed")
            .getByRole("link", { name: /AAPLx over time/ })
            .waitFor();
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Log" }).click();
          await page.locator("[data-check=entries][data-outcome=ok]").waitFor();
          await page.locator(`a[href="/reports/${evidenceHash}"]`).click();
          await page.locator("[data-verdict=VALID]").waitFor();
          await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Verify" }).click();
          await page.locator(".drop").waitFor();
          await page.locator("input[name=report]").setInputFiles(file);
          await page.locator("[data-verdict=VALID]").waitFor();
          // The key lives as long as the tab goes from page to page by itself.
          expect(await page.getByRole("button", { name: "Key in use" }).count()).to.equal(withKey ? 1 : 0);
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
        await find(page, walletOf(world).address);
        expect(await page.locator("input[name=q]").inputValue()).to.equal(walletOf(world).address);
        await page.locator(`a[href="/reports/${evidenceHash}"]`).click();
        const report = await page.locator("main").innerText();
        expect(report).to.match(
          /Not checked yet[\s\S]*Guard paused: no \(must be no\)[\s\S]*What was executed/,
        );
        expect(report).not.to.match(/\ballowed, |passed/);
        await page.locator(".contents a", { hasText: "Facts" }).click();
        await page.locator("table.facts").waitFor({ state: "visible" });
        await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Log" }).click();
        expect(await page.locator("main").innerText()).to.include("log check");
        // A browser that runs no script loads no module either.
        expect(complaints.filter((text) => !text.endsWith(".js: csp"))).to.deep.equal([]);
      },
    );
  });
});
