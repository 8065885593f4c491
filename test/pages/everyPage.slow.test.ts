/**
 * Every page by axe with all rules of WCAG 2.2 AA, by html-validate, and by Chromium's own measures of loading.
 */
import { expect } from "chai";
import { HtmlValidate } from "html-validate";
import { violations } from "../support/axe.ts";
import { DESKTOP, PHONE, testBrowser, watchedPage } from "../support/browser.ts";
import { HOSTILE, testPagesApp } from "../support/pages.ts";
import { carryOut, testService, walletOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

/** A page that moves more than this while it loads is a poor one (Core Web Vitals call 0.1 good). */
const MOST_SHIFT = 0.05;
/** Of pages that are looked at again and again. Times become the reader's own, and wider by some letters: that moves no line. */
const LEAST_SHIFT = 0.02;
const WATCHED = /\/(status|tokens\/.*|\?.*)?$/;
/** Largest paint on this machine, unthrottled. */
const MOST_PAINT_MS = 2_500;
const MOST_HOME_BYTES = 60_000;
const HTML = { accept: "text/html" };

const READERS = [
  { name: "on a phone, light, in English", viewport: PHONE, colorScheme: "light", locale: "en-US" },
  { name: "on a desktop, dark, in Chinese", viewport: DESKTOP, colorScheme: "dark", locale: "zh-CN" },
] as const;

const validator = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:document"],
  rules: {
    // Matters of style: pages are written to be small.
    "no-trailing-whitespace": "off",
    "doctype-style": "off",
    "long-title": "off",
    "attribute-boolean-style": "off",
    "void-style": "off",
    // Without a policy of others' scripts there is nothing for it to hold.
    "require-sri": "off",
  },
});

interface Measures {
  shift: number;
  paint: number;
  bytes: number;
}

describe("every page", function () {
  this.timeout(180_000);
  const browser = testBrowser();
  const app = testPagesApp(12);
  const world = testWorld();
  const service = testService(world);
  let report: string;
  before(async () => {
    await world.tick();
    const { jobId } = await service.newJob();
    const { body: prepared } = await service.post(`/v1/jobs/${jobId}/prepare-execution`);
    const transactionHash = await carryOut(walletOf(world), prepared.execution);
    await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
    await world.mine(2);
    report = `/reports/${prepared.report.evidenceHash}`;
    const answered = () => fetch(`${service.url}${report}`);
    await until("the report", answered, ({ status }) => status === 200);
  });

  const addresses = () => [...ofMarket(), `${service.url}${report}`];
  const ofMarket = () => {
    return [
      "/",
      "/?sort=premium&issuer=xstocks",
      "/tokens/AAPLx",
      "/status",
      "/verify",
      "/sign",
      "/docs",
      "/nope",
    ].map((path) => `${app.url}${path}`);
  };

  it("is valid HTML in both languages", async () => {
    const faults: string[] = [];
    for (const path of addresses())
      for (const language of ["en", "zh"]) {
        const response = await fetch(path, {
          headers: { ...HTML, "accept-language": language },
        });
        const { results } = await validator.validateString(await response.text());
        for (const { messages } of results)
          for (const { ruleId, message, line } of messages)
            faults.push(`${path} ${language}:${line} ${ruleId}: ${message}`);
      }
    expect(faults).to.deep.equal([]);
  });

  for (const { name, ...reader } of READERS)
    it(`has no fault for axe and loads without moving, ${name}`, async () => {
      await using context = await browser.newContext(reader);
      await using abroad = await browser.newContext({ ...reader, timezoneId: "Asia/Kathmandu" });
      const english: string[] = [];
      for (const path of addresses()) {
        const isWatched = WATCHED.test(path);
        const origin = new URL(path).origin;
        const { page, complaints } = await watchedPage(isWatched ? abroad : context, origin);
        await page.addInitScript(measure);
        await page.goto(path, { waitUntil: "networkidle" });
        // On a busy machine the network is quiet before a long page is painted.
        await page.waitForFunction(
          () => (globalThis as unknown as { measured(): Measures }).measured().paint > 0,
        );
        const { shift, paint, bytes } = await page.evaluate(() =>
          (globalThis as unknown as { measured(): Measures }).measured(),
        );
        expect(shift, `${path}: layout shift`).to.be.lessThan(isWatched ? LEAST_SHIFT : MOST_SHIFT);
        if (path === `${app.url}/`)
          expect(await page.locator("time").first().innerText()).to.match(/GMT\+5:45/);
        expect(paint, `${path}: largest paint, ms`).to.be.within(1, MOST_PAINT_MS);
        expect(bytes, `${path}: bytes`).to.be.greaterThan(1_000);
        if (path === `${app.url}/`) expect(bytes, "home on the wire").to.be.lessThan(MOST_HOME_BYTES);
        if (path.endsWith(report)) await page.locator("[data-verdict=VALID]").waitFor();
        expect(await page.evaluate(overflow), `${path} is wider than its window`).to.equal(0);
        // The file is the same for every reader.
        const language = path.endsWith("/verify") ? "en" : reader.locale.replace("-US", "");
        expect(await page.locator("html").getAttribute("lang")).to.equal(language);
        if (reader.locale === "zh-CN") {
          const told = (await page.evaluate(texts)).map((text) => text.replaceAll(HOSTILE, ""));
          english.push(...told.filter((text) => SENTENCE.test(text)).map((text) => `${path}: ${text}`));
        }
        expect(await violations(page, WCAG), path).to.deep.equal([]);
        // A page that says that nothing was found says it with its status, too.
        expect(complaints.filter((text) => !text.includes("status of 404"))).to.deep.equal([]);
        await page.close();
      }
      // But for code, names and what is marked as English.
      expect(english, "texts that a reader of Chinese cannot read").to.deep.equal([]);
    });
});

/** Four words of Latin letters in a row: no name of ours has as many. */
const SENTENCE = /[A-Za-z]{2,}(?:[ ,'’:;-]+[A-Za-z]{2,}){3,}/;

/** Runs in the page: its texts, those that only screen readers or a pointer find included, but for code and what says that it is English. */
function texts(): string[] {
  // Title and description are in the language of the page's own part.
  const head = document.querySelector("main[lang=en]") === null ? "" : ", head";
  const isElsewhere = (element: Element | null) =>
    element?.closest(`code, pre, script, noscript, style, textarea, [lang=en]${head}`) !== null;
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  while (walker.nextNode() !== null)
    if (!isElsewhere(walker.currentNode.parentElement)) found.push(walker.currentNode.textContent ?? "");
  for (const name of ["aria-label", "alt", "placeholder", "title", "content"])
    for (const element of document.querySelectorAll(`[${name}]`))
      if (!isElsewhere(element) && element.getAttribute("name") !== "viewport")
        found.push(element.getAttribute(name) ?? "");
  return found.map((text) => text.trim()).filter((text) => text !== "");
}

/** Runs in the page: by how much it is wider than its window, with all that is folded open. */
function overflow(): number {
  for (const details of document.querySelectorAll("details")) details.open = true;
  return Math.max(0, document.documentElement.scrollWidth - innerWidth);
}

/** All levels up to AA of 2.2, target sizes, which axe leaves off by default, and what is no rule but good practice. */
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Runs in the page, before its own scripts. */
function measure(): void {
  let shift = 0;
  let paint = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) paint = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  const measured = (): Measures => {
    const loaded = [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource"),
    ] as PerformanceResourceTiming[];
    return { shift, paint, bytes: loaded.reduce((sum, { transferSize }) => sum + transferSize, 0) };
  };
  Object.assign(globalThis, { measured });
}
