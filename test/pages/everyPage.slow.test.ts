/**
 * Every page by axe with all rules of WCAG 2.2 AA, by html-validate, and by Chromium's own measures of loading.
 */
import { expect } from "chai";
import { HtmlValidate } from "html-validate";
import { DESKTOP, PHONE, visit } from "../support/browser.ts";
import { HOSTILE } from "../support/pages.ts";
import { testSite } from "../support/site.ts";
import { until } from "../support/until.ts";
import { violations } from "./axe.ts";

/** Times become the reader's own, and wider by some letters: that moves no line. */
const MOST_SHIFT = 0.02;
/** Largest paint on this machine, unthrottled. */
const MOST_PAINT_MS = 2_500;
const MOST_HOME_BYTES = 60_000;
const HTML = { accept: "text/html" };
/** A zone whose name is longer than that of UTC. */
const ABROAD = { timezoneId: "Asia/Kathmandu" };

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
  const site = testSite();
  const paths = () => [
    "/",
    "/?sort=premium&issuer=xstocks",
    "/tokens/AAPLx",
    "/status",
    "/verify",
    "/sign",
    "/docs",
    "/docs#/Verification/createJob",
    "/nope",
    site.report,
  ];

  it("is valid HTML in both languages", async () => {
    const faults: string[] = [];
    for (const path of paths())
      for (const language of ["en", "zh"]) {
        const headers = { ...HTML, "accept-language": language };
        const response = await fetch(site.url + path, { headers });
        const { results } = await validator.validateString(await response.text());
        for (const { messages } of results)
          for (const { ruleId, message, line } of messages)
            faults.push(`${path} ${language}:${line} ${ruleId}: ${message}`);
      }
    expect(faults).to.deep.equal([]);
  });

  for (const { name, ...reader } of READERS)
    it(`has no fault for axe and loads without moving, ${name}`, async () => {
      const english: string[] = [];
      for (const path of paths())
        await visit(site, "/robots.txt", { ...reader, ...ABROAD }, async (page) => {
          await page.addInitScript(measure);
          await page.goto(site.url + path, { waitUntil: "networkidle" });
          const measures = () => page.evaluate(() => (globalThis as any).measured() as Measures);
          // On a busy machine the network is quiet before a long page is painted.
          const { shift, paint, bytes } = await until("a paint", measures, (seen) => seen.paint > 0);
          expect(shift, `${path}: layout shift`).to.be.lessThan(MOST_SHIFT);
          expect(paint, `${path}: largest paint, ms`).to.be.within(1, MOST_PAINT_MS);
          expect(bytes, `${path}: bytes`).to.be.greaterThan(1_000);
          if (path === "/") {
            expect(await page.locator("time").first().innerText()).to.match(/GMT\+5:45/);
            expect(bytes, "home on the wire").to.be.lessThan(MOST_HOME_BYTES);
          }
          if (path === site.report) await page.locator("[data-verdict=VALID]").waitFor();
          // The viewer draws when it has read the document, which is after the network is quiet.
          if (path.startsWith("/docs")) await page.locator(".opblock-tag").first().waitFor();
          if (path.startsWith("/docs#")) await page.locator(".opblock-body table").first().waitFor();
          expect(await page.evaluate(overflow), `${path} is wider than its window`).to.equal(0);
          // The file is the same for every reader.
          const language = path === "/verify" ? "en" : reader.locale.replace("-US", "");
          expect(await page.locator("html").getAttribute("lang")).to.equal(language);
          if (reader.locale === "zh-CN") {
            const shown = (await page.evaluate(texts)).map((text) => text.replaceAll(HOSTILE, ""));
            english.push(...shown.filter((text) => SENTENCE.test(text)).map((text) => `${path}: ${text}`));
          }
          const found = await violations(page, WCAG);
          expect(
            found.filter((line) => !OF_THE_VIEWER.test(line)),
            path,
          ).to.deep.equal([]);
        });
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

/**
 * Swagger UI has a link to each operation inside the button that opens it. The button alone does all that the keyboard needs;
 * to take it apart would be to rewrite the viewer.
 */
const OF_THE_VIEWER =
  /^nested-interactive: (<button aria-expanded="\w+" class="opblock-summary-control">( \| )?)+$/;

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
