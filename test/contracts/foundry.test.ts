import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { paths, settings, solidity, solidityTests } from "../../build/solidity.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("what auditors find who bring their own tools", () => {
  it("foundry.toml names the folders that there are and compiles as the build does", () => {
    const lines = readFileSync(join(ROOT, "foundry.toml"), "utf8").matchAll(/^(\w+) = (.+)$/gm);
    const { src, test, libs, remappings, solc, evm_version, via_ir, optimizer_runs, fuzz, invariant } =
      Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
    expect([src, test]).to.deep.equal([`"${paths.sources[0]}"`, `"${paths.tests}"`]);
    for (const path of [src, test, libs, remappings!.split("=")[1]])
      expect(existsSync(join(ROOT, path!.replaceAll(/["[\]]/g, ""))), path).to.equal(true);
    expect(solc).to.equal(`"${solidity.compilers[0]!.version}"`);
    expect(evm_version).to.equal(`"${settings.evmVersion}"`);
    expect(via_ir).to.equal(String(settings.viaIR));
    expect(Number(optimizer_runs!.replaceAll("_", ""))).to.equal(settings.optimizer.runs);
    const { runs, depth, failOnRevert } = solidityTests.invariant;
    expect(fuzz).to.equal(`{ runs = ${solidityTests.fuzz.runs} }`);
    expect(invariant).to.equal(`{ runs = ${runs}, depth = ${depth}, fail_on_revert = ${failOnRevert} }`);
  });
});
