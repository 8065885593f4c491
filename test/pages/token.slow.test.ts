/** A token's page, in Chromium. */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { BrowserContextOptions, Page } from "playwright-core";
import { DESKTOP, PHONE, visit } from "../support/browser.ts";
import { startTestApp } from "../support/http.ts";
import { PAGES_NOW } from "../support/pages.ts";
import { testSite } from "../support/site.ts";
import { AAPLX, recordHistory, tokenData } from "../support/tokenHistory.ts";

const PATH = "/tokens/AAPLx";

describe("a token's page in a browser", () => {
  const site = testSite();
  const withPage = (options: BrowserContextOptions, query: string, use: (page: Page) => Promise<void>) =>
    visit(site, PATH + query, { viewport: DESKTOP, timezoneId: "Europe/Berlin", ...options }, use);

  const plots = (page: Page) => page.locator(".plot");
  const drawn = (page: Page) => plots(page).first().locator("canvas").waitFor();
  const rowsOf = (page: Page) => page.locator(".hours").first().getByRole("row");
  const legend = (page: Page, chart: number) => plots(page).nth(chart).locator(".u-legend").innerText();

  it("says everything without script: figures, tables, other days, the files", () =>
    withPage({ javaScriptEnabled: false }, "?days=1&lang=en", async (page) => {
      expect(await page.locator("h1").innerText()).to.equal("AAPLx Apple");
      expect(await rowsOf(page).count()).to.equal(1 + 24);
      expect(await rowsOf(page).nth(1).innerText()).to.match(/^14 Nov, 15:00\s+14 Nov, 10:00\s+[+−]/);
      for (const plot of await plots(page).all()) expect(await plot.isVisible()).to.equal(false);
      await page.getByRole("link", { name: "7 days" }).click();
      expect(await rowsOf(page).count()).to.equal(1 + 160);
    }));

  it("says hours in the reader's zone, and what is under the cursor in the legends of all charts", () =>
    withPage({}, "?days=7&lang=en", async (page) => {
      await drawn(page);
      expect(await rowsOf(page).first().innerText()).to.match(/^Europe\/Berlin\s+New York/);
      expect(await rowsOf(page).nth(1).innerText()).to.match(/^14 Nov, 16:00\s+14 Nov, 10:00/);
      const over = plots(page).first().locator(".u-over");
      const { width = 0 } = (await over.boundingBox()) ?? {};
      await over.hover({ position: { x: width - 1, y: 40 } });
      const bps = "[+−]\\d+\\.\\d bps";
      expect(await legend(page, 0)).to.match(
        new RegExp(`Hour\\s*14 Nov, 16:00 to 17:00\\s*Low\\s*${bps}\\s*High\\s*${bps}\\s*Close\\s*${bps}`),
      );
      expect(await legend(page, 1)).to.match(
        new RegExp(`14 Nov, 16:00 to 17:00[\\s\\S]*Basis\\s*${bps}\\s*Funding a year\\s*[+−]\\d+\\.\\d\\d %`),
      );
    }));

  it("follows light and dark, and the width of the window", () =>
    withPage({ colorScheme: "light" }, "?days=7", async (page) => {
      await drawn(page);
      const light = await colourOf(page, "--chart-line");
      expect(await page.evaluate(inColour, light)).to.equal(true);
      await page.emulateMedia({ colorScheme: "dark" });
      const dark = await colourOf(page, "--chart-line");
      expect(dark).not.to.equal(light);
      await page.waitForFunction(inColour, dark);
      expect(await page.evaluate(inColour, light)).to.equal(false);
      await page.setViewportSize(PHONE);
      await page.waitForFunction(() => {
        const plot = document.querySelector(".plot");
        return plot?.querySelector("canvas")?.getBoundingClientRect().width === plot?.clientWidth;
      });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(PHONE.width);
    }));

  it("gives its hours as files", () =>
    withPage({ acceptDownloads: true }, "?days=1&lang=en", async (page) => {
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Premium as CSV" }).click();
      const file = readFileSync(await (await download).path(), "utf8");
      const lines = file.trimEnd().split("\r\n");
      expect(lines.filter((line) => !line.startsWith("#"))).to.have.length(1 + 24);
    }));

  it("runs nothing of what a provider or an issuer writes into its fields", async () => {
    const evil = `<img src=x onerror=alert(1)></script>\u202e${"M".repeat(150)}`;
    const hostile = {
      ...AAPLX,
      assetKey: "test:evil",
      symbol: `E/${evil}`,
      nameEn: evil,
      underlying: "EVIL",
    };
    await recordHistory(site.service.server.service.db, hostile, PAGES_NOW, evil.slice(0, 100), 7);
    const data = { ...tokenData(hostile), unpricedReason: () => evil };
    await using hostiles = await startTestApp({ db: site.service.server.service.db, data });
    const place = { url: hostiles.url, browser: site.browser };
    await visit(place, "/", { viewport: PHONE }, async (page) => {
      await page.locator(".market tbody a").click();
      await drawn(page);
      const heading = await page.locator("h1").innerText();
      expect(heading).to.contain("<img src=x").and.not.contain("\u202e");
      expect(await page.locator("main img").count()).to.equal(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(PHONE.width);
    });
  });
});

/** In the page: whether its first chart has a pixel of a colour. */
function inColour(wanted: number): boolean {
  const canvas = document.querySelector<HTMLCanvasElement>(".plot canvas")!;
  // A copy, so that the chart's own canvas stays one that is drawn and not read.
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {
    willReadFrequently: true,
  })!;
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (data[at]! * 65_536 + data[at + 1]! * 256 + data[at + 2]! === wanted && data[at + 3]! > 200)
      return true;
  return false;
}

/** A colour as the reader's scheme has it, in 24 bits. */
function colourOf(page: Page, name: string): Promise<number> {
  return page.evaluate((name) => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    const [red = 0, green = 0, blue = 0] = (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
    probe.remove();
    return red * 65_536 + green * 256 + blue;
  }, name);
}
