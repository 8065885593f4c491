/** The import rule and its neighbours, held by the linter: each is broken in a copy of the project, and has to be refused. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";

const ROOT = join(import.meta.dirname, "../..");
/** What git does not keep, and what no rule is about. */
const LEFT_OUT = new Set([".git", "node_modules", "artifacts", "cache", "types", "coverage", "data", "docs"]);

interface Violation {
  readonly sentence: string;
  /** A new file of the copy. */
  readonly file: string;
  readonly code: string;
  /** What the linter has to say of that file. */
  readonly reason: string;
}

const imports = (specifier: string) => `import * as planted from "${specifier}";\nexport { planted };\n`;
const ATTESTOR = "attestor imports nothing of ours";
const PURE = "attestor is pure";
const CLIENT = "client and web import attestor and the schemas of api alone";
const ENVIRONMENT = "the environment is read in api/settings alone";
const CLOCK = "clock and chance arrive as arguments";
const OUTSIDE = "network, files and processes are for boundary modules";
const WORKSHOP = "nobody imports build, workshop, test or packages";

const VIOLATIONS: readonly Violation[] = [
  ...(
    [
      ["attestor", "../database/open.ts", ATTESTOR],
      ["attestor/checks", "../../chain/rpc.ts", ATTESTOR],
      ["database", "../attestor/primitives.ts", "database imports nothing of ours"],
      ["chain", "../market/queries.ts", "chain imports attestor alone"],
      ["chain/facts", "../../api/settings/secret.ts", "chain imports attestor alone"],
      ["market", "../api/settings/secret.ts", "market imports attestor, chain and database alone"],
      ["market/live", "../../devnet/clock.ts", "market imports attestor, chain and database alone"],
      ["api", "../devnet/market/simulated.ts", "api imports attestor, chain, market and database alone"],
      ["api/data", "../../client/client.ts", "api imports attestor, chain, market and database alone"],
      ["client", "../chain/rpc.ts", CLIENT],
      ["client", "../api/http/problems.ts", CLIENT],
      ["web", "../api/services.ts", CLIENT],
      ["web", "../client/client.ts", CLIENT],
      ["web/islands", "../../database/open.ts", CLIENT],
      ["attestor", "../web/island.ts", ATTESTOR],
      ["api/pages", "../../web/island.ts", "api imports attestor, chain, market and database alone"],
      [
        "devnet",
        "../cli/agent/run.ts",
        "devnet imports attestor, chain, market, database, api and client alone",
      ],
      ["scripts", "../cli/keys.ts", "scripts imports the service, the client and devnet"],
      ["cli", "../scripts/pause.ts", "cli imports the service, the client and devnet"],
      ["scripts", "../workshop/coverage.ts", WORKSHOP],
      ["devnet", "../workshop/bench/measure.ts", WORKSHOP],
      ["cli", "../packages/verify/index.ts", WORKSHOP],
      ["packages/verify", "../../chain/rpc.ts", "packages import attestor, client and cli alone"],
      ["packages/client", "../../api/jobs/schemas.ts", "packages import attestor, client and cli alone"],
      ["api/jobs", "../routes/jobs.ts", "nothing imports routes but api/app.ts"],
      ["cli", "../api/routes/jobs.ts", "nothing imports routes but api/app.ts"],
      ["api/routes", "./jobs.ts", "a route imports no other route"],
      ["api/settings", "../keys/keys.ts", "api/settings imports no other room of api"],
    ] as const
  ).map(([room, specifier, reason], index) => ({
    sentence: `${room} must not import ${specifier.replace(/^(\.\.\/)+/, "")}`,
    file: `${room}/planted${index}.ts`,
    code: imports(specifier),
    reason,
  })),
  {
    sentence: "a type is an import, too",
    file: "market/plantedType.ts",
    code: `import type { Secret } from "../api/settings/secret.ts";\nexport type Planted = Secret;\n`,
    reason: "market imports attestor, chain and database alone",
  },
  {
    sentence: "an export from elsewhere is an import, too",
    file: "market/plantedExport.ts",
    code: `export { Secret } from "../api/settings/secret.ts";\n`,
    reason: "market imports attestor, chain and database alone",
  },
  {
    sentence: "an import at run time is an import, too",
    file: "market/plantedLater.ts",
    code: `export const planted = () => import("../api/settings/secret.ts");\n`,
    reason: "market imports attestor, chain and database alone",
  },
  {
    sentence: "a type named in place is an import, too",
    file: "market/plantedTypeInPlace.ts",
    code: `export type Planted = import("../api/settings/secret.ts").Secret;\n`,
    reason: "market imports attestor, chain and database alone",
  },
  {
    sentence: "a roundabout path leads to the same room",
    file: "market/plantedDetour.ts",
    code: imports("./live/../../api/settings/secret.ts"),
    reason: "market imports attestor, chain and database alone",
  },
  {
    sentence: "the environment is read in api/settings alone",
    file: "market/plantedEnvironment.ts",
    code: `export const planted = process.env.PLANTED;\n`,
    reason: ENVIRONMENT,
  },
  {
    sentence: "the environment taken apart is the environment",
    file: "api/data/plantedEnvironment.ts",
    code: `const { env } = process;\nexport const planted = env.PLANTED;\n`,
    reason: ENVIRONMENT,
  },
  {
    sentence: "the environment by Node's module is the environment",
    file: "cli/plantedEnvironment.ts",
    code: `import { env } from "node:process";\nexport const planted = env.PLANTED;\n`,
    reason: ENVIRONMENT,
  },
  ...(
    [
      ["node:net", `import { isIP } from "node:net";\nexport const planted = isIP;\n`],
      ["all of zod's languages", `import { z } from "zod";\nexport const planted = z;\n`],
      ["ethers", `import { id } from "ethers";\nexport const planted = id;\n`],
      ["node:crypto", `import { createHash } from "node:crypto";\nexport const planted = createHash;\n`],
      ["Date.now", "export const planted = () => Date.now();\n"],
      ["new Date()", "export const planted = () => new Date();\n"],
      ["Math.random", "export const planted = () => Math.random();\n"],
      ["fetch", `export const planted = () => fetch("https://example.com");\n`],
      ["process", "export const planted = () => process.exit();\n"],
      ["globalThis", "export const planted = () => globalThis.name;\n"],
    ] as const
  ).map(([what, code], index) => ({
    sentence: `attestor must not use ${what}`,
    file: `attestor/pure${index}.ts`,
    code,
    reason: PURE,
  })),
  ...(
    [
      ["Date.now", "export const planted = () => Date.now();\n"],
      ["Date.now by name", "export const planted = { now: Date.now };\n"],
      ["new Date()", "export const planted = () => new Date();\n"],
      ["Math.random", "export const planted = () => Math.random();\n"],
      ["performance.now", "export const planted = () => performance.now();\n"],
    ] as const
  ).map(([what, code], index) => ({
    sentence: `${what} is for boundary modules`,
    file: `api/jobs/clock${index}.ts`,
    code,
    reason: CLOCK,
  })),
  ...(
    [
      ["fetch", `export const planted = () => fetch("https://example.com");\n`],
      ["node:fs", `import { rmSync } from "node:fs";\nexport const planted = rmSync;\n`],
      ["node:http", `import { get } from "node:http";\nexport const planted = get;\n`],
      ["node:child_process", `import { spawn } from "node:child_process";\nexport const planted = spawn;\n`],
    ] as const
  ).map(([what, code], index) => ({
    sentence: `${what} is for boundary modules`,
    file: `market/outside${index}.ts`,
    code,
    reason: OUTSIDE,
  })),
  {
    sentence: "two files must not import each other",
    file: "chain/plantedCircle.ts",
    code: `import { other } from "./plantedOther.ts";\nexport const circle = () => other;\n`,
    reason: "noImportCycles",
  },
  {
    sentence: "two files must not import each other, not even for a type",
    file: "chain/plantedTypes.ts",
    code: `import type { Other } from "./plantedOther.ts";\nexport type Circle = Other[];\n`,
    reason: "noImportCycles",
  },
  {
    sentence: "a function has 60 lines at most",
    file: "chain/plantedLong.ts",
    code: `export function planted(counts: number[]) {\n${"  counts.push(1);\n".repeat(61)}}\n`,
    reason: "noExcessiveLinesPerFunction",
  },
];

