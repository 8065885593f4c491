/** One service and one browser for all tests of the pages in a process: a market to look at, and one published report. */
import type { Browser } from "playwright-core";
import { answering } from "../../api/answering.ts";
import { app } from "../../api/app.ts";
import { listen } from "../../api/http/listen.ts";
import { manualClock } from "../../devnet/clock.ts";
import { sharedBrowser } from "./browser.ts";
import { type Answer, answerOf } from "./http.ts";
import { listedTokens, PAGES_NOW, recordMarket } from "./pages.ts";
import { carryOut, type Service, startService, walletOf } from "./service.ts";
import { readyFor } from "./suite.ts";
import { AAPLX, recordHistory } from "./tokenHistory.ts";
import { until } from "./until.ts";
import { createWorld, type TestWorld } from "./world.ts";

/** More than a page of the market shows. */
const TOKENS = 45;
const HISTORY_DAYS = 30;

export interface Site {
  readonly url: string;
  readonly browser: Browser;
  readonly world: TestWorld;
  /** The same service without the market, for requests with its key. */
  readonly service: Service;
  /** Path of a published report, and its document. */
  readonly report: string;
  readonly document: string;
}

let shared: Promise<Site & AsyncDisposable> | undefined;

/** The site for a suite that works on it; without a browser its tests are skipped. */
export const testSite = (): Site =>
  readyFor((test) => {
    shared ??= openSite(test);
    return shared;
  });

/** Belongs into a root hook. */
export async function stopSite(): Promise<void> {
  const site = await shared?.catch(() => undefined);
  shared = undefined;
  await site?.[Symbol.asyncDispose]();
}

async function openSite(test: Mocha.Context): Promise<Site & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const browser = await sharedBrowser(test);
  const world = opened.use(await createWorld({ clock: manualClock(PAGES_NOW * 1_000) }));
  const service = opened.use(await startService(world, "sqlite::memory:"));
  const { document, report } = await publishReport(world, service);
  const core = service.server.service;
  const assets = [AAPLX, ...listedTokens(TOKENS).slice(1)];
  await recordMarket(core.db, assets.slice(1));
  await recordHistory(core.db, AAPLX, PAGES_NOW, "jupiter", HISTORY_DAYS);
  const address = { url: "" };
  const now = () => PAGES_NOW * 1_000;
  const shown = { ...core, assets, address, now, simulated: false, publicUrl: () => address.url };
  const listening = await listen(app({ ...shown, ...answering(shown) }), {
    host: "127.0.0.1",
    port: 0,
    newRequestId: core.newRequestId,
  });
  opened.defer(() => listening.stop(1_000));
  address.url = listening.url;
  const all = opened.move();
  const end = () => all.disposeAsync();
  return { url: address.url, browser, world, service, report, document, [Symbol.asyncDispose]: end };
}

/** A trade that the guard carried out, with the proof of the log, which comes a moment after its block is final. */
async function publishReport(world: TestWorld, service: Service) {
  await world.tick();
  const { job, prepared } = await service.newPrepared();
  const transactionHash = await carryOut(walletOf(world), prepared.execution);
  await service.submit(job.jobId, transactionHash);
  await world.mine(2);
  const hash = prepared.report.evidenceHash;
  const asked = async () => answerOf(await fetch(`${service.url}/evidence/${hash}`));
  const isProved = ({ status, body }: Answer) => status === 200 && body.log.proof !== null;
  return { report: `/reports/${hash}`, document: (await until("the report", asked, isProved)).text };
}
