/** The full set of vectors: docs/vectors is a part of it and states its hash, and it holds what the page there says. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { CHECK_NAMES, LIMIT_NAMES } from "../../attestor/policies/policyDefinition.ts";
import { boundaryChecks } from "../../workshop/vectors/boundaries.ts";
import type { DocumentVector } from "../../workshop/vectors/candidate.ts";
import type { EvidenceVector } from "../../workshop/vectors/evidences.ts";
import { smallPart, textOf, type VectorFiles } from "../../workshop/vectors/files.ts";
import { documentsIn, fullVectors, SMALL } from "../support/vectors.ts";

describe("the full set of vectors", function () {
  this.timeout(300_000);

  let folder: string;
  let policies: readonly Policy[];
  let evidence: readonly EvidenceVector[];
  let documents: readonly DocumentVector[];
  before(async () => {
    folder = await fullVectors();
    policies = parsePolicies(read("policies.json"));
    evidence = read("evidence.json");
    documents = documentsIn(folder);
  });
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));

  it("has the hash that docs/vectors states, by the command given there", () => {
    const page = readFileSync(join(SMALL, "README.md"), "utf8");
    const [, command] = /^(cat .*)$/m.exec(page)!;
    const [, stated] = /^`([0-9a-f]{64})`\.$/m.exec(page)!;
    const printed = execFileSync("sh", ["-c", command!.replace("/tmp/vectors/", "")], { cwd: folder });
    expect(printed.toString().split(" ")[0]).to.equal(stated);
    expect(page).to.include(`${evidence.length} pieces of evidence and ${documents.length} documents`);
  });

  it("has the small part of docs/vectors, which is some 430 kB", () => {
    const files = readdirSync(folder).sort();
    const full = Object.fromEntries(files.map((file) => [file, read(file)])) as unknown as VectorFiles;
    let length = 0;
    for (const [file, vectors] of Object.entries(smallPart(full))) {
      const text = readFileSync(join(SMALL, file), "utf8");
      // Not by chai: it would print them.
      expect(text === textOf(vectors), `${file} is what \`npm run vectors\` writes`).to.equal(true);
      length += text.length;
    }
    expect(length).to.be.at.most(440_000);
  });

  it("turns on each check's boundary ten times on each side", () => {
    const bent = new Set(policies.flatMap(({ definition }) => boundaryChecks(definition)));
    for (const check of bent)
      for (const side of ["pass", "fail"]) {
        const own = evidence.filter(({ name }) => name.startsWith(`${check} ${side} `));
        expect(own.length, `${check} ${side}`).to.be.at.least(10);
        for (const { name, findings } of own)
          expect(findings.find((finding) => finding.check === check)?.outcome, name).to.equal(side);
      }
    expect(bent).to.deep.equal(new Set([...CHECK_NAMES, ...LIMIT_NAMES]));
  });
});
