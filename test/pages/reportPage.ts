/** Gives documents to a page that judges them, as a reader does: by dropping a file, and by filling in whom they trust. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page, Worker } from "playwright-core";
import type { Trust } from "../../workshop/vectors/documentVector.ts";
import { PATIENCE_MS } from "../support/browser.ts";

export interface Seen {
  /** null: nothing was judged. */
  readonly verdict: string | null;
  /** Names of the steps by outcome, in the page's order. */
  readonly steps: readonly (readonly [name: string, outcome: string])[];
  /** Check and outcome. */
  readonly findings: readonly (readonly [string, string])[];
  /** What is said instead of a verdict. */
  readonly faults: readonly string[];
}

export interface Dropped {
  readonly text: string;
  /** Fields of the reader's trust by name. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Drops each in turn and tells what the page then shows. @param files what was given before stays given */
export function dropEach(page: Page, documents: readonly Dropped[]): Promise<Seen[]> {
  return page.evaluate(async (all) => {
    const checked = () => document.querySelector<HTMLElement>(".checked");
    const until = async (holds: () => boolean) => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    const settled = (run: number) => until(() => checked()?.dataset.run === String(run));
    const seen: Seen[] = [];
    let before = "";
    for (const { text, fields = {} } of all) {
      // What was given stays while documents are dropped one upon the other, and goes with the last of them.
      const isAsBefore = before === JSON.stringify(fields) && checked() !== null;
      const run = isAsBefore ? Number(checked()?.dataset.run) : 0;
      before = JSON.stringify(fields);
      if (!isAsBefore) {
        document.querySelector<HTMLButtonElement>(".given button")?.click();
        await until(() => document.querySelector(".drop") !== null);
      }
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "report.json"));
      dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
      await settled(run + 1);
      if (!isAsBefore && Object.keys(fields).length > 0) {
        // What is typed in is judged at once, and each file when it was read.
        let runs = 1;
        let isTyped = false;
        for (const [name, value] of Object.entries(fields)) {
          const field = document.querySelector<HTMLInputElement>(`.fields [name="${name}"]`)!;
          if (field.type === "file") {
            const transfer = new DataTransfer();
            transfer.items.add(new File([value], `${name}.json`));
            field.files = transfer.files;
            runs += 1;
          } else {
            field.value = value;
            isTyped = true;
          }
          field.dispatchEvent(new Event("change", { bubbles: true }));
        }
        await settled(runs + Number(isTyped));
      }
      seen.push({
        verdict: document.querySelector<HTMLElement>("[data-verdict]")?.dataset.verdict ?? null,
        steps: [...document.querySelectorAll<HTMLElement>("[data-step]")].map(
          ({ dataset }) => [dataset.step ?? "", dataset.outcome ?? ""] as const,
        ),
        findings: [...document.querySelectorAll<HTMLElement>(".finding")].map(
          ({ dataset }) => [dataset.check ?? "", dataset.outcome ?? ""] as const,
        ),
        faults: [...document.querySelectorAll(".fault")].map(({ textContent }) => textContent ?? ""),
      });
    }
    return seen;
  }, documents);
}

export interface OpenedFile {
  readonly page: Page;
  /** What the console said, errors of scripts, and all requests of the page. */
  readonly complaints: string[];
}

/** As the build left it. */
const FILE = pathToFileURL(join(import.meta.dirname, "../../web/dist/verify.html")).href;

/** Opens verify.html from disk, without a network. */
export async function openVerifier(browser: Browser): Promise<OpenedFile> {
  // A small window: painting is most of the time.
  const context = await browser.newContext({ locale: "en", viewport: { width: 400, height: 300 } });
  await context.setOffline(true);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (request.url() !== FILE && !request.url().startsWith("blob:")) complaints.push(request.url());
  });
  await page.goto(FILE);
  await page.locator(".drop").waitFor();
  return { page, complaints };
}

/** The fields of a vector's reader. Records, a node and what a service gave have none. */
export function fieldsOf({
  guard,
  signer,
  logKeys,
  witnessKeys,
  policies,
  registry,
  header,
  samples,
}: Trust) {
  const fields = {
    guard: guard && `${guard.chainId}:${guard.address}`,
    signer,
    logKey: logKeys?.join("\n"),
    witness: witnessKeys?.join("\n"),
    policies: policies && JSON.stringify(policies),
    registry: registry && JSON.stringify(registry),
    header,
    samples: samples === undefined ? undefined : JSON.stringify(samples),
  };
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return Object.fromEntries(given);
}

/** The worker of a page, which comes up beside it. @throws where none does */
export async function workerOf(page: Page): Promise<Worker> {
  return page.workers()[0] ?? page.waitForEvent("worker");
}

/** Runs in the page: what moved, those moves too that follow a click at once, and from where to where. */
export function countShifts(): void {
  const shifts: string[] = [];
  Object.assign(globalThis, { shifts });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, sources } = entry as any;
      for (const { node, previousRect, currentRect } of sources)
        shifts.push(`${value} ${node?.outerHTML?.slice(0, 80)} from ${previousRect.y} to ${currentRect.y}`);
    }
  }).observe({ type: "layout-shift", buffered: true });
}
