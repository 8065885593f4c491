/** Whether a change of the API is one that programs notice. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { startTestApp } from "../../test/support/http.ts";
import { differences } from "../openapi/differences.ts";

const ROOT = join(import.meta.dirname, "../..");

const document = (changes: object = {}) => ({
  info: { title: "Assay", description: "what it is" },
  paths: {
    "/v1/jobs": { post: { summary: "Create a job", responses: { "200": { description: "The job" } } } },
  },
  components: {
    schemas: {
      Job: {
        description: "A job",
        properties: { title: { type: "string", description: "Its title" }, id: { type: "string" } },
        required: ["title", "id"],
        example: { description: "as it is sent" },
        ...changes,
      },
    },
  },
});

describe("The comparison of two OpenAPI documents", () => {
  it("finds nothing between a document and itself, whatever the order of its members", () => {
    const { info, ...rest } = document();
    expect(differences(document(), { ...rest, info })).to.deep.equal([]);
  });

  it("tells a changed description from a changed shape", () => {
    const found = differences(document(), document({ description: "A task", required: ["id"] }));
    expect(found).to.deep.equal([
      {
        place: "components.schemas.Job.description",
        kind: "text",
        before: '"A job"',
        after: '"A task"',
      },
      { place: "components.schemas.Job.required.0", kind: "shape", before: '"title"', after: '"id"' },
      { place: "components.schemas.Job.required.1", kind: "shape", before: '"id"', after: null },
    ]);
  });

  it("takes a property that is called title, and a description in an example, for shape", () => {
    const properties = { id: { type: "string" } };
    const found = differences(document(), document({ properties, example: { description: "otherwise" } }));
    expect(found.map(({ place, kind }) => [place, kind])).to.deep.equal([
      ["components.schemas.Job.properties.title", "shape"],
      ["components.schemas.Job.example.description", "shape"],
    ]);
  });

  it("takes a description that comes or goes for text", () => {
    const [found] = differences(document(), document({ description: undefined }));
    expect(found).to.include({ place: "components.schemas.Job.description", kind: "text", after: null });
  });
});

describe("node workshop/openapiDiff.ts", function () {
  this.timeout(60_000);
  let folder: string;
  const file = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ["workshop/openapiDiff.ts", ...args], { cwd: ROOT, encoding: "utf8" });
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "assay-openapi-test-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("ends with 0 where only texts differ, with 1 where more does, and with 2 without documents", () => {
    const old = file("old.json", document());
    const texts = run(old, file("texts.json", document({ description: "A task" })));
    expect(texts.stdout).to.contain("1 texts differ, and 0 of everything else.");
    expect(texts.status).to.equal(0);
    const shapes = run(old, file("shapes.json", document({ required: [] })));
    expect(shapes.stdout).to.contain("components.schemas.Job.required.0");
    expect(shapes.status).to.equal(1);
    expect(run(old).status).to.equal(2);
    expect(run(old, "no-such-commit").stderr).to.contain("neither a file, a URL nor a commit");
  });

  it("reads the document of a checkout as its service serves it", async () => {
    const printed = spawnSync(process.execPath, ["workshop/openapi/print.ts"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(printed.status, printed.stderr).to.equal(0);
    const app = await startTestApp();
    try {
      const served = JSON.parse(JSON.stringify(app.openapi));
      const found = differences(served, JSON.parse(printed.stdout));
      // The test's app has a version, a registry and a guard of its own, and sells nothing.
      const own = /^info\.version$|example|erc7730|purchases|\.(Purchases|BoughtJob|OpenedPurchase)$/;
      expect(found.map(({ place }) => place).filter((place) => !own.test(place))).to.deep.equal([]);
    } finally {
      await app.stop();
    }
  });
});
