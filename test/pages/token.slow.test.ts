/** A token's page, in Chromium. */
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { BrowserContextOptions, Page } from "playwright-core";
import { violations } from "../support/axe.ts";
import { DESKTOP, PHONE, testBrowser, watchedPage } from "../support/browser.ts";
import { startTestApp } from "../support/http.ts";
import { visit } from "../support/pages.ts";
import { AAPLX, HOUR, recordHistory, TOKEN_NOW, testTokenApp, tokenData } from "../support/tokenHistory.ts";

const PATH = `/tokens/bnb/${AAPLX.address}`;

describe("a token's page in a browser", () => {
  const browser = testBrowser();
  const app = testTokenApp();

  /** A page of its own, whose complaints have to be none at the end. */
  async function withPage(
    options: BrowserContextOptions,
    query: string,
    use: (page: Page) => Promise<void>,
  ): Promise<void> {
    const all = { viewport: DESKTOP, timezoneId: "Europe/Berlin", ...options };
    await visit(browser, app.url, `${PATH}${query}`, all, async ({ page, complaints }) => {
      await use(page);
      // Without JavaScript the browser refuses modules by its own rule, and says that it was the page's.
      const refused = options.javaScriptEnabled === false ? /^http\S+\.js: csp$/ : /^$/;
      expect(complaints.filter((text) => !refused.test(text))).to.deep.equal([]);
    });
  }

  const drawn = (page: Page) => page.locator("[data-chart=premium] canvas").waitFor();
  const rowsOf = (page: Page) => page.getByRole("table").first().getByRole("row");
  const slider = (page: Page, name: string) => page.locator(`[data-chart=${name}]`);
  const told = (page: Page, name: string) => slider(page, name).getAttribute("aria-valuetext");

  it("a token's page in a browser has its tables, and no empty places for charts, without JavaScript", () =>
    withPage({ javaScriptEnabled: false }, "?days=1&lang=en", async (page) => {
      expect(await rowsOf(page).count()).to.equal(1 + 24);
      expect(await rowsOf(page).nth(1).innerText()).to.match(/regular\s+pancakeswap\s+pyth\s+12 s/);
      for (const name of ["[data-chart]", "[data-readout]", "[data-csv]"])
        for (const place of await page.locator(name).all())
          expect(await place.isVisible(), name).to.equal(false);
      await page.getByRole("link", { name: "7 days" }).click();
      expect(await rowsOf(page).count()).to.equal(1 + 160);
    }));

  it("leaves a gap where hours are absent, and a point where one stands alone", () =>
    withPage({}, "?days=7&lang=en", async (page) => {
      await drawn(page);
      const hours = (TOKEN_NOW - (TOKEN_NOW % HOUR)) / HOUR - 167;
      const gap = (TOKEN_NOW - (TOKEN_NOW % HOUR) - 2 * 86_400) / HOUR - hours;
      const inked = await columnsInColour(page, "premium", "--chart-line", 168);
      // The line touches every hour but those of the gap; in the gap's middle stands the lonely one.
      for (const place of [0, 1, 50, 100, gap - 2, gap + 10, 166])
        expect(inked[place], `hour ${place}`).to.equal(true);
      for (const place of [gap + 1, gap + 2, gap + 3, gap + 7])
        expect(inked[place], `hour ${place}`).to.equal(false);
      expect(inked[gap + 5], "the lonely hour").to.equal(true);
    }));

  it("a token's page in a browser is walked through by keys, hour by hour and past gaps, in all charts at once", () =>
    withPage({}, "?days=7&lang=en", async (page) => {
      await drawn(page);
      const premium = slider(page, "premium");
      expect(await premium.getAttribute("role")).to.equal("slider");
      await premium.focus();
      await page.keyboard.press("End");
      expect(await told(page, "premium")).to.match(
        /^14 Nov, 16:00 to 17:00 GMT\+1 · 10:00 New York, Premium \+\d+\.\d bps, low to high .* … .*, regular, pancakeswap, pyth, age 12 s, sources agree$/,
      );
      await page.keyboard.press("ArrowLeft");
      expect(await told(page, "premium")).to.match(/^14 Nov, 15:00 to 16:00 GMT\+1 .* pre-market, /);
      const basis =
        /^14 Nov, 15:00 to 16:00 GMT\+1 .*, funding [+−]\d+\.\d\d % a year, .*hyperliquid, pyth, age 8 s, sources agree$/;
      expect(await told(page, "basis")).to.match(basis);
      expect(await page.locator("[data-readout=premium]").innerText()).to.contain(
        "14 Nov, 15:00 to 16:00 GMT+1",
      );
      await page.keyboard.press("PageDown");
      expect(await told(page, "premium")).to.match(/^13 Nov, 15:00 to 16:00/);
      await page.keyboard.press("Home");
      expect(await told(page, "premium")).to.match(/^7 Nov, 17:00 to 18:00/);
      expect(await premium.getAttribute("aria-valuenow")).to.equal("0");
      await page.keyboard.press("ArrowLeft");
      expect(await premium.getAttribute("aria-valuenow")).to.equal("0");
    }));

  it("follows light and dark, and the width of the window", () =>
    withPage({ colorScheme: "light" }, "?days=7", async (page) => {
      await drawn(page);
      expect(await columnsInColour(page, "premium", "--chart-line", 1)).to.deep.equal([true]);
      const light = await shown(page, "--chart-line");
      await page.emulateMedia({ colorScheme: "dark" });
      const dark = await shown(page, "--chart-line");
      expect(dark).not.to.equal(light);
      await page.waitForFunction(inColour, { chart: "premium", colour: dark });
      expect(await page.evaluate(inColour, { chart: "premium", colour: light })).to.equal(false);
      await page.setViewportSize(PHONE);
      await page.waitForFunction(() => {
        const place = document.querySelector("[data-chart=premium]");
        return place?.querySelector("canvas")?.getBoundingClientRect().width === place?.clientWidth;
      });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(PHONE.width);
    }));

  it("shows other days without a new load, under their own address", () =>
    withPage({}, "?days=1&lang=en", async (page) => {
      await drawn(page);
      await page.evaluate(() => Object.assign(globalThis, { sameLoad: true }));
      await page.getByRole("link", { name: "30 days", exact: true }).click();
      await page.locator("[data-days='30'][aria-current]").waitFor();
      expect(await rowsOf(page).count()).to.equal(1 + 712);
      expect(new URL(page.url()).search).to.equal("?days=30&lang=en");
      expect(await page.evaluate(() => "sameLoad" in globalThis)).to.equal(true);
      expect(await page.evaluate(() => document.activeElement?.getAttribute("data-days"))).to.equal("30");
      expect(await page.locator("[data-chart=premium] canvas").count()).to.equal(1);
    }));

  it("gives its hours as a CSV file", () =>
    withPage({ acceptDownloads: true }, "?days=1&lang=en", async (page) => {
      await drawn(page);
      const save = async () => {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download CSV" }).click(),
        ]);
        return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
      };
      const open = await save();
      expect(open.name).to.equal("assay-AAPLx-bnb-1d-2025-11-14.csv");
      expect(open.text.split("\r\n")).to.have.length(1 + 24 + 1);
      const { points } = (await app.call(`/api/premium/history?address=${AAPLX.address}&days=1`)).body;
      const { premium, lo, hi } = points.at(-1);
      const last = `2025-11-14T15:00:00.000Z,${premium},${lo},${hi},pancakeswap,regular,pyth,12,3,2,`;
      expect(open.text.trimEnd().split("\r\n").at(-1)).to.match(new RegExp(`^${last}`));
    }));

  it("tells the reader why days cannot be shown, and leaves those that are", async () => {
    await using context = await browser.newContext({ viewport: DESKTOP });
    const page = await context.newPage();
    await page.goto(`${app.url}${PATH}?days=7&lang=en`);
    await drawn(page);
    await page.route("**/tokens/**", (route) =>
      route.fulfill({
        status: 429,
        contentType: "application/problem+json",
        body: JSON.stringify({ detail: "too many <b>requests</b>" }),
      }),
    );
    await page.getByRole("link", { name: "30 days", exact: true }).click();
    await page.getByText("These days could not be loaded. too many <b>requests</b>").waitFor();
    expect(await page.locator("[data-days='7'][aria-current]").count()).to.equal(1);
  });

  it("runs nothing of what a provider or an issuer writes into its fields", async () => {
    const evil = "<img src=x onerror=alert(1)>";
    const hostile = { ...AAPLX, assetKey: "test:evil", symbol: `E${evil}`, nameEn: evil, underlying: "EVIL" };
    await recordHistory(app.db, hostile, TOKEN_NOW, evil, 7);
    const data = { ...tokenData(hostile), unpricedReason: () => evil };
    await using hostiles = await startTestApp({ db: app.db, data });
    await using context = await browser.newContext({ viewport: DESKTOP });
    const { page, complaints } = await watchedPage(context, hostiles.url);
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    await page.goto(`${hostiles.url}${PATH}?lang=en`);
    await drawn(page);
    await slider(page, "premium").focus();
    await page.keyboard.press("End");
    expect(await page.locator("[data-readout=premium]").innerText()).to.contain(evil);
    expect(await page.locator("main img").count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
  });

  for (const [name, options, query] of [
    ["on a desktop in light colours", { viewport: DESKTOP, colorScheme: "light" }, "?days=1&lang=en"],
    ["on a phone in dark colours and Chinese", { viewport: PHONE, colorScheme: "dark" }, "?days=1&lang=zh"],
  ] as const)
    it(`a token's page in a browser has nothing that axe finds fault with, ${name}`, () =>
      withPage(options, query, async (page) => {
        await drawn(page);
        expect(await page.locator("canvas").count()).to.equal(2);
        expect(await violations(page)).to.deep.equal([]);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(width).to.equal(options.viewport.width);
      }));
});

