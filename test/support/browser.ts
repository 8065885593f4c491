/** Chromium for tests of the pages: Debian's, or where CHROMIUM says. First without a window's parts: a page costs a third there. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { lacking, ofSuite } from "./suite.ts";

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

/** Where none is installed the suite's tests are skipped with a line that says so; where CI is set they fail. */
export async function openBrowser(test: Mocha.Context): Promise<Browser> {
  const executablePath = [process.env.CHROMIUM, ...PLACES].find((path) => path && existsSync(path));
  if (executablePath === undefined)
    return lacking(
      test,
      "no Chromium is installed (apt-get install chromium-headless-shell), so the pages are not looked at",
    );
  // Of LANG=C the shell makes the language "en-US@posix", which no standard knows.
  const env = { ...process.env, LC_ALL: "en_US.UTF-8" };
  // The sandbox wants a user of its own, which root in a container is not.
  return chromium.launch({ executablePath, env, args: ["--no-sandbox", "--disable-gpu"] });
}

/** A browser for the suite in which it is called: opened before its tests, closed after them. */
export const testBrowser = (): Browser => ofSuite(openBrowser);

/** What went wrong in a page that the reader does not see. */
export interface Watched {
  readonly page: Page;
  /** Violations of the policy, errors of scripts, requests that failed, and those that left the service. */
  readonly complaints: string[];
}

/** A new page that keeps a record of complaints. @param origin beyond which nothing may be asked */
export async function watchedPage(context: BrowserContext, origin: string): Promise<Watched> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("request", (request) => {
    const { protocol } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && !request.url().startsWith(`${origin}/`))
      complaints.push(`left the service: ${request.url()}`);
  });
  return { page, complaints };
}
