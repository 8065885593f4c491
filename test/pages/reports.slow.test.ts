/** /reports/<evidenceHash> and /verify of a real service, in Chromium, and the way of a reader from page to page. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { factsOf } from "../../attestor/factKinds.ts";
import { visit } from "../support/browser.ts";
import { testSite } from "../support/site.ts";
import { workerOf } from "./reportPage.ts";

const UNKNOWN = `/reports/0x${"5e".repeat(32)}`;
const FINDINGS = 23;

describe("the pages of reports", () => {
  const site = testSite();
  const verdict = (page: Page, name: string) => page.locator(`[data-verdict=${name}]`).waitFor();
  const outcomeOf = (page: Page, step: string) =>
    page.locator(`[data-step=${step}]`).getAttribute("data-outcome");
  const file = (text: string) => ({
    name: "report.json",
    mimeType: "application/json",
    buffer: Buffer.from(text),
  });
  const choose = (page: Page, text: string) => page.locator("input[name=report]").setInputFiles(file(text));
  async function trustSigner(page: Page): Promise<void> {
    await page.locator(".fields summary").click();
    await page.locator("input[name=signer]").fill(site.world.accounts.attestation.address);
    await page.locator("input[name=guard]").focus();
  }

  it("say what was asked and decided, judged in the page, and what the service is trusted for", () =>
    visit(site, site.report, {}, async (page) => {
      await verdict(page, "VALID");
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
      for (const step of ["registry", "log", "judgement"])
        expect(await outcomeOf(page, step), step).to.equal("ok");
      expect(await page.locator(".finding[data-outcome=pass]").count()).to.equal(FINDINGS);
      expect((await workerOf(page)).url()).to.match(/\/assets\/worker-[^/]+\.js$/);
    }));

  it("are UNVERIFIABLE with the service's word turned off, and say what was not checked", () =>
    visit(site, site.report, {}, async (page) => {
      await verdict(page, "VALID");
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.locator(".switch input").uncheck();
      await verdict(page, "UNVERIFIABLE");
      expect(await page.locator(".trusting").innerText()).to.match(/^Offline: /);
      expect(await page.locator("[data-verdict]").innerText()).to.match(/registry[\s\S]*No node was asked/);
      expect(asked).to.deep.equal([]);
      await trustSigner(page);
      await verdict(page, "VALID");
      expect(await outcomeOf(page, "registry")).to.equal("not asked");
      await page.locator("input[name=strict]").check();
      await verdict(page, "UNVERIFIABLE");
      expect(await outcomeOf(page, "registry")).to.equal("unknown");
    }));

  it("tell checks and execution at once, and have all else closed until it is opened", () =>
    visit(site, site.report, {}, async (page) => {
      await verdict(page, "VALID");
      expect(await page.locator("[data-check=guard-active]").innerText()).to.match(
        /Guard paused\s+no\s+must be no/,
      );
      const executed = await page.locator("#executed").innerText();
      expect(executed).to.match(
        /Spent\s+250 USDL\s+Received\s+0\.[0-9]{1,6} AAPLx\s+exactly 0\.[0-9]+ AAPLx\s+Transaction\s+0x[0-9a-f]{64}\s+Block\s+[0-9,]+ on chain 31337, final/,
      );
      expect(executed).to.include("Your browser did not ask the chain");
      const shown: Readonly<Record<string, string>> = {
        trade: "entry 1 of 2",
        signed: "jobId in its event",
        facts: "Price of the stock, per share",
        steps: "judgement",
        raw: '"evidenceHash"',
      };
      for (const [id, text] of Object.entries(shown)) {
        const part = page.locator(`#${id}`);
        expect(await part.innerText(), id).not.to.include(text);
        await part.locator("summary").click();
        expect(await part.innerText(), id).to.include(text);
      }
      const download = page.waitForEvent("download");
      await page.locator("#raw").getByRole("button").click();
      expect(readFileSync(await (await download).path(), "utf8")).to.equal(site.document);
    }));

  it("are in English for every reader, in the frame of the reader's language", () =>
    visit(site, site.report, { locale: "zh-CN" }, async (page) => {
      await verdict(page, "VALID");
      expect(await page.locator("main").getAttribute("lang")).to.equal("en");
      expect(await page.locator("main").innerText()).not.to.match(/\p{Script=Han}/u);
      expect(await page.locator("header").innerText()).to.include("验证");
    }));

  it("judge a dropped file with the network gone", () =>
    visit(site, "/verify", {}, async (page) => {
      await page.context().setOffline(true);
      await choose(page, site.document);
      await verdict(page, "UNVERIFIABLE");
    }));

  it("show nothing of a report that was changed to name another guard", () =>
    visit(site, "/verify", {}, async (page) => {
      const changed = JSON.parse(site.document);
      changed.evidence.guard.address = site.world.accounts.users[3]!.address;
      await choose(page, JSON.stringify(changed));
      await verdict(page, "INVALID");
      const text = await page.locator(".report").innerText();
      expect(text).to.include("Nothing of the report is shown");
      expect(text).to.not.match(/allowed|passed|proved/i);
    }));

  it("have their tables without script, which say that nobody checked them", () =>
    visit(site, site.report, { javaScriptEnabled: false }, async (page) => {
      const text = await page.locator("main").innerText();
      expect(text).to.match(/Not checked yet[\s\S]*nothing here has checked it/);
      expect(text).not.to.match(/\ballowed, |passed/);
      expect(text).to.match(
        /Buy at least [0-9.]+ AAPLx, a token of the stock AAPL, for 250 USDL\. The service says: allowed\. Nothing here has checked it\./,
      );
      expect(await page.locator(".finding").count()).to.equal(FINDINGS);
      const facts = factsOf(JSON.parse(site.document).evidence, true);
      expect(await page.locator(".facts tbody tr").count()).to.equal(facts.length);
    }));

  it("say without script what the verifier is, which guards it knows, and which command does the same", () =>
    visit(site, "/verify", { javaScriptEnabled: false }, async (page) => {
      const text = await page.locator("main").innerText();
      for (const part of [
        "Assay verifier",
        "needs JavaScript",
        "assay -- verify",
        "This file knows no guard",
      ])
        expect(text).to.include(part);
      expect(await page.locator(".drop").isVisible()).to.equal(false);
    }));

  it("answer 404 in words where nothing is published under the hash", async () => {
    await visit(site, UNKNOWN, {}, async (page) => {
      expect(await page.locator("h1").innerText()).to.equal("No report is published under this hash");
    });
    for (const path of [UNKNOWN, "/reports/<b>"])
      expect((await fetch(site.url + path)).status, path).to.equal(404);
  });

  it("lead from the market to a token, and on to the verifier", () =>
    visit(site, "/", {}, async (page) => {
      await page.getByRole("link", { name: "AAPLx", exact: true }).click();
      await page.waitForURL("**/tokens/AAPLx");
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Verify" }).click();
      await choose(page, site.document);
      // Without a reason to trust its issuer.
      await verdict(page, "UNVERIFIABLE");
      await trustSigner(page);
      await verdict(page, "VALID");
    }));

  it("give the verifier as one file and as a page, with what it hashes to", async () => {
    const served = await fetch(`${site.url}/verify.html`);
    const text = await served.text();
    const digest = (part: string) => createHash("sha256").update(part);
    const hash = digest(text).digest("hex");
    const policy = served.headers.get("content-security-policy");
    expect(policy).to.include("default-src 'none'").and.not.include("unsafe");
    for (const [, tag, part = ""] of text.matchAll(/<(script|style)[^>]*>([\s\S]*?)<\/\1>/g))
      expect(policy).to.include(`${tag}-src 'sha256-${digest(part).digest("base64")}'`);
    const sum = await (await fetch(`${site.url}/verify.html.sha256`)).text();
    expect(sum).to.equal(`${hash}  verify.html\n`);
    expect(await (await fetch(`${site.url}/verify`)).text()).to.equal(text);
  });
});
