/** Chromium for tests of the pages: Debian's, or where CHROMIUM says. First without a window's parts: a page costs a third there. */
import { existsSync } from "node:fs";
import { expect } from "chai";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { lacking, readyFor } from "./suite.ts";

const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export const PHONE = { width: 390, height: 844 };
/** For what a page shows soon: many tests share a machine's two cores. */
export const PATIENCE_MS = 60_000;
export const DESKTOP = { width: 1280, height: 800 };

let shared: Promise<Browser> | undefined;

/** One for all suites of a process. Where none is installed their tests are skipped with a line that says so; where CI is set they fail. */
export function sharedBrowser(test: Mocha.Context): Promise<Browser> {
  const executablePath = [process.env.CHROMIUM, ...PLACES].find((path) => path && existsSync(path));
  if (executablePath === undefined)
    return lacking(
      test,
      "no Chromium is installed (apt-get install chromium-headless-shell), so the pages are not looked at",
    );
  // Of LANG=C the shell makes the language "en-US@posix", which no standard knows.
  const env = { ...process.env, LC_ALL: "en_US.UTF-8" };
  // The sandbox wants a user of its own, which root in a container is not.
  shared ??= chromium.launch({ executablePath, env, args: ["--no-sandbox", "--disable-gpu"] });
  return shared;
}

/** The browser for a suite that works with it. */
export const testBrowser = (): Browser => readyFor(sharedBrowser);

/** Belongs into a root hook. */
export async function stopBrowser(): Promise<void> {
  const browser = await shared;
  shared = undefined;
  await browser?.close();
}

/** What went wrong in a page that the reader does not see. */
export interface Watched {
  readonly page: Page;
  /** Violations of the policy, errors of scripts, requests that failed, and those that left the service. */
  readonly complaints: string[];
}

/**
 * No fault of a page: modules, which a browser without script refuses by a policy of its own, and what becomes a file, whose
 * request ends early.
 */
const EXPECTED = /\.js: csp$|^blob:.*: net::ERR_ABORTED$|format=csv: net::ERR_ABORTED$/;

/** A new page that keeps a record of complaints. @param origin beyond which nothing may be asked */
export async function watchedPage(context: BrowserContext, origin: string): Promise<Watched> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  const complain = (text: string) => {
    if (!EXPECTED.test(text)) complaints.push(text);
  };
  page.on("console", (message) => {
    // A page that says that nothing was found says it by its status, too.
    const isOwnStatus = message.location().url === page.url() && message.text().includes("status of 404");
    if (!isOwnStatus && ["error", "warning"].includes(message.type())) complain(message.text());
  });
  page.on("pageerror", (error) => complain(String(error)));
  page.on("dialog", (dialog) => complain(dialog.message()));
  page.on("requestfailed", (request) => complain(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("request", (request) => {
    const { protocol } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && !request.url().startsWith(`${origin}/`))
      complain(`left the service: ${request.url()}`);
  });
  return { page, complaints };
}

/** Opens a path of a service in a context of its own, does something there, and finds no complaint at its end. */
export async function visit(
  { browser, url }: { readonly browser: Browser; readonly url: string },
  path: string,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  await using context = await browser.newContext({ locale: "en", ...options });
  const { page, complaints } = await watchedPage(context, url);
  await page.goto(new URL(path, url).href);
  await act(page);
  expect(complaints).to.deep.equal([]);
}
