import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { executorOf } from "../../../attestor/evm/address.ts";
import { parsePolicies, policyById } from "../../../attestor/policies/policy.ts";
import { STEP_NAMES } from "../../../attestor/verify/verification.ts";
import { verifyCommand } from "../../../scripts/verify/verify.ts";
import {
  addressFor,
  CHAIN_ID,
  GUARD,
  judgement,
  NOW,
  prepared,
  REGISTRY,
  reportOn,
  SIGNER,
  soundReport,
} from "../../attestor/fixtures.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { assay, type Ran, realAssay } from "../../support/programs.ts";
import { testFolder } from "../../support/suite.ts";
import { typed } from "../../support/typed.ts";

const NAMED = ["--guard", `${CHAIN_ID}:${GUARD}`];
const SIGNED = ["--signer", SIGNER.address];
const firstOf = ({ out }: Ran) => out.split("\n", 1)[0] ?? "";
const verdictOf = (ran: Ran) => /^[A-Z]+/.exec(firstOf(ran))?.[0];
const copy = <T>(value: T): any => JSON.parse(JSON.stringify(value));

const nowhere = () => {
  throw new Error("nobody is asked");
};
const KNOWING_NONE = verifyCommand("", () => ({
  connect: nowhere,
  installed: async () => [],
  openService: nowhere,
  openLog: nowhere,
}));

