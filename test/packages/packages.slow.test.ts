/** The npm packages, from the packed files in an empty folder: in each Node, in TypeScript, Bun, Deno and a browser. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { expect } from "chai";
import { ROOT } from "../../build/buildOnce.ts";
import type { DocumentVector } from "../../workshop/vectors/documentVector.ts";
import { ALL } from "../support/all.ts";
import { sharedBrowser, watchedPage } from "../support/browser.ts";
import {
  exportedNames,
  installed,
  npm,
  type PackageName,
  packedFiles,
  runIn,
  runtime,
  unpackedFolder,
} from "../support/packages.ts";
import { localServer } from "../support/ports.ts";
import { DOCUMENT_FILES, documentsIn, namedDocument, vectorsToTry } from "../support/vectors.ts";

const NAMES: readonly PackageName[] = ["assay-client", "assay-verify", "assay-contracts"];
const read = (path: string) => readFileSync(path, "utf8");
/** The oldest and the newest known of each line. */
const NODES = ["node@20.0.0", "node@22.23.3", "24"];

/** Of the small part all, of the full set every tenth; of what the newest Node takes as a module every fourth. */
const STEP = ALL ? 10 : 1;

/** What the functions of assay-verify are called in the text below. */
const FUNCTIONS = "headerIn, parsePolicies, parseVkey, registryIn, verifyDocument";
/** Makes the reader of a vector from its plain JSON, in text: it runs in each runtime. */
const READER_OF = `
const registryOf = (given) => given && registryIn(given);
const readerOf = (trust) => ({
  ...trust,
  known: trust.records?.map((record) => ({
    ...record,
    registry: registryOf(record.registry),
    logKeys: record.logKeys?.map(parseVkey),
  })),
  logKeys: trust.logKeys?.map(parseVkey),
  witnessKeys: trust.witnessKeys?.map(parseVkey),
  policies: trust.policies && parsePolicies(trust.policies),
  servicePolicies: trust.servicePolicies && parsePolicies(trust.servicePolicies),
  registry: registryOf(trust.registry),
  serviceRegistry: registryOf(trust.serviceRegistry),
  header: trust.header && headerIn(trust.header),
});`;

/** Prints how many vectors came out otherwise, and the first; takes every `step`th. */
const judge = (vectors: string, load: string, step: number) => `${load}
const vectors = ${JSON.stringify(DOCUMENT_FILES.map((file) => join(vectors, file)))}
  .flatMap((path) => JSON.parse(readFileSync(path, "utf8")))
  .filter((_, index) => index % ${step} === 0);
${READER_OF}
const odd = vectors.filter(({ document, trust, verdict, strictVerdict, steps }) => {
  const reader = readerOf(trust);
  const seen = verifyDocument(document, reader);
  const strictly = verifyDocument(document, { ...reader, strict: true }).verdict;
  return seen.verdict !== verdict || strictly !== strictVerdict || Object.entries(steps).some(([outcome, names]) =>
    names.join() !== seen.steps.filter((one) => one.outcome === outcome).map(({ name }) => name).join());
});
console.log(vectors.length, odd.length, odd[0]?.name ?? "");`;
const ESM = `import { readFileSync } from "node:fs";
import { ${FUNCTIONS} } from "assay-verify";`;
const CJS = `const { readFileSync } = require("node:fs");
const { ${FUNCTIONS} } = require("assay-verify");`;

const USES = `
const verdict = verifyReport({}).verdict;
const client = createClient({ baseUrl: "http://127.0.0.1:9", retries: 0 });
client.data.marketOverview().catch((error) => {
  console.log(verdict, error instanceof ServiceError, error.code, error.message);
  console.log(tradeGuardAbi.length > 50, Object.keys(deployments).length, guardDomain(1, "0x0").version);
});`;
const USES_ESM = `import { createClient, ServiceError, verifyReport } from "assay-client";
import { deployments, guardDomain, tradeGuardAbi } from "assay-contracts";${USES}`;
const USES_CJS = `const { createClient, ServiceError, verifyReport } = require("assay-client");
const { deployments, guardDomain, tradeGuardAbi } = require("assay-contracts");${USES}`;
const USED = "UNVERIFIABLE true unreachable No service answers at http://127.0.0.1:9.\ntrue 0 1\n";

