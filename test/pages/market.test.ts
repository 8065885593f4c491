/** The first page and its neighbors in Chromium: what they show. everyPage.slow.test.ts has axe and loading. */
import { expect } from "chai";
import { testBrowser, watchedPage } from "../support/browser.ts";
import { testPagesApp, visit } from "../support/pages.ts";

describe("the pages", () => {
  const browser = testBrowser();
  const app = testPagesApp();

  it("show the market, the session, the sources and the history without any script", async () => {
    const options = { javaScriptEnabled: false };
    await visit(browser, app.url, "/", options, async ({ page }) => {
      expect(await page.locator("table.market tbody tr").count()).to.equal(40);
      const first = page.locator("table.market tbody tr").first();
      expect(await first.innerText()).to.match(/AAPLx[\s\S]*Apple[\s\S]*[+−]\d+\.\d[\s\S]*jupiter/);
      expect(await first.locator("svg.spark path").last().getAttribute("d")).to.match(/^M.+M/);
      const session = /Regular session\s+until 14 Nov 2025, 21:00 UTC · 16:00 New York/;
      expect(await page.locator("main").innerText()).to.match(session);
      expect(await page.locator(".sources").innerText()).to.contain("answered 30 s ago");
      await page.locator("a[rel=next]").click();
      expect(await page.locator("table.market tbody tr").count()).to.equal(5);
      await page.getByLabel("Symbol, name, address or report").fill("tok7x");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      expect(await page.locator("table.market tbody tr").count()).to.equal(1);
      expect(new URL(page.url()).searchParams.get("q")).to.equal("tok7x");
      await page.getByRole("link", { name: "Show all" }).click();
      expect(await page.locator("table.market tbody tr").count()).to.equal(40);
    });
    await visit(browser, app.url, "/status", options, async ({ page }) => {
      const database = page.locator("table.parts tbody tr").first();
      expect(await database.innerText()).to.match(/Database[\s\S]*works/);
      expect(await page.locator("main").innerText()).to.contain("1 part does not work.");
    });
  });

  it("are painted in their style from one request: nothing else has to arrive", async () => {
    for (const path of ["/", "/status"]) {
      await using context = await browser.newContext();
      const { page } = await watchedPage(context, app.url);
      const held: string[] = [];
      // Never answered: neither let through nor refused.
      await page.route("**/assets/**", (route) => void held.push(route.request().url()));
      await page.goto(app.url + path, { waitUntil: "commit" });
      await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
      expect(held.length).to.be.greaterThan(0);
      expect(await page.locator("body").evaluate((body) => getComputedStyle(body).display)).to.equal("flex");
      await page.waitForSelector("footer");
    }
  });

  it("draw the API's reference from the service's own document, and send its requests", async () => {
    const { url, openapi } = app;
    await visit(browser, url, "/docs#/Operations/healthz", {}, async ({ page, complaints }) => {
      const operation = page.locator("#operations-Operations-healthz");
      await operation.getByRole("button", { name: "Try it out" }).click();
      await operation.getByRole("button", { name: "Execute" }).click();
      const answered = operation.locator(".live-responses-table");
      await answered.getByText("live").first().waitFor();
      expect(await answered.innerText()).to.match(/200[\s\S]*"status"/);
      const tags = new Set(
        Object.values<any>(openapi.paths ?? {}).flatMap((path) =>
          Object.values<any>(path).map(({ tags }) => tags[0]),
        ),
      );
      expect(await page.locator(".opblock-tag").count()).to.equal(tags.size);
      expect(complaints).to.deep.equal([]);
    });
    const policy = async (path: string) =>
      (await fetch(url + path, { headers: { accept: "text/html" } })).headers.get("content-security-policy")!;
    // This page alone lets the viewer's own styles in, and nothing else more than the others do.
    const reference = await policy("/docs");
    expect(reference).to.contain("style-src 'self' 'unsafe-inline';");
    expect(reference.replace(/style-src [^;]*/, "")).to.equal(
      (await policy("/status")).replace(/style-src [^;]*/, ""),
    );
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
