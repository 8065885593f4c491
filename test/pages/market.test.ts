/** The first page, /status and /docs in Chromium: what they show. everyPage.slow.test.ts has axe and loading. */
import { expect } from "chai";
import { visit } from "../support/browser.ts";
import { testSite } from "../support/site.ts";

const WITHOUT_SCRIPT = { javaScriptEnabled: false };

describe("the pages", () => {
  const site = testSite();

  it("show the market, the session and its history without any script, and filter it", () =>
    visit(site, "/", WITHOUT_SCRIPT, async (page) => {
      const rows = page.locator("table.market tbody tr");
      expect(await rows.count()).to.equal(40);
      expect(await rows.first().innerText()).to.match(/AAPLx[\s\S]*Apple[\s\S]*[+−]\d+\.\d[\s\S]*jupiter/);
      expect(await rows.first().locator("svg.spark path").last().getAttribute("d")).to.match(/^M.+M/);
      const session = /Regular session\s+until 14 Nov 2025, 21:00 UTC · 16:00 New York/;
      expect(await page.locator("main").innerText()).to.match(session);
      await page.locator("a[rel=next]").click();
      expect(await rows.count()).to.equal(5);
      await page.getByLabel("Symbol, name, address or report").fill("tok7x");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      expect(await rows.count()).to.equal(1);
      expect(new URL(page.url()).searchParams.get("q")).to.equal("tok7x");
      await page.getByRole("link", { name: "Show all" }).click();
      expect(await rows.count()).to.equal(40);
    }));

  it("say without script which part works", () =>
    visit(site, "/status", WITHOUT_SCRIPT, async (page) => {
      expect(await page.getByRole("row", { name: /^Database/ }).innerText()).to.match(/works/);
      expect(await page.locator("main").innerText()).to.contain("1 part does not work.");
    }));

  it("are painted in their style from one request: nothing else has to arrive", async () => {
    for (const path of ["/", "/status"]) {
      await using context = await site.browser.newContext();
      const page = await context.newPage();
      const held: string[] = [];
      // Never answered: neither let through nor refused.
      await page.route("**/assets/**", (route) => void held.push(route.request().url()));
      await page.goto(site.url + path, { waitUntil: "commit" });
      await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
      expect(held.length).to.be.greaterThan(0);
      expect(await page.locator("body").evaluate((body) => getComputedStyle(body).display)).to.equal("flex");
      await page.waitForSelector("footer");
    }
  });

  it("draw the API's reference from the service's own document, and send its requests", () =>
    visit(site, "/docs#/Operations/healthz", {}, async (page) => {
      const operation = page.locator("#operations-Operations-healthz");
      await operation.getByRole("button", { name: "Try it out" }).click();
      await operation.getByRole("button", { name: "Execute" }).click();
      const answered = operation.locator(".live-responses-table");
      await answered.getByText("live").first().waitFor();
      expect(await answered.innerText()).to.match(/200[\s\S]*"status"/);
      const paths = Object.values<any>(site.service.openapi.paths ?? {});
      const tags = paths.flatMap((path) => Object.values<any>(path).map(({ tags }) => tags[0]));
      expect(await page.locator(".opblock-tag").count()).to.equal(new Set(tags).size);
    }));

  it("let the viewer's own styles into /docs alone, and nothing else more than into the others", async () => {
    const policyOf = async (path: string) => {
      const { headers } = await fetch(site.url + path, { headers: { accept: "text/html" } });
      return headers.get("content-security-policy") ?? "";
    };
    const [reference, status] = [await policyOf("/docs"), await policyOf("/status")];
    expect(reference).to.contain("style-src 'self' 'unsafe-inline';");
    const others = (policy: string) => policy.replace(/style-src [^;]*/, "");
    expect(others(reference)).to.equal(others(status));
  });

  it("can be used by keyboard: the first stop leads past the header", () =>
    visit(site, "/status", {}, async (page) => {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.className)).to.equal("skip");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement?.id === "main");
    }));
});
