/** Whether a deployed guard is the source here, against real code on the local chain. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { ContractFactory, concat, dataLength, getCreateAddress, toBeHex } from "ethers";
import { executorOf } from "../../../attestor/evm/address.ts";
import { type Build, type CompiledContract, readBuild } from "../../../scripts/guard/build.ts";
import { compareCode, executorValues, guardValues } from "../../../scripts/guard/verifyBuild.ts";
import { AccessManager__factory } from "../../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { copySolidity } from "../../../workshop/copySolidity.ts";
import { fakeAdmin, typedBy } from "../../support/admin.ts";
import { adminTable, type Row } from "../../support/adminTable.ts";
import { expectSaid } from "../../support/said.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** PUSH2 300 and PUSH2 600: the longest life of a certificate, in seconds. */
const [FIVE_MINUTES, TEN_MINUTES] = ["61012c", "610258"] as const;

/** Runtime code as the constructor leaves it. @param first in the first place of each immutable value, instead of its own */
function filled(
  { deployedBytecode, immutables }: CompiledContract,
  values: Readonly<Record<string, string>>,
  first?: string,
): string {
  let code = deployedBytecode;
  for (const { name, ranges } of immutables)
    for (const [index, { start, length }] of ranges.entries()) {
      const value = (index === 0 ? first : undefined) ?? values[name]!.slice(2);
      code = code.slice(0, 2 + start * 2) + value + code.slice(2 + (start + length) * 2);
    }
  return code;
}

const YES =
  /YES: the code of guard, manager and executor is this source\. For their storage, .* see assay guard status\.$/;
const ROWS: readonly Row[] = [
  {
    name: "says yes to the guard of the records, and names each immutable",
    types: "guard verify-build",
    says: [
      "Guard     $GUARD",
      "Executor  $EXECUTOR",
      "    _cachedChainId: 0x",
      "    EXECUTOR: 0x",
      /^ {4}GUARD: 0x0{24}/m,
      YES,
    ],
    after: (_, said) => {
      expect(said.match(/ {4}code: the same/g)).to.have.length(3);
      expect(said.match(/ {4}metadata .*: the same/g)).to.have.length(3);
    },
  },
  {
    name: "says no to another contract, which names no executor",
    types: "guard verify-build --guard $USDL",
    code: 1,
    says: ["Executor  the guard names none"],
  },
  {
    name: "says that there is no code at an address",
    types: "guard verify-build --guard $NOBODY",
    code: 1,
    says: ["There is no code at $NOBODY on chain 31337."],
  },
];

