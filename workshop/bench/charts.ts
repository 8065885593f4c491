/** How long a token's page takes to read and draw its hours, in Chromium: 2,160 of them in each of four charts. */
import type { CDPSession, Page } from "playwright-core";
import { launchBrowser } from "../../test/support/browser.ts";
import { memoryDatabase } from "../../test/support/database.ts";
import { startTestApp } from "../../test/support/http.ts";
import { AAPLX, recordHistory } from "../../test/support/tokenHistory.ts";
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
    const session = await page.context().newCDPSession(page);
    // Time of the processor, so that whatever else the machine does is not counted.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const measured = new Map([1, 30, 90].map((days): [number, Drawing[]] => [days, []]));
    // The first of each warms up, and is left out.
    for (let round = -1; round < ROUNDS; round++)
      for (const [days, drawings] of measured) {
        const drawing = await drawn(page, session, days);
        if (round >= 0) drawings.push(drawing);
      }
    report(measured);
  } finally {
    await browser.close();
    await app.stop();
    await db.destroy();
  }
}

/** Milliseconds. */
interface Drawing {
  /** Processor time of all scripts from the click on: fetching, parsing, reading, drawing. */
  readonly scripts: number;
  /** As the page itself measures it, from the data to the last stroke, with whatever the machine did meanwhile. */
  readonly passed: number;
}

async function drawn(page: Page, session: CDPSession, days: number): Promise<Drawing> {
  const before = await scriptTime(session);
  await page.evaluate(() => performance.clearMeasures());
  await page.locator(`a[data-days="${days}"]`).click();
  await page.waitForFunction(() => performance.getEntriesByName("series-drawn").length > 0);
  const passed = await page.evaluate(() => performance.getEntriesByName("series-drawn")[0]!.duration);
  return { scripts: (await scriptTime(session)) - before, passed };
}

async function scriptTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1_000 * metrics.find(({ name }) => name === "ScriptDuration")!.value;
}

function report(measured: ReadonlyMap<number, readonly Drawing[]>): void {
  const median = (drawings: readonly Drawing[]) =>
    quantile(
      drawings.map(({ scripts }) => scripts),
      0.5,
    );
  console.log(`\nreading and drawing a token's four charts, ${ROUNDS} times each, milliseconds`);
  for (const [days, drawings] of measured) {
    const passed = drawings.map((drawing) => drawing.passed);
    const [fastest, middle] = [0, 0.5].map((q) => quantile(passed, q).toFixed(1));
    const hours = String(days * 24).padStart(5);
    console.log(
      `  ${hours} hours each    processor ${median(drawings).toFixed(1)}   passed: fastest ${fastest}, median ${middle}`,
    );
  }
  const [one, , ninety] = [...measured.values()].map(median);
  console.log(`  90 times the hours cost ${(ninety! / one!).toFixed(1)} times the processor's time`);
  if (ninety! < LIMIT_MS) return;
  console.error(`2,160 hours take ${ninety!.toFixed(1)} ms, more than the ${LIMIT_MS} that they may`);
  process.exitCode = 1;
}
