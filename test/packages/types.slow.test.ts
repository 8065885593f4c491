/** The declarations of the npm packages: they resolve in every way, strictly, and say what the source's types say. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { ROOT } from "../../build/buildOnce.ts";
import { installed } from "../support/packages.ts";

const USE = `
const reader: Reader = { guard: guardNamed("56:0x0000000000000000000000000000000000000001") };
const seen: Verification = verifyDocument("{}", reader);
const verdict: "VALID" | "INVALID" | "UNVERIFIABLE" = seen.verdict;
const hash: string | undefined = seen.report?.evidenceHash;
const outcome: "ok" | "wrong" | "unknown" | "not asked" | undefined = seen.steps[0]?.outcome;
const line: string | undefined = summaryOf(seen, { now: 0 })[0]?.text;
export async function use(client: Client): Promise<string | null> {
  const job = await client.createJob({ clientRequestId: "a", ownerAddress: "0x", inputAssetKey: "a", outputAssetKey: "b",
    amountInRaw: "1", policyId: "STRICT_LIVE", maxSlippageBps: 50 });
  const prepared = await client.prepare(job.jobId);
  const amount: string | undefined = prepared.execution?.approval.amount;
  // @ts-expect-error a job has a body
  await client.createJob({});
  // @ts-expect-error there is no such member
  prepared.report.nonsense;
  const { assets } = await client.data.assets();
  const grade: "A" | "B" | "C" | "D" | null | undefined = assets[0]?.grade;
  const { report } = await client.verify({ ownerAddress: "0x", inputAssetKey: "a", outputAssetKey: "b", amountInRaw: "1" });
  const decision: "ALLOW" | "DENY" = report.decision;
  return \`\${verdict} \${outcome} \${line} \${hash} \${amount} \${grade} \${decision} \${tradeGuardAbi[0].type}\`;
}
`;
const MODULE = `import { type Client } from "assay-client";
import { tradeGuardAbi } from "assay-contracts";
import { guardNamed, type Reader, summaryOf, type Verification, verifyDocument } from "assay-verify";
${USE}`;
const REQUIRED = `import client = require("assay-client");
import contracts = require("assay-contracts");
import verifier = require("assay-verify");
type Client = client.Client;
type Verification = verifier.Verification;
type Reader = verifier.Reader;
const { tradeGuardAbi } = contracts;
const { guardNamed, summaryOf, verifyDocument } = verifier;
${USE}`;

const SAME = `type Both<A, B> = 0 extends 1 & A ? "any" : [A] extends [B] ? ([B] extends [A] ? true : "less") : "other";
const same = <T extends true>() => {};
`;

describe("the declarations of the npm packages", function () {
  this.timeout(600_000);

  let folder: string;
  before(async () => {
    folder = await installed("assay-client", "assay-verify", "assay-contracts");
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function compiles(files: Record<string, string>, options: object): void {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const compilerOptions = { noEmit: true, strict: true, types: [], ...options };
    const config = JSON.stringify({ compilerOptions, files: Object.keys(files) });
    writeFileSync(join(folder, "tsconfig.json"), config);
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const { status, stdout } = spawnSync(tsc, ["-p", folder], { encoding: "utf8" });
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: "" });
  }
  const STRICT = { skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };

  // What resolves so resolves by nodenext, which takes more.
  it("resolve for moduleResolution node16, from ES modules and from CommonJS, with libraries checked", () => {
    const files = { "use.mts": MODULE, "use.cts": REQUIRED };
    compiles(files, { ...STRICT, module: "node16", moduleResolution: "node16" });
  });

  it("resolve for moduleResolution bundler, with libraries checked", () => {
    compiles({ "use.ts": MODULE }, { ...STRICT, module: "preserve", moduleResolution: "bundler" });
  });

  it("say what the types of the source say, although they name no schema library", () => {
    const source = (path: string) => JSON.stringify(join(ROOT, path));
    const same = (names: string, one: (name: string) => string, other: (name: string) => string) =>
      names
        .split(" ")
        .map((name) => `same<Both<${one(name)}, ${other(name)}>>();`)
        .join("\n");
    const of = (module: string) => (name: string) => `${module}.${name}`;
    const given = (module: string) => (name: string) => `Parameters<${module}.Client["${name}"]>`;
    const verified =
      "Report Policy Registry PublisherKeys Verification Reader Reservation SummaryLine Fact Header KnownGuard";
    const traded =
      "AskedTrade Bought BoughtReport Client PaymentChallenge PaymentRequirements PreparedExecution Receipt VerifiedReport";
    const text = `${SAME}import type * as packedVerifier from ${source("cache/packages/packages/assay-verify/dist/index.d.ts")};
import type * as packedClient from ${source("cache/packages/packages/assay-client/dist/index.d.ts")};
import type * as verifier from ${source("packages/verify/index.ts")};
import type * as client from ${source("packages/client/index.ts")};
${same(verified, of("packedVerifier"), of("verifier"))}
${same(traded, of("packedClient"), of("client"))}
${same("createJob prepare verify applyForKey", given("packedClient"), given("client"))}
// @ts-expect-error what differs is seen
same<Both<packedVerifier.Report, verifier.Policy>>();
`;
    const node = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
    const asTheSource = { target: "es2024", allowImportingTsExtensions: true, skipLibCheck: true };
    compiles({ "same.ts": text }, { module: "nodenext", ...asTheSource, ...node });
  });

  it("make viem and ethers know the guard's functions, arguments and results", () => {
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    for (const library of ["viem", "ethers"])
      symlinkSync(join(ROOT, "node_modules", library), join(folder, "node_modules", library));
    const text = `import { deployments, guardDomain, tradeGuardAbi, tradeIntentTypes } from "assay-contracts";
import { Contract, Interface } from "ethers";
import type { PublicClient, WalletClient } from "viem";
export async function use(client: PublicClient, wallet: WalletClient, address: \`0x\${string}\`) {
  const paused: boolean = await client.readContract({ address, abi: tradeGuardAbi, functionName: "paused" });
  // @ts-expect-error it has no such function
  await client.readContract({ address, abi: tradeGuardAbi, functionName: "nonsense" });
  const [account] = await wallet.getAddresses();
  await wallet.signTypedData({ account: account!, domain: guardDomain(56, address), types: tradeIntentTypes,
    primaryType: "TradeIntent", message: { owner: address, recipient: address, inputToken: address, outputToken: address,
      amountIn: 1n, minAmountOut: 1n, route: address, callDataHash: "0x", policyHash: "0x", nonce: 1n, deadline: 1n } });
  return [paused, new Contract(address, tradeGuardAbi), new Interface(tradeGuardAbi), deployments[56]?.guard];
}
`;
    compiles({ "libraries.mts": text }, { module: "nodenext", target: "es2022", skipLibCheck: true });
  });
});
