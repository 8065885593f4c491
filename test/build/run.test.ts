/** How every npm script starts, tried in a small checkout of its own: a folder with spaces and accents in its name. */
import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { ROOT } from "../../build/buildOnce.ts";
import { PROGRAMS } from "../../build/node.mjs";
import { runtime } from "../support/packages.ts";
import { until } from "../support/until.ts";

/** The packages of this checkout; none is of a registry. */
const LOCK = {
  name: "small",
  lockfileVersion: 3,
  requires: true,
  packages: {
    "": {
      name: "small",
      dependencies: { service: "file:service" },
      devDependencies: { local: "file:local" },
    },
    "node_modules/service": { resolved: "service", link: true },
    "node_modules/local": { resolved: "local", link: true },
    service: { version: "1.0.0" },
    local: { version: "1.0.0", dev: true },
  },
};

/** Says how it was started, and with "wait" stays until a signal. */
const SCRIPT = `
const { argv, execArgv, env } = process;
if (argv[2] === "wait") {
  setInterval(() => {}, 1000);
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => { console.log("got " + signal); process.exit(3); });
}
console.log(JSON.stringify({ args: argv.slice(2), flags: execArgv, arenas: env.MALLOC_ARENA_MAX ?? null, node: process.version }));
if (argv[2] === "fail") process.exit(7);
if (argv[2] === "read") process.stdin.pipe(process.stdout);
`;

