/** The pages for everybody: without fault for axe, on a phone and a desktop, light and dark, in both languages, at once. */
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { violations } from "../support/axe.ts";
import { DESKTOP, openBrowser, PHONE, watchedPage } from "../support/browser.ts";
import { type PagesApp, startPagesApp, visit } from "../support/pages.ts";

const JOB = `job_${"a".repeat(22)}`;
const PATHS = ["/", "/status", "/search?q=nothing-like-it", "/search?q=token", `/search?q=${JOB}`];
/** Each path with each: every size, colour scheme and language there is. */
const READERS = [
  { name: "on a phone, light, in English", viewport: PHONE, colorScheme: "light", locale: "en-US" },
  { name: "on a desktop, dark, in Chinese", viewport: DESKTOP, colorScheme: "dark", locale: "zh-CN" },
] as const;

describe("the pages are for everybody", function () {
  this.timeout(120_000);

  let browser: Browser;
  let app: PagesApp;
  before(async function () {
    browser = await openBrowser(this);
    app = await startPagesApp();
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  for (const path of PATHS)
    for (const { name, ...reader } of READERS)
      it(`${path} ${name}: without fault for axe, within its policy and no wider than the window`, () =>
        visit(browser, app.url, path, reader, async ({ page, complaints }) => {
          expect(await violations(page)).to.deep.equal([]);
          expect(await page.locator("html").getAttribute("lang")).to.equal(
            reader.locale === "zh-CN" ? "zh-CN" : "en",
          );
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).to.be.at.most(
            0,
          );
          // A page that says that nothing was found says it with its status, too.
          expect(complaints.filter((text) => !text.includes("status of 404"))).to.deep.equal([]);
        }));

  it("are painted in their style from one request: nothing else has to arrive", async () => {
    for (const path of ["/", "/status"]) {
      const context = await browser.newContext();
      const { page } = await watchedPage(context, app.url);
      const held: string[] = [];
      // Never answered: neither let through nor refused.
      await page.route("**/assets/**", (route) => void held.push(route.request().url()));
      await page.goto(app.url + path, { waitUntil: "commit" });
      await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
      expect(held.length).to.be.greaterThan(0);
      expect(await page.locator("body").evaluate((body) => getComputedStyle(body).display)).to.equal("flex");
      await page.waitForSelector("footer");
      await context.close();
    }
  });

  it("do not move once they are there, whatever the reader's zone", async () => {
    for (const path of ["/", "/status"])
      for (const viewport of [PHONE, DESKTOP]) {
        const context = await browser.newContext({ viewport, timezoneId: "Asia/Kathmandu" });
        const { page } = await watchedPage(context, app.url);
        await page.addInitScript(() => {
          const shifts: number[] = [];
          Object.assign(globalThis, { shifts });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
          }).observe({ type: "layout-shift", buffered: true });
        });
        await page.goto(app.url + path);
        expect(await page.locator("time").first().innerText()).to.match(/GMT\+5:45/);
        const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
        expect(
          shifts.reduce((one, other) => one + other, 0),
          `${path} ${viewport.width}`,
        ).to.be.lessThan(0.01);
        await context.close();
      }
  });

  it("can be used by keyboard: the first stop leads past the header", async () => {
    await visit(browser, app.url, "/status", {}, async ({ page }) => {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.className)).to.equal("skip");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement?.id === "main");
    });
  });
});
