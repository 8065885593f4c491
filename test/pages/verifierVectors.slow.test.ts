/** verify.html, opened from disk without a network, comes to what `assay verify` comes to, of every vector of the full set. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import { singleFile } from "../../build/singleFile.ts";
import { VERIFIER } from "../../build/web.ts";
import type { EvidenceVector } from "../../workshop/vectors/evidences.ts";
import { testBrowser } from "../support/browser.ts";
import { dropEach, fieldsOf, type OpenedFile, openFile } from "../support/reportPage.ts";
import { testFolder } from "../support/suite.ts";
import { documentsIn, fullVectors } from "../support/vectors.ts";

describe("verify.html and the full set of vectors", function () {
  this.timeout(300_000);

  let vectors: string;
  const text = (file: string) => readFileSync(join(vectors, file), "utf8");
  const folder = testFolder("vectors");
  const browser = testBrowser();
  let opened: OpenedFile;
  let page: Page;
  before(async () => {
    vectors = await fullVectors();
    writeFileSync(join(folder, "verify.html"), await singleFile(VERIFIER));
    opened = await openFile(browser, join(folder, "verify.html"));
    page = opened.page;
  });
  afterEach(() => {
    expect(opened.complaints).to.deep.equal([]);
  });

  it("comes to the verdict and the steps of every document, for the reader that it names", async () => {
    // By their readers, since a reader's fields are filled in once.
    const byReader = documentsIn(vectors).toSorted((one, other) =>
      JSON.stringify(one.trust) < JSON.stringify(other.trust) ? -1 : 1,
    );
    const dropped = byReader.map(({ document, trust }) => ({ text: document, fields: fieldsOf(trust) }));
    const seen = await dropEach(page, dropped);
    for (const [index, { name, verdict, steps }] of byReader.entries()) {
      const own = seen[index]!;
      expect(own.verdict, name).to.equal(verdict);
      for (const [outcome, names] of Object.entries(steps))
        expect(
          own.steps.filter(([, came]) => came === outcome).map(([step]) => step),
          `${name}, ${outcome}`,
        ).to.deep.equal(names);
    }
  });

  it("comes to the verdict of all evidence, and shows the findings of what is not INVALID", async () => {
    const policies: readonly Policy[] = parsePolicies(JSON.parse(text("policies.json")));
    const evidence: readonly EvidenceVector[] = JSON.parse(text("evidence.json"));
    const reports = evidence.map((vector) => {
      const policy = policies.find(
        ({ definitionHash }) => definitionHash === vector.evidence.policy.definitionHash,
      )!;
      return JSON.stringify(evaluate(policy, vector.evidence));
    });
    const seen = await askProgram(page, reports, { policies: text("policies.json") });
    for (const [index, vector] of evidence.entries()) {
      const { verdict } = verifyDocument(reports[index]!, { policies });
      expect(seen[index]!.verdict, vector.name).to.equal(verdict);
      expect(seen[index]!.findings, vector.name).to.deep.equal(
        verdict === "INVALID" ? [] : vector.findings.map(({ check, outcome }) => `${check} ${outcome}`),
      );
    }
  });
});

interface Judged {
  readonly verdict: string;
  readonly findings: readonly string[];
}

/** Asks the page's own program, as its worker, without the page around it. */
function askProgram(
  page: Page,
  documents: readonly string[],
  reader: Readonly<Record<string, string>>,
): Promise<Judged[]> {
  return page.evaluate(
    async ([all, given]) => {
      const program = document.querySelector('script[type="module"]')!.textContent!;
      const worker = new Worker(URL.createObjectURL(new Blob([`(()=>{${program}\n})()`])));
      const told = () =>
        new Promise<any>((resolve, reject) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = () => reject(new Error("the worker did not come up"));
        });
      await told();
      const seen: Judged[] = [];
      for (const input of all) {
        const answered = told();
        const question = {
          input,
          reader: given,
          known: [],
          policies: [],
          serviceRegistry: null,
          samples: null,
        };
        worker.postMessage({ id: 1, question });
        const { view } = (await answered).answer;
        const findings = (view.judged?.findings ?? []).map((one: any) => `${one.check} ${one.outcome}`);
        seen.push({ verdict: view.verdict, findings });
      }
      worker.terminate();
      return seen;
    },
    [documents, reader] as const,
  );
}