/** In the page: whether a chart has a pixel of a colour. */
function inColour({ chart, colour: wanted }: { chart: string; colour: number }): boolean {
  const canvas = document.querySelector<HTMLCanvasElement>(`[data-chart=${chart}] canvas`)!;
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
function shown(page: Page, name: string): Promise<number> {
  return page.evaluate((name) => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    const [red = 0, green = 0, blue = 0] = (getComputedStyle(probe).color.match(/\d+/g) ?? []).map(Number);
    probe.remove();
    return red * 65_536 + green * 256 + blue;
  }, name);
}

/** Of each hour whether the chart has something in that colour there. */
async function columnsInColour(page: Page, chart: string, name: string, hours: number): Promise<boolean[]> {
  const colour = await shown(page, name);
  return page.evaluate(
    ({ chart, colour, hours }) => {
      const root = document.querySelector<HTMLElement>(`[data-chart=${chart}]`)!;
      const canvas = root.querySelector("canvas")!;
      const over = root.querySelector<HTMLElement>(".u-over")!;
      const scale = canvas.width / canvas.getBoundingClientRect().width;
      const left = (over.getBoundingClientRect().left - canvas.getBoundingClientRect().left) * scale;
      const width = over.clientWidth * scale;
      const context = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {
        willReadFrequently: true,
      })!;
      context.drawImage(canvas, 0, 0);
      const close = (data: Uint8ClampedArray, at: number) =>
        Math.abs(data[at]! - (colour >> 16)) < 40 &&
        Math.abs(data[at + 1]! - ((colour >> 8) & 255)) < 40 &&
        Math.abs(data[at + 2]! - (colour & 255)) < 40;
      return Array.from({ length: hours }, (_, hour) => {
        const [middle, wide] = hours === 1 ? [left, width] : [left + (hour / (hours - 1)) * width - 1, 3];
        const from = Math.max(0, Math.round(middle));
        const { data } = context.getImageData(from, 0, Math.round(wide), canvas.height);
        for (let at = 0; at < data.length; at += 4) if (data[at + 3]! > 200 && close(data, at)) return true;
        return false;
      });
    },
    { chart, colour, hours },
  );
}