describe("guard verify-build", function () {
  this.timeout(300_000);
  const chain = testWorld();
  adminTable(chain, ROWS);
  const admin = ofSuite(() => fakeAdmin(chain));
  let compiled: Build;
  before(async () => {
    compiled = await readBuild(ROOT);
  });

  const verify = (guard: string, options = "") =>
    typedBy(admin, `guard verify-build --guard ${guard} ${options}`);

  /** Deploys a guard from creation code. */
  async function deploy(creation: string): Promise<string> {
    const wallet = walletOf(chain, 7);
    const factory = new ContractFactory(TradeGuard__factory.abi, creation, wallet);
    const manager = await new AccessManager__factory(wallet).deploy(wallet.address);
    await manager.waitForDeployment();
    const guard = await factory.deploy(await manager.getAddress(), chain.accounts.attestation.address);
    await guard.waitForDeployment();
    return await guard.getAddress();
  }

  /** Puts any code at the next address of the wallet, which the code may depend on. */
  async function place(codeAt: (address: string) => string): Promise<string> {
    const wallet = walletOf(chain, 7);
    const nonce = await chain.provider.getTransactionCount(wallet.address);
    const address = getCreateAddress({ from: wallet.address, nonce });
    const code = codeAt(address);
    // PUSH2 length, DUP1, PUSH1 10, PUSH0, CODECOPY, PUSH0, RETURN: the code follows.
    const copier = `0x61${toBeHex(dataLength(code), 2).slice(2)}80600a5f395ff3`;
    const data = concat([copier, code]);
    expect(dataLength(copier)).to.equal(10);
    await (await wallet.sendTransaction({ data })).wait();
    expect(await chain.provider.getCode(address)).to.equal(code);
    return address;
  }

  /** A guard's runtime code as the constructor leaves it. */
  const guardCode = (address: string, changed: Record<string, string> = {}) =>
    filled(compiled.guard, { ...guardValues(address, 31337), ...changed });

  it("needs no record for a guard that is named, and prints the same as JSON", async () => {
    const guard = await deploy(compiled.guard.bytecode);
    const text = expectSaid(await verify(guard, "--json"), 0);
    const found = JSON.parse(text);
    expect(found).to.deep.include({ chainId: 31337, matches: true });
    expect(found.guard).to.deep.include({ address: guard, code: "same", metadata: "same", matches: true });
    expect(found.guard.immutables.map(({ name }: { name: string }) => name)).to.include.members([
      "EXECUTOR",
      "_cachedChainId",
      "_cachedDomainSeparator",
      "_cachedThis",
    ]);
    expect(found.executor).to.deep.include({ address: executorOf(guard), code: "same", matches: true });
  });

  it("says no to a guard with another constant, and that its executor is the same", async () => {
    expect(compiled.guard.bytecode).to.contain(FIVE_MINUTES);
    const guard = await deploy(compiled.guard.bytecode.replaceAll(FIVE_MINUTES, TEN_MINUTES));
    expectSaid(
      await verify(guard),
      1,
      /Guard .*\n {4}code: DIFFERS\n {4}metadata .*: the same\n(?: {4}.*\n)*Manager .*\n {4}code: the same\n(?: {4}.*\n)*Executor .*\n {4}code: the same/,
      /NO: this is not the source of what is deployed there\.$/,
    );
  });

  it("says no to a guard whose executor is not the one that its constructor creates", async () => {
    const other = `0x${"00".repeat(12)}${chain.accounts.users[1]!.address.slice(2).toLowerCase()}`;
    const guard = await place((address) => guardCode(address, { EXECUTOR: other }));
    expectSaid(await verify(guard), 1, "Executor  ", "    no code", `    EXECUTOR: ${other}, NOT 0x`);
  });

  it("says no to a changed immutable value, and names it alone", async () => {
    expect((await verify(await place((address) => guardCode(address)))).text).to.contain(
      "    code: the same",
    );
    const other = `0x${"00".repeat(31)}01`;
    const guard = await place((address) => guardCode(address, { _cachedChainId: other }));
    const text = expectSaid(await verify(guard, "--json"), 1);
    const { guard: found } = JSON.parse(text);
    expect(found).to.include({ code: "same", metadata: "same", matches: false });
    const wrong = found.immutables.filter(({ matches }: { matches: boolean }) => !matches);
    const expected = `0x${(31337).toString(16).padStart(64, "0")}`;
    expect(wrong).to.deep.equal([{ name: "_cachedChainId", value: other, expected, matches: false }]);
    expect((await verify(guard)).text).to.contain(`    _cachedChainId: ${other}, NOT 0x`);
  });

  it("says no where the same value stands otherwise in one of several places", () => {
    const { executor } = compiled;
    const values = executorValues(chain.deployment.guard);
    const code = filled(executor, values, "11".repeat(32));
    const found = compareCode(executor, "0x", code, values);
    expect(found.matches).to.equal(false);
    expect(found.immutables.filter(({ matches }) => !matches).map(({ value }) => value)).to.deep.equal([
      null,
    ]);
  });

  it("says no to another text of the sources, where the code is the same", () => {
    const { executor } = compiled;
    const values = executorValues(chain.deployment.guard);
    const code = filled(executor, values);
    const hash = /a2646970667358221220([0-9a-f]{64})/.exec(code)![1]!;
    expect(compareCode(executor, "0x", code, values).matches).to.equal(true);
    const found = compareCode(executor, "0x", code.replace(hash, "ab".repeat(32)), values);
    expect(found).to.include({ code: "same", metadata: "differs", matches: false });
    const without = compareCode(executor, "0x", code.slice(0, -106), values);
    expect(without).to.include({ code: "same", metadata: "none", matches: false });
  });

  it("finds the same code in a build in another folder: the same source gives the same guard", async () => {
    const folder = copySolidity("assay-same");
    try {
      const files = ["contracts/TradeGuard.sol", "contracts/RouteExecutor.sol"];
      const build = spawn("node_modules/.bin/hardhat", ["build", "--no-tests", "--quiet", ...files], {
        cwd: folder,
        stdio: "ignore",
      });
      expect((await once(build, "exit"))[0]).to.equal(0);
      for (const [name, here] of [
        ["TradeGuard", compiled.guard],
        ["RouteExecutor", compiled.executor],
      ] as const) {
        const path = join(folder, "artifacts/contracts", `${name}.sol/${name}.json`);
        const there = JSON.parse(await readFile(path, "utf8"));
        expect(there.bytecode, name).to.equal(here.bytecode);
        expect(there.deployedBytecode, name).to.equal(here.deployedBytecode);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
