/** How long a token's page takes to read and draw its hours, in Chromium: 2,160 of them in each of four charts. */
import type { Page } from "playwright-core";
import { launchBrowser } from "../test/support/browser.ts";
import { memoryDatabase } from "../test/support/database.ts";
import { startTestApp } from "../test/support/http.ts";
import { AAPLX, recordHistory } from "../test/support/tokenHistory.ts";
import { quantile } from "./measure.ts";

const NOW = Date.UTC(2025, 10, 14, 15, 20) / 1000;
const ROUNDS = 15;
const LIMIT_MS = 100;

export async function bench(): Promise<void> {
  const browser = await launchBrowser();
  if (browser === null) throw new Error("no Chromium is installed (apt-get install chromium)");
  const db = await memoryDatabase();
  await recordHistory(db, AAPLX, NOW);
  const app = await startTestApp({
    db,
    data: { assets: [AAPLX], simulated: false, now: () => NOW * 1_000 },
    settings: { addressLimitPerMinute: 100_000, keyLimitPerMinute: 100_000 },
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${app.url}/tokens/bnb/${AAPLX.address}?days=1&lang=en`);
    await page.locator("header [data-island=key] button").first().click();
    await page.locator("header [data-island=key] input").fill(app.key);
    await page.keyboard.press("Enter");
    await page.locator("[data-chart=impact] canvas").waitFor();
    const measured = new Map<number, number[]>([
      [1, []],
      [30, []],
      [90, []],
    ]);
    // The first of each warms up, and is left out.
    for (let round = -1; round < ROUNDS; round++)
      for (const [days, times] of measured) {
        const milliseconds = await drawn(page, days);
        if (round >= 0) times.push(milliseconds);
      }
    report(measured);
  } finally {
    await browser.close();
    await app.stop();
    await db.destroy();
  }
}

/** Shows these days; the page itself measures from the data to the last stroke. */
async function drawn(page: Page, days: number): Promise<number> {
  await page.evaluate(() => performance.clearMeasures());
  await page.locator(`a[data-days="${days}"]`).click();
  await page.waitForFunction(() => performance.getEntriesByName("series-drawn").length > 0);
  return page.evaluate(() => performance.getEntriesByName("series-drawn")[0]!.duration);
}

function report(measured: ReadonlyMap<number, readonly number[]>): void {
  console.log(`\nreading and drawing a token's four charts, ${ROUNDS} times each, milliseconds`);
  for (const [days, times] of measured) {
    const [fastest, median, slow] = [0, 0.5, 0.9].map((q) => quantile(times, q).toFixed(1));
    const hours = String(days * 24).padStart(5);
    console.log(
      `  ${hours} hours each    fastest ${fastest}   median ${median}   nine of ten within ${slow}`,
    );
  }
  const [one, , ninety] = [...measured.values()].map((times) => quantile(times, 0.5));
  console.log(`  90 times the hours cost ${(ninety! / one!).toFixed(1)} times the time`);
  if (ninety! < LIMIT_MS) return;
  console.error(`2,160 hours take ${ninety!.toFixed(1)} ms, more than the ${LIMIT_MS} that they may`);
  process.exitCode = 1;
}