/** The other half of the circles. */
const OTHER = `import { circle } from "./plantedCircle.ts";
import type { Circle } from "./plantedTypes.ts";
export interface Other {
  readonly more: Circle;
}
export const other = (): unknown => circle;
`;

describe("The linter's rules of the house", function () {
  this.timeout(180_000);

  let copy: string;
  let run: { status: number | null; output: string };

  const check = () => {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "check:code"], {
      cwd: copy,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    return { status, output: stdout + stderr };
  };
  /** What was said of a file. */
  const saidOf = (file: string): string =>
    run.output
      .split(/^(?=\S+\.ts[: ])/m)
      .filter((part) => part.startsWith(`${file}:`) || part.startsWith(`${file} `))
      .join("\n");

  before(() => {
    copy = mkdtempSync(join(tmpdir(), "assay-house-"));
    cpSync(ROOT, copy, {
      recursive: true,
      filter: (path) => dirname(path) !== ROOT || !LEFT_OUT.has(basename(path)),
    });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    mkdirSync(join(copy, "web"), { recursive: true });
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  it("hold for the project as it is", () => {
    const { status, output } = check();
    expect(output).to.contain("No fixes applied");
    expect(status, output).to.equal(0);
  });

  describe("refuse", () => {
    before(() => {
      for (const { file, code } of VIOLATIONS) writeFileSync(join(copy, file), code);
      writeFileSync(join(copy, "chain/plantedOther.ts"), OTHER);
      run = check();
    });

    it("a project with any violation at all", () => {
      expect(run.status).to.equal(1);
    });

    for (const { sentence, file, reason } of VIOLATIONS)
      it(`when ${file} breaks the rule: ${sentence}`, () => {
        expect(saidOf(file)).to.contain(reason);
      });
  });
});
