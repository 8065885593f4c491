/** verify.html, opened from disk without a network, comes to what `assay verify` comes to, of every vector of the full set. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import type { Question } from "../../web/report/judging.ts";
import { type Candidate, type DocumentVector, vectorOf } from "../../workshop/vectors/documentVector.ts";
import type { EvidenceVector } from "../../workshop/vectors/evidence/evidences.ts";
import { testBrowser } from "../support/browser.ts";
import { documentsIn, fullVectors } from "../support/vectors.ts";
import { dropEach, fieldsOf, type OpenedFile, openVerifier } from "./reportPage.ts";

/** The others are asked of the page's program, without the page around it. */
const DROPPED_EVERY = 6;

describe("verify.html and the full set of vectors", function () {
  this.timeout(300_000);

  let vectors: string;
  const text = (file: string) => readFileSync(join(vectors, file), "utf8");
  const browser = testBrowser();
  let opened: OpenedFile;
  let page: Page;
  before(async () => {
    vectors = await fullVectors();
    opened = await openVerifier(browser);
    page = opened.page;
  });
  afterEach(() => {
    expect(opened.complaints).to.deep.equal([]);
  });

  it("comes to the verdict and the steps of every document, for the reader that it names", async () => {
    const documents = documentsIn(vectors);
    const seen = await askProgram(page, documents.map(questionOf));
    // No page asks a node: it comes to what the program comes to without one.
    for (const [index, vector] of documents.entries())
      expectSame(vector.trust.chain ? vectorOf(without(vector, ["chain"])) : vector, seen[index]!);
  });

  it("shows that verdict and those steps of documents that are dropped on it", async () => {
    // By their readers, since a reader's fields are filled in once.
    const byReader = documentsIn(vectors)
      .filter((_, index) => index % DROPPED_EVERY === 0)
      .map((vector) => vectorOf(without(vector, WITHOUT_FIELD)))
      .toSorted((one, other) => (JSON.stringify(one.trust) < JSON.stringify(other.trust) ? -1 : 1));
    const dropped = byReader.map(({ document, trust }) => ({ text: document, fields: fieldsOf(trust) }));
    const seen = await dropEach(page, dropped);
    for (const [index, vector] of byReader.entries()) expectSame(vector, seen[index]!);
  });

  it("comes to the verdict of all evidence, and shows the findings of what is not INVALID", async () => {
    const given: { definitionHash: string }[] = JSON.parse(text("policies.json"));
    const policies: readonly Policy[] = parsePolicies(given);
    const evidence: readonly EvidenceVector[] = JSON.parse(text("evidence.json"));
    const reports = evidence.map((vector) => {
      const policy = policies.find(
        ({ definitionHash }) => definitionHash === vector.evidence.policy.definitionHash,
      )!;
      return JSON.stringify(evaluate(policy, vector.evidence));
    });
    const asked = evidence.map(({ evidence: { policy } }, index) => {
      const own = given.filter(({ definitionHash }) => definitionHash === policy.definitionHash);
      return { input: reports[index]!, reader: { policies: JSON.stringify(own) } };
    });
    const seen = await askProgram(page, asked);
    for (const [index, vector] of evidence.entries()) {
      const { verdict } = verifyDocument(reports[index]!, { policies });
      expect(seen[index]!.verdict, vector.name).to.equal(verdict);
      expect(seen[index]!.findings, vector.name).to.deep.equal(
        verdict === "INVALID" ? [] : vector.findings.map(({ check, outcome }) => `${check} ${outcome}`),
      );
    }
  });
});

/** What a reader has that no field of the page takes. */
const WITHOUT_FIELD = ["records", "servicePolicies", "serviceRegistry", "chain"] as const;

function without(vector: DocumentVector, members: readonly (typeof WITHOUT_FIELD)[number][]): Candidate {
  const gone = Object.fromEntries(members.map((member) => [member, undefined]));
  return { ...vector, trust: { ...vector.trust, ...gone } };
}

function questionOf({ document, trust }: DocumentVector): Asked {
  const { records = [], servicePolicies = [], serviceRegistry } = trust;
  return {
    input: document,
    reader: fieldsOf(trust),
    known: records.map(({ registry, ...record }) => ({
      ...record,
      ...(registry === undefined ? {} : { registry: JSON.stringify(registry) }),
    })),
    servicePolicies: servicePolicies.map((definition) => JSON.stringify(definition)),
    serviceRegistry: serviceRegistry === undefined ? null : JSON.stringify(serviceRegistry),
  };
}

interface Shown {
  readonly verdict: string | null;
  readonly steps: readonly (readonly [name: string, outcome: string])[];
}

function expectSame({ name, verdict, steps }: DocumentVector, shown: Shown): void {
  expect(shown.verdict, name).to.equal(verdict);
  for (const [outcome, names] of Object.entries(steps))
    expect(
      shown.steps.filter(([, came]) => came === outcome).map(([step]) => step),
      `${name}, ${outcome}`,
    ).to.deep.equal(names);
}

/** A question as the page's program is asked it. */
type Asked = Pick<Question, "reader"> & { readonly input: string } & Partial<
    Pick<Question, "known" | "servicePolicies" | "serviceRegistry">
  >;

interface Judged extends Shown {
  readonly findings: readonly string[];
}

/** Asks the page's own program, as its worker, without the page around it. */
function askProgram(page: Page, questions: readonly Asked[]): Promise<Judged[]> {
  return page.evaluate(async (all) => {
    const program = document.querySelector('script[type="module"]')!.textContent!;
    const worker = new Worker(URL.createObjectURL(new Blob([`(()=>{${program}\n})()`])));
    const told = () =>
      new Promise<any>((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = () => reject(new Error("the worker did not come up"));
      });
    await told();
    const seen: Judged[] = [];
    for (const asked of all) {
      const answered = told();
      const nothing = { known: [], servicePolicies: [], serviceRegistry: null, serviceSamples: null };
      worker.postMessage({ ...nothing, ...asked });
      const { view } = await answered;
      const findings = (view.judged?.findings ?? []).map((one: any) => `${one.check} ${one.outcome}`);
      const steps = view.steps.map((one: any) => [one.name, one.outcome] as const);
      seen.push({ verdict: view.verdict, steps, findings });
    }
    worker.terminate();
    return seen;
  }, questions);
}