describe("an npm script", function () {
  this.timeout(60_000);
  let root: string;
  before(async () => {
    root = join(await mkdtemp(join(tmpdir(), "assay run-")), "eigenständig, à côté");
    await mkdir(root);
    await chmod(dirname(root), 0o755);
    for (const name of ["failures", "install", "node", "npm", "programs", "run", "sources", "steps"])
      await cp(join(ROOT, `build/${name}.mjs`), join(root, `build/${name}.mjs`));
    await cp(join(ROOT, ".node-version"), join(root, ".node-version"));
    for (const built of ["contracts/compiled", "web/dist"]) {
      await mkdir(join(root, built), { recursive: true });
      await writeFile(join(root, built, "build.json"), JSON.stringify({ sources: {} }));
    }
    for (const name of ["service", "local"]) {
      await mkdir(join(root, name));
      await writeFile(join(root, name, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
    }
    const { lockfileVersion: _, requires: __, packages, ...rest } = LOCK;
    const flags = "MALLOC_ARENA_MAX=1 --max-semi-space-size=8";
    const scripts = { say: "node build/run.mjs say.mjs", api: `node build/run.mjs ${flags} say.mjs` };
    await writeFile(join(root, "package.json"), JSON.stringify({ ...rest, ...packages[""], scripts }));
    await writeFile(join(root, "package-lock.json"), JSON.stringify(LOCK));
    await writeFile(join(root, "say.mjs"), SCRIPT);
  });
  after(() => rm(dirname(root), { recursive: true, force: true }));

  /** What npm tells a script of this project is nothing to another's. */
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const withNode = { ...clean, PATH: [dirname(process.execPath), clean.PATH].join(delimiter) };

  function begin(program: string, args: readonly string[], options: SpawnOptions = {}) {
    const child = spawn(program, args, { cwd: root, env: withNode, ...options });
    let output = "";
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
    return { child, ended, output: () => output };
  }
  async function say(program: string, args: readonly string[], options: SpawnOptions = {}) {
    const { child, ended, output } = begin(program, args, options);
    child.stdin?.end("from standard input");
    return { code: await ended, output: output() };
  }
  const started = (output: string) => JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? "null");

  it("installs what a start needs, also where the environment omits what is for development", async () => {
    const env = { ...withNode, NODE_ENV: "production", npm_config_omit: "dev" };
    const { code, output } = await say("npm", ["run", "say"], { env });
    expect(code, output).to.equal(0);
    expect(output).to.match(/^Installing packages: done after \d+ s$/m);
    for (const name of ["service", "local"])
      expect(
        JSON.parse(await readFile(join(root, "node_modules", name, "package.json"), "utf8")).name,
      ).to.equal(name);
  });

  it("passes arguments, Node's flags and variables on, and installs nothing twice", async () => {
    const { code, output } = await say("npm", ["run", "api", "--", "--paid", "a b", "ä'\"$HOME"]);
    expect(code, output).to.equal(0);
    expect(output).to.not.contain("Installing");
    expect(started(output)).to.deep.equal({
      args: ["--paid", "a b", "ä'\"$HOME"],
      flags: ["--max-semi-space-size=8"],
      arenas: "1",
      node: process.version,
    });
  });

  it("passes standard input and the exit code on", async () => {
    expect((await say("npm", ["run", "say", "read"])).output).to.contain("from standard input");
    expect((await say("npm", ["run", "say", "fail"])).code).to.equal(7);
  });

  it("ends at a SIGTERM to npm, which tells only the shell between them", async () => {
    const { child, ended, output } = begin("npm", ["run", "say", "wait"]);
    await until("the script", () => started(output()) !== null);
    child.kill("SIGTERM");
    await ended;
    await until("the end of the script", () => /got SIG/.test(output()));
    expect(output().match(/got \w+/g)).to.deep.equal(["got SIGTERM"]);
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const)
    it(`has ${signal}, and its exit code is passed on`, async () => {
      const { child, ended, output } = begin(process.execPath, ["build/run.mjs", "say.mjs", "wait"]);
      await until("the script", () => started(output()) !== null);
      child.kill(signal);
      expect(await ended, output()).to.equal(3);
      expect(output().match(/got \w+/g)).to.deep.equal([`got ${signal}`]);
    });

  it("keeps a link to its Node.js where service files look for one", async () => {
    expect(await readlink(join(root, ".node/bin/node"))).to.equal(process.execPath);
  });

  it("finds a new Node.js on PATH where it is started by an old one", async function () {
    const old = runtime(this, "node@20.9.0");
    await rm(join(root, ".node"), { recursive: true });
    const { code, output } = await say(old, ["build/run.mjs", "say.mjs"]);
    expect(code, output).to.equal(0);
    expect(started(output).node).to.equal(process.version);
  });

  it("finds the one that an earlier start linked to, where nothing else is new enough", async function () {
    const old = runtime(this, "node@20.9.0");
    const { code, output } = await say(old, ["build/run.mjs", "say.mjs"], { env: { PATH: dirname(old) } });
    expect(code, output).to.equal(0);
    expect(started(output).node).to.equal(process.version);
  });

  it("says that it cannot fetch one where the registry is not there, and what to do", async function () {
    const old = runtime(this, "node@20.9.0");
    await rm(join(root, ".node"), { recursive: true });
    await writeFile(
      join(root, "npm-cli.js"),
      'console.error("npm error code ECONNREFUSED"); process.exit(1);',
    );
    const env = { PATH: dirname(old), HOME: root, npm_execpath: join(root, "npm-cli.js") };
    const { code, output } = await say(old, ["build/run.mjs", "say.mjs"], { env });
    expect(code, output).to.equal(1);
    expect(output).to.match(
      /^Fetching Node.js 24\.\d+\.\d+ into .node, because this machine has 20\.9\.0…$/m,
    );
    expect(output).to.contain("The package registry cannot be reached");
    expect(output).to.match(/Or install Node\.js 24 yourself\.$/m);
  });

  it("runs no Node.js from the registry that is another than the published one", async function () {
    if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) return this.skip();
    const old = runtime(this, "node@20.9.0");
    const ran = join(root, "the forged program ran");
    await rm(join(root, ".node"), { recursive: true, force: true });
    await writeFile(
      join(root, "npm-cli.js"),
      `const { mkdirSync, writeFileSync } = require("node:fs");
      const prefix = process.argv[process.argv.indexOf("--prefix") + 1];
      const bin = prefix + "/node_modules/node-linux-${process.arch}/bin";
      mkdirSync(bin, { recursive: true });
      const program = "#!/bin/sh\\ntouch '${ran}'\\necho $(cat '${root}/.node-version')\\n";
      writeFileSync(bin + "/node", program, { mode: 0o755 });`,
    );
    const env = { PATH: dirname(old), HOME: root, npm_execpath: join(root, "npm-cli.js") };
    const { code, output } = await say(old, ["build/run.mjs", "say.mjs"], { env });
    expect(code, output).to.equal(1);
    expect(output).to.match(/EINTEGRITY: node-linux-\w+ holds a program with the SHA-256 [0-9a-f]{64}/);
    expect(existsSync(ran)).to.equal(false);
    const wanted = (await readFile(join(root, ".node-version"), "utf8")).trim();
    expect(existsSync(join(root, ".node", wanted))).to.equal(false);
  });

  it("knows the published programs by whole SHA-256 hashes", () => {
    for (const [name, published] of Object.entries(PROGRAMS))
      expect(published, name).to.match(/^[0-9a-f]{64}$/);
  });

  it("says whose permission is missing where its folder belongs to somebody else", async function () {
    if (process.getuid?.() !== 0) return this.skip();
    await rm(join(root, "node_modules"), { recursive: true });
    const { code, output } = await say(process.execPath, ["build/run.mjs", "say.mjs"], { uid: 65_534 });
    expect(code, output).to.equal(1);
    expect(output).to.match(/^There is no permission to write: \w+ must be able to write into .*à côté/);
  });
});
