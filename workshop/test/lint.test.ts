/** The import rule, the layers and their neighbours: each is broken by a planted file, and has to be rejected. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { testFolder } from "../../test/support/suite.ts";
import { CHECKS } from "../check.ts";
import { faultsOf, PAGE, readPage, readRooms, readSources, type Source } from "../lint/layers.ts";

const ROOT = join(import.meta.dirname, "../..");

const imports = (specifier: string) => `import * as planted from "${specifier}";\nexport { planted };\n`;
const importsType = (type: string, specifier: string, planted: string) =>
  `import type { ${type} } from "${specifier}";\nexport ${planted}\n`;
const MARKET = "market imports attestor, chain and database alone";
const PURE = "attestor is pure";
const ENVIRONMENT = "the environment is read in api/settings alone";
const CLOCK = "time and randomness are passed as arguments";
const OUTSIDE = "network, files and processes are for boundary modules";
const ROOMS = readRooms(readPage());

const SECRET = "../api/settings/secret.ts";
/** A new file, and what has to be said of it. */
const violation = (file: string, sentence: string, code: string, reason: string) => ({
  file,
  sentence,
  code,
  reason,
});
type Violation = Readonly<ReturnType<typeof violation>>;
/** What has no place in market, in a file of its own. */
const inMarket = (sentence: string, code: string): Violation =>
  violation(`market/${sentence.replaceAll(/\W/g, "")}.ts`, sentence, code, MARKET);

const forbidden = (room: string, specifier: string, reason: string, index: number): Violation => {
  const sentence = `${room} must not import ${specifier.replace(/^(\.\.\/)+/, "")}`;
  return violation(`${room}/planted${index}.ts`, sentence, imports(specifier), reason);
};

/** In every room the import of each other room that the page does not name for it. */
const BETWEEN_ROOMS: readonly Violation[] = ROOMS.flatMap(({ name, mayImport }) => {
  if (mayImport === null || name === "contracts") return [];
  return ROOMS.filter((other) => other.name !== name && !mayImport.includes(other.name)).map((other, index) =>
    forbidden(name, `../${other.name}/planted.ts`, `${name} imports `, index),
  );
});

const ROUTES = "nothing imports routes but api/app.ts";
/** What the table of rooms does not say, and a few that it must go on saying. */
const SINGLE: readonly Violation[] = [
  ["attestor/checks", "../../chain/rpc.ts", "attestor imports nothing of ours"],
  ["attestor", "../types/contracts/index.ts", "attestor imports nothing of ours"],
  ["market/facts", "../../devnet/clock.ts", MARKET],
  [
    "api/pages",
    "../../web/island.ts",
    "api imports attestor, chain, market, database and web/props.ts alone",
  ],
  ["client", "../api/http/problems.ts", "client imports attestor, api/payments/typedData.ts"],
  ["deploy/image", "../../api/server.ts", "deploy imports nothing of ours"],
  ["workshop", "../hardhat.config.ts", "nothing imports hardhat.config.ts"],
  ["api/jobs", "../routes/jobs.ts", ROUTES],
  ["scripts", "../api/routes/jobs.ts", ROUTES],
  ["api/routes", "./jobs.ts", "a route imports no other route"],
  ["api/settings", "../keys/keys.ts", "settings/ is below keys/ in the layers of api"],
].map(([room, specifier, reason], index) => forbidden(room!, specifier!, reason!, 100 + index));

const IMPORTS: readonly Violation[] = [
  ...BETWEEN_ROOMS,
  ...SINGLE,
  inMarket("a type is an import, too", importsType("Secret", SECRET, "type Planted = Secret;")),
  inMarket("an export from elsewhere is an import, too", `export { Secret } from "${SECRET}";\n`),
  inMarket("an import at run time is an import, too", `export const planted = () => import("${SECRET}");\n`),
  inMarket("a type named in place is an import, too", `export type Planted = import("${SECRET}").Secret;\n`),
  inMarket("a roundabout path leads to the same room", imports(SECRET.replace("..", "./live/../.."))),
  violation(
    "chain/plantedCircle.ts",
    "two files must not import each other",
    `import { other } from "./plantedOther.ts";\nexport const circle = () => other;\n`,
    "a cycle",
  ),
  violation(
    "chain/plantedTypes.ts",
    "two files must not import each other, not even for a type",
    importsType("Other", "./plantedOtherType.ts", "type Circle = Other[];"),
    "a cycle",
  ),
  violation(
    "market/planted/folder.ts",
    "a folder that no layer names has no place",
    "export const planted = 1;\n",
    `${PAGE} names no layer of market for planted/`,
  ),
];

