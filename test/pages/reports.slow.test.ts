/** /reports/<evidenceHash> and /verify of a real service, in Chromium, and the way of a reader from page to page. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { factsOf } from "../../attestor/factKinds.ts";
import { testBrowser } from "../support/browser.ts";
import { type Answer, answerOf } from "../support/http.ts";
import { visit } from "../support/pages.ts";
import { findingsOf, workerOf } from "../support/reportPage.ts";
import { carryOut, testService, walletOf } from "../support/service.ts";
import { testFolder } from "../support/suite.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

const UNKNOWN = `0x${"5e".repeat(32)}`;

describe("the pages of reports", () => {
  const folder = testFolder("reports");
  const file = join(folder, "report.json");
  const browser = testBrowser();
  const world = testWorld();
  const service = testService(world);
  let path: string;
  let published: string;
  before(async () => {
    await world.tick();
    const job = await service.newJob();
    const { body: prepared } = await service.post(`/v1/jobs/${job.jobId}/prepare-execution`);
    const transactionHash = await carryOut(walletOf(world), prepared.execution);
    await service.post(`/v1/jobs/${job.jobId}/submissions`, { transactionHash });
    await world.mine(2);
    const hash = prepared.report.evidenceHash;
    path = `/reports/${hash}`;
    // With the proof of the log, which comes a moment after the block is final.
    const answered = async () => answerOf(await fetch(`${service.url}/evidence/${hash}`));
    const isProved = ({ status, body }: Answer) => status === 200 && body.log.proof !== null;
    published = (await until("the report", answered, isProved)).text;
    writeFileSync(file, published);
  });
  it("say what was asked and decided, judged in the page, and what the service is trusted for", async () => {
    await visit(browser, service.url, path, { locale: "en" }, async ({ page, complaints }) => {
      await page.locator("[data-verdict=VALID]").waitFor();
      expect(await page.locator(".sentence").innerText()).to.match(
        /^Buy at least [0-9.]+ AAPLx, a token of the stock AAPL, for 250 USDL\. The policy STRICT_LIVE allows it/,
      );
      // By the browser's clock, which is long after the world's.
      expect(await page.locator(".stamp").innerText()).to.match(/^VALID\s*EXPIRED$/);
      const ruling = await page.locator("[data-verdict]").innerText();
      expect(ruling).to.include("if you take this service's word");
      for (const label of ["Owner", "Policy", "Price", "Issued", "Log", "Proved", "Signed", "On trust"])
        expect(ruling).to.match(new RegExp(`^${label}$`, "m"));
      expect(ruling).to.match(/registry \S+ came from the service/);
      expect(await page.locator(".trusting strong").innerText()).to.equal(
        "Trusting this service for: its guard, its attestation key, the key of its decision log, the registry, the liquidity samples.",
      );
      for (const [step, outcome] of [
        ["registry", "ok"],
        ["log", "ok"],
        ["judgement", "ok"],
      ])
        expect(await page.locator(`[data-step=${step}]`).getAttribute("data-outcome")).to.equal(outcome);
      const findings = await findingsOf(page);
      expect(findings).to.have.length(23);
      const premium = findings.find(({ check }) => check === "premium");
      expect(premium).to.deep.include({ outcome: "pass" });
      expect((await workerOf(page)).url()).to.match(/\/assets\/worker-[^/]+\.js$/);
      expect(complaints).to.deep.equal([]);
    });
  });

  it("the pages of reports are UNVERIFIABLE with the service's word turned off, and say what was not checked", async () => {
    await visit(browser, service.url, path, { locale: "en" }, async ({ page }) => {
      await page.locator("[data-verdict=VALID]").waitFor();
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.locator(".switch input").uncheck();
      await page.locator("[data-verdict=UNVERIFIABLE]").waitFor();
      expect(await page.locator(".trusting").innerText()).to.match(/^Offline: /);
      expect(await page.locator("[data-verdict]").innerText()).to.match(/registry[\s\S]*No node was asked/);
      expect(asked).to.deep.equal([]);
      await page.locator(".fields summary").click();
      await page.locator("input[name=signer]").fill(world.accounts.attestation.address);
      await page.locator("input[name=guard]").focus();
      await page.locator("[data-verdict=VALID]").waitFor();
      expect(await page.locator("[data-step=registry]").getAttribute("data-outcome")).to.equal("not asked");
      await page.locator("input[name=strict]").check();
      await page.locator("[data-verdict=UNVERIFIABLE]").waitFor();
      expect(await page.locator("[data-step=registry]").getAttribute("data-outcome")).to.equal("unknown");
    });
  });

  it("tell the whole story: checks, what was executed, and all else closed until it is opened", async () => {
    await visit(browser, service.url, path, { locale: "en" }, async ({ page }) => {
      await page.locator("[data-verdict=VALID]").waitFor();
      expect(await page.locator("[data-check=guard-active]").innerText()).to.match(
        /Guard paused\s+no\s+must be no/,
      );
      const executed = await page.locator("#executed").innerText();
      expect(executed).to.match(
        /Spent\s+250 USDL\s+Received\s+0\.[0-9]{1,6} AAPLx\s+exactly 0\.[0-9]+ AAPLx\s+Transaction\s+0x[0-9a-f]{64}\s+Block\s+[0-9,]+ on chain 31337, final/,
      );
      expect(executed).to.include("Your browser did not ask the chain");
      const steps = page.locator("[data-step=judgement]");
      expect(await steps.isVisible()).to.equal(false);
      await page.locator("#steps summary").click();
      await steps.waitFor({ state: "visible" });
      await page.locator("#raw summary").click();
      expect(await page.locator("#raw pre").innerText()).to.include('"evidenceHash"');
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.locator("#raw").getByRole("button").click(),
      ]);
      expect(readFileSync(await download.path(), "utf8")).to.equal(published);
    });
  });

  it("the pages of reports are in English for every reader, in the frame of the reader's language", async () => {
    await visit(browser, service.url, path, { locale: "zh-CN" }, async ({ page }) => {
      await page.locator("[data-verdict=VALID]").waitFor();
      expect(await page.locator("main").getAttribute("lang")).to.equal("en");
      expect(await page.locator("main").innerText()).not.to.match(/\p{Script=Han}/u);
      expect(await page.locator("header").innerText()).to.include("验证");
    });
  });

  it("judge a dropped file with the network gone", async () => {
    await visit(browser, service.url, "/verify", { locale: "en" }, async ({ page }) => {
      await page.locator(".drop").waitFor();
      await page.context().setOffline(true);
      await page.locator("input[name=report]").setInputFiles(file);
      await page.locator("[data-verdict=UNVERIFIABLE]").waitFor();
    });
  });

  it("show nothing of a report that was changed to name another guard", async () => {
    const parsed = JSON.parse(published);
    parsed.evidence.guard.address = world.accounts.users[3]!.address;
    writeFileSync(join(folder, "other.json"), JSON.stringify(parsed));
    await visit(browser, service.url, "/verify", { locale: "en" }, async ({ page }) => {
      await page.locator("input[name=report]").setInputFiles(join(folder, "other.json"));
      await page.locator("[data-verdict=INVALID]").waitFor();
      const text = await page.locator("main").innerText();
      expect(text).to.include("Nothing of the report is shown");
      expect(text).to.not.match(/allowed|passed|proved/i);
    });
  });

  it("the pages of reports have their tables without script, which say that nobody checked them", async () => {
    await visit(browser, service.url, path, { javaScriptEnabled: false, locale: "en" }, async ({ page }) => {
      const text = await page.locator("main").innerText();
      expect(text).to.match(/Not checked yet[\s\S]*nothing here has checked it/);
      expect(text).not.to.match(/\ballowed, |passed/);
      expect(text).to.match(
        /Buy at least [0-9.]+ AAPLx, a token of the stock AAPL, for 250 USDL\. The service says: allowed\. Nothing here has checked it\./,
      );
      expect(await page.locator(".finding").count()).to.equal(23);
      expect(await page.locator(".facts tbody tr").count()).to.equal(
        factsOf(JSON.parse(published).evidence, true).length,
      );
    });
    await visit(browser, service.url, "/verify", { javaScriptEnabled: false }, async ({ page }) => {
      expect(await page.locator("noscript").innerText()).to.include("JavaScript");
    });
  });

  it("answer 404 in words where nothing is published under the hash", async () => {
    await visit(browser, service.url, `/reports/${UNKNOWN}`, { locale: "en" }, async ({ page }) => {
      expect(await page.locator("h1").innerText()).to.equal("No report is published under this hash");
    });
    expect((await fetch(`${service.url}/reports/${UNKNOWN}`)).status).to.equal(404);
    expect((await fetch(`${service.url}/reports/<b>`)).status).to.equal(404);
  });

  it("lead from the market to a token, from a report to its token and on to the verifier", async () => {
    await visit(browser, service.url, "/", { locale: "en" }, async ({ page, complaints }) => {
      await page.getByRole("link", { name: "AAPLx", exact: true }).click();
      await page.waitForURL("**/tokens/AAPLx");
      await page.goto(service.url + path);
      await page
        .locator("#executed")
        .getByRole("link", { name: /AAPLx over time/ })
        .click();
      await page.waitForURL("**/tokens/AAPLx");
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Verify" }).click();
      await page.locator("input[name=report]").setInputFiles(file);
      // Without a reason to trust its issuer.
      await page.locator("[data-verdict=UNVERIFIABLE]").waitFor();
      await page.locator(".fields summary").click();
      await page.locator("input[name=signer]").fill(world.accounts.attestation.address);
      await page.locator("input[name=guard]").focus();
      await page.locator("[data-verdict=VALID]").waitFor();
      expect(complaints).to.deep.equal([]);
    });
  });

  it("give the verifier as one file and as a page, with what it hashes to", async () => {
    const served = await fetch(`${service.url}/verify.html`);
    const text = await served.text();
    const digest = (part: string) => createHash("sha256").update(part);
    const hash = digest(text).digest("hex");
    const policy = served.headers.get("content-security-policy");
    expect(policy).to.include("default-src 'none'").and.not.include("unsafe");
    for (const [, tag, part = ""] of text.matchAll(/<(script|style)[^>]*>([\s\S]*?)<\/\1>/g))
      expect(policy).to.include(`${tag}-src 'sha256-${digest(part).digest("base64")}'`);
    const sum = await (await fetch(`${service.url}/verify.html.sha256`)).text();
    expect(sum).to.equal(`${hash}  verify.html\n`);
    expect(await (await fetch(`${service.url}/verify`)).text()).to.equal(text);
    // It runs, and shows what its style says.
    await visit(browser, service.url, "/verify", { locale: "en" }, async ({ page }) => {
      expect(await page.locator(".drop").isVisible()).to.equal(true);
      expect(await page.locator("body").evaluate((body) => getComputedStyle(body).margin)).to.equal("0px");
    });
  });
});
