/** verify.html, opened from disk without a network: it comes to what `assay verify` comes to. */
import { expect } from "chai";
import type { Page } from "playwright-core";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { testBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { namedDocument } from "../support/vectors.ts";
import { violations } from "./axe.ts";
import { dropEach, fieldsOf, type OpenedFile, openVerifier, workerOf } from "./reportPage.ts";

const PREPARED = namedDocument("a prepared buy of TSLAx for 250 dollars");

describe("verify.html", function () {
  this.timeout(180_000);

  const browser = testBrowser();
  let opened: OpenedFile;
  let page: Page;
  beforeEach(async () => {
    opened = await openVerifier(browser);
    page = opened.page;
  });
  afterEach(async () => {
    expect(opened.complaints).to.deep.equal([]);
    await page.context().close();
  });

  it("runs nothing that a document says, in whichever of its texts", async () => {
    // Short enough for the shortest text of the evidence.
    const hostile = "<img src=x onerror=x()>";
    const jobs = namedDocument("a job whose trade was executed").document;
    const all = [PREPARED.document, jobs].flatMap((document) => {
      // The two have reports alike.
      const leaves = textsIn(JSON.parse(document)).filter(
        (path) => document !== jobs || path[0] !== "report",
      );
      return leaves.map((path) => rehashed(JSON.parse(document), path, hostile));
    });
    await page.evaluate(() => {
      (globalThis as any).x = () => {
        (globalThis as any).wasRun = true;
      };
    });
    expect(all.length).to.be.at.least(200);
    const documents = all.map((text) => ({ text }));
    const seen = await dropEach(page, documents);
    for (const { verdict } of seen) expect(verdict).to.be.oneOf(["INVALID", "UNVERIFIABLE"]);
    // What is not INVALID is shown, with such a text as text.
    const shown = documents.filter((_, index) => seen[index]!.findings.length > 0);
    expect(shown.length).to.be.at.least(10);
    let named = 0;
    for (const document of shown) {
      await dropEach(page, [document]);
      if ((await page.locator(".ruling, .report").allTextContents()).join().includes(hostile)) named++;
    }
    expect(named).to.be.at.least(1);
    const ran = await page.evaluate(() => [(globalThis as any).wasRun, document.images.length]);
    expect(ran).to.deep.equal([undefined, 0]);
  });

  it("says in a sentence what is no report: text, a broken file, a million brackets, 50 MB", async () => {
    const seen = await dropEach(page, [
      { text: "hello" },
      { text: "" },
      { text: "[".repeat(1_000_000) + "]".repeat(1_000_000) },
      { text: "[".repeat(1_000_000) },
      { text: JSON.stringify({ evidence: {}, evidenceHash: 1 }) },
      { text: `${" ".repeat(4 * 1024 * 1024)}{}` },
    ]);
    for (const { verdict, steps } of seen) {
      expect(verdict).to.equal("UNVERIFIABLE");
      expect(steps[0]).to.deep.equal(["document", "unknown"]);
      for (const [, outcome] of steps.slice(1)) expect(outcome).to.equal("not asked");
    }
    for (const content of [Buffer.alloc(50_000_000, "["), Buffer.from([0x7b, 0xff, 0xfe, 0x7d])]) {
      await page.locator(".given button").click();
      await page
        .locator("input[name=report]")
        .setInputFiles({ name: "bad.json", mimeType: "", buffer: content });
      await page.locator("[data-verdict=UNVERIFIABLE]").waitFor();
      expect(await page.locator(".sentence").innerText()).to.match(/is (longer than 4 MiB|not UTF-8 text)/);
    }
  });

  it("verify.html stays awake while it works, and drops what it is at for another document", async () => {
    // Hundreds of thousands of RLP nodes to hash: seconds of work, within the length that is read.
    const parsed = JSON.parse(PREPARED.document);
    parsed.report.proofs.nodes = Array.from(
      { length: 50_000 },
      (_, index) => `0x${index.toString(16).padStart(66, "0")}`,
    );
    const [heavy, light] = [JSON.stringify(parsed), PREPARED.document];
    const first = await workerOf(page);
    // How often the page had its turn meanwhile. A machine that is busy makes both slower.
    const turns = await page.evaluate(async (text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], "heavy.json"));
      dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
      let count = 0;
      for (; document.querySelector("[data-verdict]") === null; count++)
        await new Promise((resolve) => setTimeout(resolve, 0));
      return count;
    }, heavy);
    expect(turns).to.be.at.least(10);
    await page.locator(".given button").click();
    // In the page, since the work may be over before anybody outside has looked.
    await page.evaluate(
      async (texts) => {
        for (const text of texts) {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "report.json"));
          dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
          while (document.querySelector("[aria-busy=true]") === null)
            await new Promise((resolve) => setTimeout(resolve, 0));
        }
      },
      [heavy, light],
    );
    await page.locator("[data-verdict]").waitFor();
    const verdict = await page.locator("[data-verdict]").getAttribute("data-verdict");
    await until("another worker in the place of the one that ended with its question", () => {
      const [now] = page.workers();
      return now !== undefined && now !== first;
    });
    const [alone] = await dropEach(page, [{ text: light }]);
    expect(verdict).to.equal(alone!.verdict);
  });

  it("works in a worker that is made of the file itself", async () => {
    await dropEach(page, [{ text: PREPARED.document }]);
    const worker = await workerOf(page);
    expect(await worker.evaluate(() => typeof document)).to.equal("undefined");
    expect(worker.url()).to.match(/^blob:/);
  });

  it("comes to the same without a worker, where the browser allows none", async () => {
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, "Worker", {
        value: class {
          constructor() {
            throw new DOMException("not allowed", "SecurityError");
          }
        },
      });
    });
    await page.reload();
    const seen = await dropEach(page, [
      { text: PREPARED.document, fields: fieldsOf(PREPARED.trust) },
      { text: "[".repeat(100_000) },
    ]);
    expect(seen.map(({ verdict }) => verdict)).to.deep.equal(["VALID", "UNVERIFIABLE"]);
  });

  it("names the field that is invalid, and goes on when it is fixed", async () => {
    const [seen] = await dropEach(page, [{ text: PREPARED.document, fields: { signer: "0x12" } }]);
    expect(seen).to.deep.include({ verdict: null, findings: [] });
    expect(seen!.faults[0]).to.match(/^The attestation key that you trust: must be an address/);
    await page.locator(".fields summary").click();
    await page.locator("input[name=signer]").fill(PREPARED.trust.signer!);
    await page.locator("input[name=guard]").focus();
    await page.locator("[data-verdict=VALID]").waitFor();
  });

  it("verify.html has nothing that axe objects to", async () => {
    expect(await violations(page)).to.deep.equal([]);
    await dropEach(page, [{ text: PREPARED.document }]);
    expect(await violations(page)).to.deep.equal([]);
  });
});

type Path = readonly (string | number)[];

/** The way to each text of a document; of lists that repeat themselves the first two members. */
function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (Array.isArray(value))
    return value.slice(0, 2).flatMap((item, index) => textsIn(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => textsIn(item, [...path, name]));
}

/** The document with that text in one place, its evidence hashed anew. */
function rehashed(document: any, path: Path, text: string): string {
  const place = path.slice(0, -1).reduce((inner: any, name) => inner[name], document);
  place[path.at(-1)!] = text;
  const report = document.report ?? document;
  if (path.includes("evidence")) report.evidenceHash = canonicalHash(report.evidence);
  return JSON.stringify(document);
}
