/** The first page and its neighbors in Chromium: what they show, their search, and the key. everyPage.slow.test.ts has axe and loading. */
import { expect } from "chai";
import { violations } from "../support/axe.ts";
import { DESKTOP, testBrowser, watchedPage } from "../support/browser.ts";
import { testPagesApp, visit } from "../support/pages.ts";

const SECRETS = [`ak_${"k".repeat(43)}`, `jt_${"t".repeat(43)}`];

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
    });
    await visit(browser, app.url, "/status", options, async ({ page }) => {
      const database = page.locator("table.parts tbody tr").first();
      expect(await database.innerText()).to.match(/Database[\s\S]*works[\s\S]*99\.8\d%[\s\S]*failed/);
      expect(await database.locator("svg").getAttribute("aria-label")).to.contain("checked on 89 of 90 days");
      expect(await page.locator("main").innerText()).to.contain("1 part does not work.");
    });
  });

  it("find a token without script, and lead to its page", async () => {
    await visit(browser, app.url, "/", { javaScriptEnabled: false }, async ({ page }) => {
      await page.locator("input[name=q]").fill("aaplx");
      await page.getByRole("button", { name: "Find" }).click();
      expect(new URL(page.url()).pathname).to.equal(`/tokens/bnb/${app.assets[0]!.address}`);
    });
  });

  it("take a key into the tab's memory alone, show grades by it, keep it from page to page and forget it", async () => {
    await visit(browser, app.url, "/", { viewport: DESKTOP }, async ({ page, complaints }) => {
      const grade = page.locator("td[data-grade]").first();
      expect(await grade.isVisible()).to.equal(false);
      await page.getByRole("button", { name: "API key" }).click();
      await page.getByLabel("Your API key").fill(app.key);
      expect(await violations(page)).to.deep.equal([]);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Key in use" }).waitFor();
      await grade.waitFor();
      expect(await grade.innerText()).to.equal("A");
      expect(await page.locator("td[data-impact]").first().innerText()).to.equal("4.5 / 49.9");
      expect(await page.locator("td[data-price]").first().innerText()).to.match(/^\$(?:99|10[01])\.\d{2}$/);
      expect(await violations(page)).to.deep.equal([]);

      await page.getByRole("link", { name: "Status", exact: true }).click();
      await page.waitForURL("**/status");
      await page.locator("table.parts").waitFor();
      expect(await page.title()).to.equal("Status · Assay");
      expect(await page.getByRole("button", { name: "Key in use" }).isVisible()).to.equal(true);
      await page.goBack();
      await page.locator("td[data-grade]").first().waitFor();

      const kept = await page.evaluate(() => {
        const stored = [{ ...localStorage }, { ...sessionStorage }, document.cookie];
        return JSON.stringify([...stored, location.href, history.state]);
      });
      expect(kept).to.not.contain(app.key);
      expect(app.log.join("")).to.not.contain(app.key);

      await page.getByRole("button", { name: "Key in use" }).click();
      await page.getByRole("button", { name: "Forget it" }).click();
      await page.getByRole("button", { name: "API key" }).waitFor();
      expect(await page.locator("td[data-grade]").first().isVisible()).to.equal(false);
      expect(complaints).to.deep.equal([]);
    });
  });

  it("say what is wrong with a key that the service does not know", async () => {
    await visit(browser, app.url, "/", {}, async ({ page }) => {
      await page.getByRole("button", { name: "API key" }).click();
      const alert = page.locator("[role=alert]");
      await page.getByLabel("Your API key").fill("nonsense");
      await page.getByRole("button", { name: "Use it" }).click();
      expect(await alert.innerText()).to.contain("ak_ and 43 characters");
      await page.getByLabel("Your API key").fill(`ak_${"x".repeat(43)}`);
      await page.getByRole("button", { name: "Use it" }).click();
      await page.waitForFunction(() =>
        /key/i.test(document.querySelector("[role=alert]")?.textContent ?? ""),
      );
      expect(await page.getByRole("button", { name: "API key" }).isVisible()).to.equal(true);
    });
  });

  it("send no secret by the search: script keeps it back", async () => {
    await visit(browser, app.url, "/", {}, async ({ page }) => {
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      for (const secret of SECRETS) {
        await page.locator("input[name=q]").fill(secret);
        await page.keyboard.press("Enter");
        await page.waitForFunction(() =>
          document.querySelector<HTMLInputElement>("input[name=q]")?.validationMessage.includes("secret"),
        );
        expect(await page.locator("input[name=q]").inputValue()).to.equal("");
      }
      expect(asked).to.deep.equal([]);
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

  it("can be used by keyboard: the first stop leads past the header", async () => {
    await visit(browser, app.url, "/status", {}, async ({ page }) => {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.className)).to.equal("skip");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement?.id === "main");
    });
  });
});
