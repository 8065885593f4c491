/** What other people's generators make of the OpenAPI document: clients whose types compile. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { openApi } from "../../../api/app.ts";

const require = createRequire(import.meta.url);
/** TypeScript's compiler in JavaScript, whose interface the generators use. */
const TSC = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
const OPENAPI_TYPESCRIPT = join(dirname(require.resolve("openapi-typescript/package.json")), "bin/cli.js");
const HEY_API = join(dirname(require.resolve("@hey-api/openapi-ts/package.json")), "bin/run.js");

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: "es2022",
  module: "preserve",
  moduleResolution: "bundler",
  skipLibCheck: true,
  types: [],
  lib: ["es2022", "dom", "dom.iterable"],
};

describe("clients that are generated from the OpenAPI document", () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "assay-generated-"));
    const document = openApi({ version: "0.0.0", baseUrl: "https://assay.example.com" });
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(program: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(status, stdout + stderr).to.equal(0);
    return stdout;
  }

  /** Compiles a program that uses what was generated. */
  function compile(name: string, lines: readonly string[]): void {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "use.ts"), lines.join("\n"));
    const config = { compilerOptions: COMPILER_OPTIONS, files: ["use.ts"] };
    writeFileSync(join(folder, name, "tsconfig.json"), JSON.stringify(config));
    run(TSC, "-p", name);
  }

  it("openapi-typescript makes types of paths and components", () => {
    run(OPENAPI_TYPESCRIPT, "openapi.json", "-o", "types/types.ts");
    const use = [
      'import type { components, paths } from "./types";',
      'type Responses = paths["/v1/jobs"]["post"]["responses"];',
      'export const id = (job: Responses[201]["content"]["application/json"]): string => job.jobId;',
      'type Refused = Responses[403]["content"]["application/problem+json"];',
      'export const code = (problem: Refused): "invalid_api_key" | "revoked_api_key" | "key_pending_approval" => problem.code as "revoked_api_key";',
      'export const wait = (answer: components["responses"]["RateLimited"]): string | undefined => answer.headers["Retry-After"];',
    ];
    compile("types", use);
    const wrong =
      "export const no = (job: Responses[201]['content']['application/json']): number => job.jobId;";
    expect(() => compile("types", [...use, wrong]), "the compiler checks").to.throw("TS2322");
  });

  it("Hey API makes a client with a function for each operation", () => {
    run(HEY_API, "-i", "openapi.json", "-o", "client", "-c", "@hey-api/client-fetch", "--no-log-file");
    compile("client", [
      'import { createJob, getJob, type Job } from "./index";',
      'const { data } = await getJob({ path: { id: "job_1" } });',
      "export const job: Job | undefined = data;",
      "export const create: (body: Parameters<typeof createJob>[0]) => unknown = createJob;",
    ]);
  });
});