/** A file of a layer's first folder or file. */
const within = (room: string, place: string) =>
  `${room}/${place.endsWith("/") ? `${place}planted.ts` : place}`;

/** In every room the lowest layer imports the highest, and one of a layer its neighbour. */
const LAYERS: readonly Violation[] = ROOMS.filter(({ layers }) => layers.length > 0).flatMap(
  ({ name, layers }) => {
    const planted = (from: string, to: string, reason: string): Violation => {
      const code = imports(`${from.endsWith("/") ? ".." : "."}/${within(name, to).slice(name.length + 1)}`);
      return violation(within(name, from), `${from} imports ${to}`, code, `${reason} of ${name}`);
    };
    const lowest = layers[0]![0]!;
    const highest = layers.at(-1)![0]!;
    const neighbours = layers.slice(1).find((layer) => layer.length > 1 && !layer.includes("*.ts"));
    const upwards = planted(lowest, highest, `${lowest} is below ${highest} in the layers`);
    if (neighbours === undefined) return [upwards];
    const [one, other] = neighbours as [string, string];
    return [upwards, planted(one, other, `${one} and ${other} are in the same layer`)];
  },
);

const named = (name: string, from: string) =>
  `import { ${name} } from "${from}";\nexport const planted = ${name};\n`;
/** Code that uses what not every room may use. */
const USES = {
  "node:net": named("isIP", "node:net"),
  "all of zod's languages": named("z", "zod"),
  ethers: named("id", "ethers"),
  "node:crypto": named("createHash", "node:crypto"),
  "node:fs": named("rmSync", "node:fs"),
  "node:http": named("get", "node:http"),
  "node:child_process": named("spawn", "node:child_process"),
  "Date.now": "export const planted = () => Date.now();\n",
  "Date.now by name": "export const planted = { now: Date.now };\n",
  "new Date()": "export const planted = () => new Date();\n",
  "Math.random": "export const planted = () => Math.random();\n",
  "performance.now": "export const planted = () => performance.now();\n",
  fetch: `export const planted = () => fetch("https://example.com");\n`,
  process: "export const planted = () => process.exit();\n",
  globalThis: "export const planted = () => globalThis.name;\n",
};
const TIME_AND_CHANCE = ["Date.now", "new Date()", "Math.random"] as const;

/** A file for each thing used. @param file its path without the number */
const users = (
  file: string,
  reason: string,
  sentenceOf: (what: string) => string,
  used: readonly (keyof typeof USES)[],
): Violation[] =>
  used.map((what, index) => violation(`${file}${index}.ts`, sentenceOf(what), USES[what], reason));

const BOUNDARY = (what: string) => `${what} is for boundary modules`;
const RULES: readonly Violation[] = [
  violation(
    "market/plantedEnvironment.ts",
    "the environment is read in api/settings alone",
    `export const planted = process.env.PLANTED;\n`,
    ENVIRONMENT,
  ),
  violation(
    "api/data/plantedEnvironment.ts",
    "the environment taken apart is the environment",
    `const { env } = process;\nexport const planted = env.PLANTED;\n`,
    ENVIRONMENT,
  ),
  violation(
    "scripts/plantedEnvironment.ts",
    "the environment by Node's module is the environment",
    `import { env } from "node:process";\nexport const planted = env.PLANTED;\n`,
    ENVIRONMENT,
  ),
  ...users("attestor/pure", PURE, (what) => `attestor must not use ${what}`, [
    ...(["node:net", "all of zod's languages", "ethers", "node:crypto"] as const),
    ...TIME_AND_CHANCE,
    ...(["fetch", "process", "globalThis"] as const),
  ]),
  ...users("api/jobs/clock", CLOCK, BOUNDARY, [...TIME_AND_CHANCE, "Date.now by name", "performance.now"]),
  ...users("market/outside", OUTSIDE, BOUNDARY, ["fetch", "node:fs", "node:http", "node:child_process"]),
  violation(
    "chain/plantedLong.ts",
    "a function has 60 lines at most",
    `export function planted(counts: number[]) {\n${"  counts.push(1);\n".repeat(61)}}\n`,
    "noExcessiveLinesPerFunction",
  ),
];

