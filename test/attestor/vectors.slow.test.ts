/** The full set of vectors: docs/vectors is a part of it and states its hash, and it holds what the page there says. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CHECKS } from "../../attestor/checks/checks.ts";
import type { DocumentVector } from "../../workshop/vectors/documentVector.ts";
import { BOUNDARIES, checkOf } from "../../workshop/vectors/evidence/boundaries.ts";
import type { EvidenceVector } from "../../workshop/vectors/evidence/evidences.ts";
import { smallPart, textOf, type VectorFiles } from "../../workshop/vectors/files.ts";
import { documentsIn, fullVectors, SMALL } from "../support/vectors.ts";

describe("the full set of vectors", function () {
  this.timeout(300_000);

  let folder: string;
  let evidence: readonly EvidenceVector[];
  let documents: readonly DocumentVector[];
  before(async () => {
    folder = await fullVectors();
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

  it("has the small part of docs/vectors, which is some 450 kB", () => {
    const files = readdirSync(folder).sort();
    const full = Object.fromEntries(files.map((file) => [file, read(file)])) as unknown as VectorFiles;
    let length = 0;
    for (const [file, vectors] of Object.entries(smallPart(full))) {
      const text = readFileSync(join(SMALL, file), "utf8");
      // Not by chai: it would print them.
      expect(text === textOf(vectors), `${file} is what \`npm run vectors\` writes`).to.equal(true);
      length += text.length;
    }
    expect(length).to.be.at.most(460_000);
  });

  it("has no two vectors of one name", () => {
    for (const vectors of [evidence, documents]) {
      const names = vectors.map(({ name }) => name);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
    }
  });

  it("turns on each check's boundary ten times on each side", () => {
    for (const boundary of Object.keys(BOUNDARIES))
      for (const side of ["pass", "fail"]) {
        const own = evidence.filter(({ name }) => name.startsWith(`${boundary} ${side} `));
        expect(own.length, `${boundary} ${side}`).to.be.at.least(10);
        for (const { name, findings } of own)
          expect(findings.find((finding) => finding.check === checkOf(boundary))?.outcome, name).to.equal(
            side,
          );
      }
    expect(Object.keys(BOUNDARIES)).to.include.members(CHECKS.map(({ name }) => name));
  });
});