describe("assay verify", () => {
  const folder = testFolder("verify");

  async function saved(value: unknown, name = "report.json"): Promise<string> {
    const path = join(folder, name);
    await writeFile(
      path,
      typeof value === "string" || value instanceof Uint8Array ? value : JSON.stringify(value),
    );
    return path;
  }

  /** What is printed of a sound trade, by a clock and on a terminal of the test's own. */
  async function printed(args: string[], { now = NOW, columns = null as number | null } = {}) {
    const { world, shown } = fakeConsole([], { "-": JSON.stringify(await prepared(soundReport())) }, columns);
    const code = await typed(KNOWING_NONE, ["-", ...args], { ...world, now: () => now * 1000 });
    return { code, lines: shown };
  }

  it("says the verdict and the trade in the first line, then what it rests on, and leaves with 0", async () => {
    const { code, lines } = await printed(SIGNED);
    const [first, ...rest] = lines;
    expect(code).to.equal(0);
    expect(first).to.match(
      /^VALID\. Buy at least 3\.\d+ ACMEx, a token of the stock ACME, for 1,000 USDT6\. The policy STRICT_LIVE allows it; it can be executed until 2026-09-21 \d\d:\d\d:\d\d UTC\.$/,
    );
    for (const line of rest) expect(line).to.match(/^ {2}.{9} {2}\S/);
    const labels = rest.map((line) => line.slice(2, 11).trim()).filter((label) => label !== "");
    expect(labels).to.deep.equal(["Owner", "Policy", "Price", "Issued", "Signed", "On trust", "Unchecked"]);
    expect(rest.length).to.be.at.most(14);
    expect(new Set(rest).size).to.equal(rest.length);
  });

  it("says EXPIRED, and until when it could be executed", async () => {
    const { code, lines } = await printed(SIGNED, { now: NOW + 10_000 });
    expect(code).to.equal(0);
    expect(lines[0]).to.match(/^VALID, EXPIRED\. .* it could be executed until /);
  });

  it("breaks its lines for a terminal, and begins them where the first of a text begins", async () => {
    const { lines: whole } = await printed([]);
    const { lines: broken } = await printed([], { columns: 90 });
    for (const line of broken) expect(line.length, line).to.be.at.most(90);
    expect(broken.length).to.be.greaterThan(whole.length);
    const words = (lines: readonly string[]) => lines.join(" ").split(/\s+/);
    expect(words(broken)).to.deep.equal(words(whole));
    const rows = broken.slice(broken.findIndex((line) => line.startsWith("  ")));
    for (const row of rows) expect(row).to.match(/^ {2}(\w.{8}| {9}) {2}\S/);
  });

  it("adds each step and each fact with --verbose", async () => {
    const ran = await assay(
      ["verify", "-", "--verbose", ...SIGNED],
      JSON.stringify(await prepared(soundReport())),
    );
    const [, steps = "", facts = ""] = ran.out.trimEnd().split("\n\n");
    const names = steps.split("\n").map((line) => line.slice(13, 24).trim());
    expect(names).to.deep.equal(STEP_NAMES);
    expect(steps)
      .to.match(/^ {2}ok +document /m)
      .and.match(/^ {2}not asked +chain /m);
    for (const line of facts.split("\n"))
      expect(line).to.match(/^ {2}(signed|observed|stated) +"[a-z].*", by "\S/);
  });

  it("reads the report from standard input for -", async () => {
    const ran = await assay(["verify", "-", ...SIGNED], JSON.stringify(await prepared(soundReport())));
    expect([ran.code, verdictOf(ran)]).to.deep.equal([0, "VALID"]);
  });

  it("says first what is missing, and leaves with 2: a signature, or a reason to trust it", async () => {
    for (const flags of [[], SIGNED, NAMED]) {
      const ran = await assay(["verify", "-", ...flags], JSON.stringify(soundReport()));
      expect([ran.code, ran.err]).to.deep.equal([2, ""]);
      expect(firstOf(ran)).to.match(/^UNVERIFIABLE\. It is consistent, but nobody signed it/);
    }
    const { code, lines } = await printed([]);
    expect(code).to.equal(2);
    expect(lines[0]).to.match(/^UNVERIFIABLE\. .*--guard <chainId>:<address>.*--signer 0x…/);
    expect(lines[1]).to.match(/^ {2}It says +Buy at least /);
  });

  it("takes the key of a named guard from the local world in DATA_DIR, and never from the working directory", async () => {
    const world = await mkdtemp(join(tmpdir(), "assay-world-"));
    const deployment = {
      chainId: CHAIN_ID,
      source: "simulated",
      guard: GUARD,
      executor: executorOf(GUARD),
      signer: SIGNER.address,
      deployedAtBlock: 1,
      registry: REGISTRY,
    };
    // Where a forger would put it: beside the report, in the folder that the verifier is started in.
    for (const path of ["chain", "data/chain", "deployments"]) {
      await mkdir(join(world, path), { recursive: true });
      await writeFile(join(world, path, "deployment.json"), JSON.stringify(deployment));
      await writeFile(join(world, path, `${CHAIN_ID}.json`), JSON.stringify(deployment));
    }
    const path = await saved(await prepared(soundReport()));
    const run = (DATA_DIR: string, flags: string[]) =>
      realAssay(["verify", path, ...flags], "", () => {}, { cwd: world, env: { ...process.env, DATA_DIR } });
    for (const flags of [[], NAMED]) {
      const trusting = await run(world, flags);
      expect([trusting.code, verdictOf(trusting)], trusting.out).to.deep.equal([0, "VALID"]);
      const other = await run("", flags);
      expect([other.code, verdictOf(other)], other.out).to.deep.equal([2, "UNVERIFIABLE"]);
    }
    await rm(world, { recursive: true });
  });

  it("is INVALID for a document of another guard than the named one", async () => {
    const path = await saved(await prepared(soundReport()));
    for (const guard of [`1:${GUARD}`, `${CHAIN_ID}:${addressFor("another guard")}`]) {
      const ran = await assay(["verify", path, "--guard", guard, ...SIGNED]);
      expect(ran.code).to.equal(1);
      // Of such a document nothing is told but what is wrong with it.
      expect(ran.out).to.match(/^INVALID\. Do not act on this document\. It is about the guard 0x.*\n$/);
    }
  });

  it("says INVALID and leaves with 1 when one byte of the evidence is changed", async () => {
    const text = JSON.stringify(soundReport()).replace('"halted":false', '"halted":true');
    const ran = await assay(["verify", await saved(text)]);
    expect([ran.code, verdictOf(ran), ran.err]).to.deep.equal([1, "INVALID", ""]);
    expect(firstOf(ran)).to.match(/^INVALID\. Do not act on this document\. The evidence hashes to 0x/);
  });

  it("says UNVERIFIABLE and leaves with 2 for what is no report, and never shows a stack", async () => {
    const odd: [string, unknown][] = [
      ["empty", ""],
      ["no JSON", "<html>not found</html>"],
      ["another document", { status: 404, title: "Not Found" }],
      ["half a report", JSON.stringify(soundReport()).slice(0, 900)],
      ["bytes", new Uint8Array([0xff, 0xfe, 0x00, 0xd8, 0x80])],
      ["deep", "[".repeat(500_000)],
      ["deep and closed", `${"[".repeat(500_000)}${"]".repeat(500_000)}`],
      ["deep members", `{"evidence":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)},"evidenceHash":"0x"}`],
      ["a member twice", JSON.stringify(soundReport()).replace("{", '{"decision":"DENY",')],
      ["huge", `"${"x".repeat(5 * 1024 * 1024)}"`],
    ];
    for (const [name, content] of odd) {
      const ran = await assay(["verify", await saved(content)]);
      expect([ran.code, verdictOf(ran), ran.err], name).to.deep.equal([2, "UNVERIFIABLE", ""]);
      expect(ran.out, name).to.not.match(/\n\s+at /);
    }
  }).timeout(120_000);

  it("takes publishers' keys from a file, and says what is wrong with one that it cannot use", async () => {
    const path = await saved(await prepared(soundReport()));
    const run = async (sets: unknown) =>
      assay(["verify", path, ...SIGNED, "--guardian-sets", await saved(sets, "sets.json")]);
    const set = { index: 8, validFrom: 1_800_000_000, validUntil: null, signers: [addressFor("a router")] };
    const sound = await run({ signerSets: [set] });
    expect([sound.code, verdictOf(sound)]).to.deep.equal([0, "VALID"]);
    const wrong = await run({ signerSets: [{ ...set, index: 1 }] });
    expect([wrong.code, wrong.out]).to.deep.equal([2, ""]);
    expect(wrong.err).to.match(/sets\.json: router set 1 is known here with other keys/);
  });

  it("does not guess at what bytes that are no text could mean", async () => {
    const text = Buffer.from(JSON.stringify({ ...soundReport(), note: "?" }));
    text[text.lastIndexOf("?")] = 0xff;
    const ran = await assay(["verify", await saved(text)]);
    expect([ran.code, verdictOf(ran)]).to.deep.equal([2, "UNVERIFIABLE"]);
    expect(ran.out).to.contain("it is not UTF-8 text");
  });

  it("says what is wrong with the file", async () => {
    const missing = await assay(["verify", join(folder, "missing.json")]);
    expect([missing.code, verdictOf(missing)]).to.deep.equal([2, "UNVERIFIABLE"]);
    expect(missing.out).to.contain("the file or folder does not exist");
    expect((await assay(["verify", folder])).out).to.contain("it is a folder");
  });

  it("does not let a document talk to the terminal", async () => {
    const report = { ...soundReport(), evidenceHash: "\u001b[2J\u001b]0;owned\u0007\u202e\nVALID" };
    const ran = await assay(["verify", await saved(report)]);
    expect([ran.code, verdictOf(ran)]).to.deep.equal([1, "INVALID"]);
    for (const character of ["\u001b", "\u0007", "\u202e"]) expect(ran.out).to.not.contain(character);
    expect(ran.out.match(/^VALID/m)).to.equal(null);
  });

  it("prints the verification as JSON when asked", async () => {
    const report = soundReport();
    const lifetime = policyById("STRICT_LIVE").definition.certificateLifetimeSeconds;
    const ran = await assay(["verify", "--json", ...SIGNED, await saved(await prepared(report))]);
    const { steps, facts, reservations, conclusion, ...rest } = JSON.parse(ran.out);
    expect(facts[0]).to.deep.include({ name: "block number and time", kind: "observed" });
    expect(conclusion).to.match(/^VALID.*\. Buy /);
    expect(rest).to.deep.equal({
      verdict: "VALID",
      jobId: "job_9f2c",
      version: 2,
      decision: "ALLOW",
      evidenceHash: report.evidenceHash,
      issuedBy: { code: "issued_by_trusted_key", params: { signer: SIGNER.address } },
      logged: null,
      executableUntil: report.evidence.chain.blockTimestamp + lifetime,
      executed: null,
    });
    expect(steps.map(({ name }: { name: string }) => name)).to.deep.equal(STEP_NAMES);
    expect(steps[0]).to.deep.equal({ name: "document", outcome: "ok", faults: [] });
    expect(reservations[0]).to.have.keys("step", "kind", "code", "params", "flag");
    const none = await assay(["verify", "--json", "-"], "nothing");
    expect(JSON.parse(none.out)).to.deep.include({ verdict: "UNVERIFIABLE", evidenceHash: null });
    expect(none.code).to.equal(2);
  });

  for (const [name, flags, verdict, files] of [
    ["the key that signed it", ["--signer", SIGNER.address.toLowerCase()], "VALID"],
    ["another key", ["--signer", addressFor("mine")], "INVALID"],
    ["its registry", [...SIGNED, "--registry", "registry.json"], "VALID", REGISTRY],
    [
      "a deployment file",
      [...SIGNED, "--registry", "registry.json"],
      "VALID",
      { chainId: CHAIN_ID, registry: REGISTRY },
    ],
    [
      "another registry",
      [...SIGNED, "--registry", "registry.json"],
      "INVALID",
      { ...REGISTRY, version: "another" },
    ],
  ] as const)
    it(`is ${verdict} for who has ${name}`, async () => {
      await saved(files ?? {}, "registry.json");
      const path = await saved(await prepared(soundReport()));
      const at = flags.map((flag) => (flag === "registry.json" ? join(folder, flag) : flag));
      const ran = await assay(["verify", path, ...at]);
      expect([verdictOf(ran), ran.code], ran.out).to.deep.equal([verdict, verdict === "VALID" ? 0 : 1]);
    });

  it("judges by more policies from a file", async () => {
    const definition = { ...copy(policyById("STRICT_LIVE").definition), policyId: "MINE" };
    const policy = parsePolicies([definition])[0]!;
    const path = await saved(await prepared(reportOn(judgement({ policy })), policy));
    expect(verdictOf(await assay(["verify", path, ...SIGNED]))).to.equal("UNVERIFIABLE");
    const policies = await saved({ policies: [{ definition }] }, "policies.json");
    const ran = await assay(["verify", path, ...SIGNED, "--policies", policies]);
    expect(verdictOf(ran)).to.equal("VALID");
    expect(ran.out).to.match(/^ {2}Policy +MINE version 3, as you defined it; judged at /m);
  });

  it("says what is wrong with a registry or policies file", async () => {
    const report = await saved(soundReport());
    const broken = await saved("{", "broken.json");
    const empty = await saved({}, "empty.json");
    for (const option of ["--registry", "--policies"])
      for (const file of [broken, empty, join(folder, "missing.json")]) {
        const ran = await assay(["verify", report, option, file]);
        expect([ran.code, ran.out], `${option} ${file}`).to.deep.equal([2, ""]);
        expect(ran.err)
          .to.match(/^assay verify: \/.+json/)
          .and.not.match(/\n\s+at /);
      }
  }).timeout(120_000);
});
