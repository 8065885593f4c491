/** What every page has, in Chromium. */
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { openBrowser, watchedPage } from "../support/browser.ts";
import { startTestApp, type TestApp } from "../support/http.ts";

describe("a page", function () {
  this.timeout(60_000);

  let browser: Browser | undefined;
  let app: TestApp;
  before(async function () {
    browser = await openBrowser(this);
    app = await startTestApp();
  });
  after(async () => {
    await browser?.close();
    await app?.stop();
  });

  it("loads with its style and script, and breaks no rule of its own policy", async () => {
    const context = await browser!.newContext();
    const { page, complaints } = await watchedPage(context, app.url);
    const answer = await page.goto(app.url);
    expect(answer?.status()).to.equal(200);
    expect(answer?.headers()["content-security-policy"]).to.match(/^default-src 'none'; script-src 'self'; /);
    await page.waitForLoadState("networkidle");
    expect(await page.locator("h1").isVisible()).to.equal(true);
    expect(await page.locator("body").evaluate((body) => getComputedStyle(body).display)).to.equal("flex");
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