/** The other halves of the circles. */
const OTHERS = Object.entries({
  "chain/plantedOther.ts": `import { circle } from "./plantedCircle.ts";\nexport const other = (): unknown => circle;\n`,
  "chain/plantedOtherType.ts": importsType(
    "Circle",
    "./plantedTypes.ts",
    "interface Other {\n  readonly more: Circle;\n}",
  ),
}).map(([path, code]): Source => ({ path, code }));

describe("The import rule", () => {
  const real = readSources();
  const planted: Source[] = [
    ...[...IMPORTS, ...LAYERS].map(({ file, code }) => ({ path: file, code })),
    ...OTHERS,
  ];
  const replaced = new Set(planted.map(({ path }) => path));
  const faults = faultsOf(ROOMS, [...real.filter(({ path }) => !replaced.has(path)), ...planted]);

  it("holds for the project as it is", () => {
    expect(faultsOf(ROOMS, real)).to.deep.equal([]);
  });

  it("gives every room with code but the packages and the tests its layers", () => {
    const without = ROOMS.filter(({ layers }) => layers.length === 0).map(({ name }) => name);
    expect(without).to.deep.equal(["contracts", "packages", "test"]);
  });

  for (const { sentence, file, reason } of [...IMPORTS, ...LAYERS])
    it(`rejects ${file}: ${sentence}`, () => {
      const said = faults.filter((fault) => fault.startsWith(`${file}:`)).join("\n");
      expect(said).to.contain(reason);
    });

  it("rejects a layer that names what is not there", () => {
    const rooms = readRooms(readPage().replace("`evm/`", "`planted/`"));
    expect(faultsOf(rooms, real)).to.include(`${PAGE}:1: attestor/planted/ of its layers is not there`);
  });

  it("says in which line the import stands", () => {
    const source = { path: "market/planted.ts", code: `\n\nimport "../api/server.ts";\n` };
    expect(faultsOf(ROOMS, [source])[0]).to.equal(`market/planted.ts:3 imports api/server.ts: ${MARKET}`);
  });
});

describe("Biome's rules of the house", () => {
  const folder = testFolder("house");
  let run: { status: number | null; output: string };
  /** What was said of a file. */
  const saidOf = (file: string): string =>
    run.output
      .split(/^(?=\S+\.ts[: ])/m)
      .filter((part) => part.startsWith(`${file}:`) || part.startsWith(`${file} `))
      .join("\n");

  before(() => {
    for (const path of ["biome.json", ".gitignore", "workshop/lint"])
      cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    for (const { file, code } of RULES) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), code);
    }
    spawnSync("git", ["init", "-q"], { cwd: folder });
    spawnSync("git", ["add", "-A"], { cwd: folder });
    writeFileSync(join(folder, "trade.json"), `{"saved" :   [1,2 ]}\n`);
    writeFileSync(join(folder, "mine.ts"), "export const  mine = fetch('https://example.com')\n");
    run = checkCode();
  });
  const checkCode = () => {
    const env = { ...process.env, PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}` };
    const options = { cwd: folder, env, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", CHECKS.code!], options);
    return { status, output: stdout + stderr };
  };

  it("read what Git tracks alone: a trade that somebody saved changes nothing", () => {
    expect(run.output).to.not.match(/trade\.json|mine\.ts/);
    spawnSync("git", ["rm", "-rq", "--cached", ...new Set(RULES.map(({ file }) => file))], { cwd: folder });
    const clean = checkCode();
    expect(clean.status, clean.output).to.equal(0);
    spawnSync("git", ["add", "trade.json"], { cwd: folder });
    expect(checkCode().output).to.contain("trade.json format");
  });

  it("reject a project with any violation at all", () => {
    expect(run.status).to.not.equal(0);
  });

  for (const { sentence, file, reason } of RULES)
    it(`reject ${file}: ${sentence}`, () => {
      expect(saidOf(file)).to.contain(reason);
    });
});