describe("the npm packages", function () {
  this.timeout(600_000);

  let folder: string;
  let vectors: string;
  let documents: readonly DocumentVector[];
  before(async () => {
    vectors = await vectorsToTry();
    documents = documentsIn(vectors);
    folder = await installed(...NAMES);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const node = (test: Mocha.Context, spec: string) =>
    spec === "24" ? process.execPath : runtime(test, spec);

  for (const name of NAMES)
    it(`install ${name} alone from its packed file, without any other package`, async () => {
      const alone = await installed(name);
      try {
        const { packages } = JSON.parse(read(join(alone, "node_modules/.package-lock.json")));
        expect(Object.keys(packages)).to.deep.equal([`node_modules/${name}`]);
        const manifest = JSON.parse(read(join(alone, "node_modules", name, "package.json")));
        expect(manifest.version).to.equal(JSON.parse(read(join(ROOT, "package.json"))).version);
        for (const member of ["dependencies", "peerDependencies", "optionalDependencies", "scripts"])
          expect(manifest).to.not.have.property(member);
      } finally {
        rmSync(alone, { recursive: true, force: true });
      }
    });

  /** That it judges every `step`th vector as the source does. */
  const judges = (program: string, args: string[], load: string, step: number) =>
    expect(runIn(folder, program, args, judge(vectors, load, step))).to.deep.equal({
      status: 0,
      output: `${Math.ceil(documents.length / step)} 0 \n`,
    });

  for (const spec of NODES) {
    const version = spec.replace("node@", "");
    it(`are imported and required by Node ${version}`, function () {
      const program = node(this, spec);
      expect(runIn(folder, program, ["use.mjs"], USES_ESM)).to.deep.equal({ status: 0, output: USED });
      expect(runIn(folder, program, ["use.cjs"], USES_CJS)).to.deep.equal({ status: 0, output: USED });
    });

    it(`judge the published vectors as the source does, in Node ${version}`, function () {
      const step = spec === "24" ? Math.ceil(STEP / 3) : STEP;
      judges(node(this, spec), ["judge.mjs"], ESM, step);
      judges(node(this, spec), ["judge.cjs"], CJS, STEP);
    });

    it(`have a program assay-verify, in Node ${version}`, function () {
      const program = node(this, spec);
      const cli = join(folder, "node_modules/.bin/assay-verify");
      const { document, trust } = namedDocument("a prepared buy of TSLAx for 250 dollars");
      const { chain, guard } = JSON.parse(document).report.evidence;
      const trusting = ["--signer", trust.signer!, "--guard", `${chain.chainId}:${guard.address}`];
      const forged = document.replace('"decision":"ALLOW"', '"decision":"DENY"');
      for (const [verdict, ends, text, options] of [
        ["VALID", 0, document, trusting],
        ["INVALID", 1, forged, trusting],
        ["UNVERIFIABLE", 2, document, []],
      ] as const) {
        writeFileSync(join(folder, "report.json"), text);
        const { status, output } = runIn(folder, program, [cli, "report.json", ...options]);
        expect(status, output).to.equal(ends);
        expect(output).to.match(new RegExp(`^${verdict}[.,] `));
      }
      const help = runIn(folder, program, [cli, "--help"]);
      expect(help.output).to.match(/^Usage: assay-verify \[options\] \[report\]\n/);
      expect(help.output).to.not.include("assay verify");
      const misused = runIn(folder, program, [cli, "--nonsense"]);
      expect(misused).to.have.property("status", 2);
      expect(misused.output).to.match(/^assay-verify: unknown option/);
    });
  }

  it("say in one line what they are for, and that their names are placeholders", () => {
    for (const name of NAMES) {
      const text = read(join(folder, "node_modules", name, "README.md"));
      expect(text.startsWith(`# ${name}\n`)).to.equal(true);
      expect(text).to.include("**The name is a placeholder**");
      expect(JSON.parse(read(join(folder, "node_modules", name, "package.json"))).private).to.equal(true);
    }
  });

  it("document every name that they export, and export every name that they document", async () => {
    await packedFiles();
    for (const name of NAMES) {
      const text = read(join(unpackedFolder(name), "README.md"));
      const tables = text.slice(text.indexOf("| export |"));
      const matched = (all: string, pattern: RegExp) => [...all.matchAll(pattern)].map(([, one]) => one!);
      const named = matched(tables, /`([A-Za-z]\w*)(?:\([^`]*\))?`(?=[,.\s|])/g);
      const exported = exportedNames(name);
      expect(exported.length).to.be.greaterThan(4);
      expect(named, `README of ${name}`).to.include.members(exported);
      const cells = matched(tables, /^\| ((?:`[^`]+`(?:, )?)+) \|/gm);
      const firstColumn = cells.flatMap((cell) => matched(cell, /`(\w+)/g));
      expect(exported, `exports of ${name}`).to.include.members(firstColumn);
    }
  });

  it("are small, and name no place of this machine", () => {
    const filesOf = (name: PackageName) =>
      readdirSync(unpackedFolder(name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => read(join(entry.parentPath, entry.name)));
    for (const name of NAMES)
      for (const text of filesOf(name)) expect(text.includes(ROOT), name).to.equal(false);
    const bytes = filesOf("assay-verify").reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).to.be.below(1_500_000);
  });

  it("need nothing of Node in what a browser loads", () => {
    for (const path of ["verify/dist/chunks/summary.js", "client/dist/index.js", "contracts/dist/index.js"]) {
      const text = read(join(folder, "node_modules", `assay-${path}`));
      const outside = /[}\s*]from\s*"[^".][^"]*"|\bimport\s*"[^".]|\brequire\(|\bimport\(/gm;
      expect(text.match(outside), path).to.equal(null);
    }
  });

  for (const [spec, args] of [
    ["bun@1.4.5", ["run"]],
    ["deno@2.9.6", ["run", "--allow-read", "--allow-env", "--no-prompt"]],
  ] as const)
    it(`judge vectors in ${spec}`, function () {
      judges(runtime(this, spec), [...args, "judge.mjs"], ESM, STEP);
    });

  it("judge vectors in a page, without a bundler and without asking anybody", async function () {
    const browser = await sharedBrowser(this);
    const server = await localServer((request, response) => {
      const path = normalize(request.url ?? "/");
      response.setHeader("content-type", path.endsWith(".js") ? "text/javascript" : "text/html");
      response.end(
        path.startsWith("/assay-verify/")
          ? read(join(folder, "node_modules", path))
          : "<!doctype html><link rel=icon href=data:,>",
      );
    });
    try {
      await using context = await browser.newContext();
      const { page, complaints } = await watchedPage(context, server.url);
      await page.goto(server.url);
      const sample = documents.filter((_, index) => index % STEP === 0);
      const verdicts = await page.evaluate(`(async () => {
        const { ${FUNCTIONS} } = await import("/assay-verify/dist/index.js");
        ${READER_OF}
        return ${JSON.stringify(sample)}.map(
          ({ document, trust }) => verifyDocument(document, readerOf(trust)).verdict,
        );
      })()`);
      expect(verdicts).to.deep.equal(sample.map(({ verdict }) => verdict));
      expect(complaints).to.deep.equal([]);
    } finally {
      await server.close();
    }
  });

  it("are refused by npm publish while their names are placeholders", async () => {
    for (const file of Object.values(await packedFiles())) {
      // A registry that is not there: npm never comes to ask it.
      const nowhere = ["--registry=http://127.0.0.1:9/", "--//127.0.0.1:9/:_authToken=none"];
      const { status, output } = npm(folder, "publish", file, ...nowhere, "--fetch-retries=0");
      expect(status, output).to.not.equal(0);
      expect(output).to.include("marked as private");
    }
  });
});
