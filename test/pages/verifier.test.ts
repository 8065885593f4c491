/** verify.html, opened from disk without a network: it comes to what `assay verify` comes to. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { canonicalHash } from "../../attestor/canonical.ts";
import { type Policy, parsePolicies } from "../../attestor/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { verifyDocument } from "../../attestor/verify.ts";
import { singleFile } from "../../tools/singleFile.ts";
import type { DocumentVector } from "../../tools/vectors/candidate.ts";
import type { EvidenceVector } from "../../tools/vectors/evidences.ts";
import { VERIFIER } from "../../tools/web.ts";
import { openBrowser } from "../support/browser.ts";
import { type Dropped, dropEach } from "../support/reportPage.ts";

const FOLDER = join(import.meta.dirname, "../../docs/vectors");
const text = (file: string) => readFileSync(join(FOLDER, file), "utf8");
const read = (file: string) => JSON.parse(text(file));
const documents: readonly DocumentVector[] = [...read("documents.json"), ...read("proved.json")];
const named = (name: string) => documents.find((vector) => vector.name === name)!;
const PREPARED = named("a prepared buy of TSLAx for 250 dollars");

const fieldsOf = ({ guard, signer, logKeys }: DocumentVector["trust"]) => ({
  ...(guard === undefined ? {} : { guard: `${guard.chainId}:${guard.address}` }),
  ...(signer === undefined ? {} : { signer }),
  ...(logKeys === undefined ? {} : { logKey: logKeys.join("\n") }),
});

describe("verify.html", function () {
  this.timeout(180_000);

  const folder = mkdtempSync(join(tmpdir(), "assay-verifier-"));
  const url = pathToFileURL(join(folder, "verify.html")).href;
  let browser: Browser | undefined;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  before(async function () {
    browser = await openBrowser(this);
    writeFileSync(join(folder, "verify.html"), await singleFile(VERIFIER));
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    context = await browser!.newContext({ locale: "en", viewport: { width: 400, height: 300 } });
    await context.setOffline(true);
    page = await context.newPage();
    complaints = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (request.url() !== url && !request.url().startsWith("blob:")) complaints.push(request.url());
    });
    await page.goto(url);
    await page.locator(".drop").waitFor();
  });
  afterEach(() => context.close());

  it("comes to the verdict and the steps of every published document, for the reader that it names", async () => {
    // By their readers, since a reader's fields are filled in once.
    const byReader = documents.toSorted((one, other) =>
      JSON.stringify(one.trust) < JSON.stringify(other.trust) ? -1 : 1,
    );
    const seen = await dropEach(
      page,
      byReader.map(({ document, trust }) => ({ text: document, fields: fieldsOf(trust) })),
    );
    for (const [index, { name, verdict, steps }] of byReader.entries()) {
      const own = seen[index]!;
      expect(own.verdict, name).to.equal(verdict);
      for (const [outcome, names] of Object.entries(steps))
        expect(
          own.steps.filter(([, came]) => came === outcome).map(([step]) => step),
          `${name}, ${outcome}`,
        ).to.deep.equal(names);
    }
    expect(complaints).to.deep.equal([]);
  });

  it("comes to the findings of all published evidence", async () => {
    const policies: readonly Policy[] = parsePolicies(read("policies.json"));
    const evidence: readonly EvidenceVector[] = read("evidence.json");
    const reports = evidence.map((vector) => {
      const policy = policies.find(
        ({ definitionHash }) => definitionHash === vector.evidence.policy.definitionHash,
      )!;
      return JSON.stringify(evaluate(policy, vector.evidence));
    });
    const fields = { policies: text("policies.json") };
    const seen = await dropEach(
      page,
      reports.map((report): Dropped => ({ text: report, fields })),
    );
    for (const [index, vector] of evidence.entries()) {
      const { verdict } = verifyDocument(reports[index]!, { policies });
      expect(seen[index]!.verdict, vector.name).to.equal(verdict);
      expect(seen[index]!.findings, vector.name).to.deep.equal(
        vector.findings.map(({ check, outcome }) => [check, outcome]),
      );
    }
    expect(complaints).to.deep.equal([]);
  });

  it("runs nothing that a document says, in whichever of its texts", async () => {
    // Short enough for the shortest text of the evidence.
    const hostile = "<img src=x onerror=x()>";
    const jobs = named("a job whose trade was executed").document;
    const all = [PREPARED.document, jobs].flatMap((document) => {
      const leaves = textsIn(JSON.parse(document));
      return leaves.map((path) => rehashed(JSON.parse(document), path, hostile));
    });
    const every = rehashed(
      JSON.parse(PREPARED.document),
      textsIn(JSON.parse(PREPARED.document)).filter((path) => isFreeText(path)),
      hostile,
    );
    await page.evaluate(() => {
      (globalThis as any).x = () => {
        (globalThis as any).wasRun = true;
      };
    });
    expect(all.length).to.be.at.least(200);
    const seen = await dropEach(
      page,
      [...all, every].map((document) => ({ text: document })),
    );
    for (const { verdict } of seen) expect(verdict).to.be.oneOf(["INVALID", "UNVERIFIABLE"]);
    // The last one was judged, and shows what it is called as text.
    expect(seen.at(-1)!.findings.length).to.equal(22);
    expect(await page.locator(".sentence").innerText()).to.include(hostile);
    expect(await page.evaluate(() => [(globalThis as any).wasRun, document.images.length])).to.deep.equal([
      undefined,
      0,
    ]);
    expect(complaints).to.deep.equal([]);
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
      expect(steps).to.deep.equal([["document", "unknown"]]);
    }
    for (const content of [Buffer.alloc(50_000_000, "["), Buffer.from([0x7b, 0xff, 0xfe, 0x7d])]) {
      writeFileSync(join(folder, "bad.json"), content);
      await page.locator(".given button").click();
      await page.locator("input[name=report]").setInputFiles(join(folder, "bad.json"));
      await page.locator("[data-verdict=UNVERIFIABLE]").waitFor();
      expect(await page.locator("[data-step]").innerText()).to.match(
        /cannot be read: it is (longer|no UTF-8)/,
      );
    }
    expect(complaints).to.deep.equal([]);
  });

  it("stays awake while it works, and drops what it is at for another document", async () => {
    // Hundreds of thousands of RLP nodes to hash: seconds of work, within the length that is read.
    const parsed = JSON.parse(PREPARED.document);
    parsed.report.proofs.nodes = Array.from(
      { length: 50_000 },
      (_, index) => `0x${index.toString(16).padStart(66, "0")}`,
    );
    const [heavy, light] = [JSON.stringify(parsed), PREPARED.document];
    const frames = await page.evaluate(
      async ([first]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([first!], "heavy.json"));
        dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
        let count = 0;
        while (document.querySelector("[data-verdict]") === null && count < 5) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
          count++;
        }
        return count;
      },
      [heavy],
    );
    expect(frames).to.equal(5);
    const [seen] = await dropEach(page, [{ text: light, fields: fieldsOf(PREPARED.trust) }]);
    expect(seen!.verdict).to.equal("VALID");
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

  it("names the field that makes no sense, and goes on when it is mended", async () => {
    const [seen] = await dropEach(page, [{ text: PREPARED.document, fields: { signer: "0x12" } }]);
    expect(seen).to.deep.include({ verdict: null, findings: [] });
    expect(seen!.faults[0]).to.match(/^The attestation key that you trust: must be an address/);
    await page.locator("summary").click();
    await page.locator("input[name=signer]").fill(PREPARED.trust.signer!);
    await page.locator("input[name=guard]").focus();
    await page.locator("[data-verdict=VALID]").waitFor();
  });

  it("speaks Chinese to who asks for it, and keeps the method's names", async () => {
    await dropEach(page, [{ text: PREPARED.document }]);
    await page.getByRole("button", { name: "中文" }).click();
    expect(await page.locator(".sentence").innerText()).to.match(/^以 250 USDL 买入至少 0\.6/);
    expect(await page.locator(".findings").innerText()).to.include("settlement-peg");
    expect(await page.evaluate(() => document.documentElement.lang)).to.equal("zh-CN");
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

const FREE = ["symbol", "provider", "source", "routeName", "underlying", "jobId"];
const isFreeText = (path: Path) =>
  path.includes("evidence") && FREE.includes(String(path.at(-1))) && !path.includes("pools");

/** The document with that text in one place or several, its evidence hashed anew. */
function rehashed(document: any, at: Path | readonly Path[], text: string): string {
  const paths = (Array.isArray(at[0]) ? at : [at]) as readonly Path[];
  for (const path of paths) {
    const place = path.slice(0, -1).reduce((inner: any, name) => inner[name], document);
    place[path.at(-1)!] = text;
  }
  const report = document.report ?? document;
  if (paths.some((path) => path.includes("evidence"))) report.evidenceHash = canonicalHash(report.evidence);
  return JSON.stringify(document);
}
