/** What assay-contracts carries: the compiled guard's own ABI, its typed data, and an interface that contracts import. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { Interface, TypedDataEncoder } from "ethers";
import { guardDomain, TRADE_INTENT_TYPES } from "../../attestor/certificate/certificate.ts";
import { ROOT } from "../../build/buildOnce.ts";
import { MandateModule__factory } from "../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { deploymentsIn } from "../../workshop/release/contracts.ts";
import { packedFiles, runtime, unpackedFolder } from "../support/packages.ts";
import { testFolder } from "../support/suite.ts";

const CALLER = `// SPDX-License-Identifier: MIT
pragma solidity >=0.8.4 <0.9.0;
import { ITradeGuard, TradeIntent, VerificationCertificate } from "assay-contracts/ITradeGuard.sol";
import { IMandateModule } from "assay-contracts/IMandateModule.sol";
contract Caller {
    function expiryOf(IMandateModule module, address safe, address agent) external view returns (uint64) {
        return module.mandateOf(safe, agent).expiresAt;
    }
    function trade(ITradeGuard guard, TradeIntent calldata intent, VerificationCertificate calldata certificate,
        bytes calldata signature, bytes calldata data) external returns (uint256) {
        return guard.execute(intent, certificate, signature, "", data);
    }
}
`;

describe("assay-contracts", function () {
  this.timeout(600_000);

  const records = testFolder("records");
  let folder: string;
  let module: any;
  before(async () => {
    await packedFiles();
    folder = unpackedFolder("assay-contracts");
    module = createRequire(import.meta.url)(folder);
  });

  for (const [name, exported, factory] of [
    ["TradeGuard", "tradeGuardAbi", TradeGuard__factory],
    ["MandateModule", "mandateModuleAbi", MandateModule__factory],
  ] as const)
    it(`has every function, event and error of the compiled ${name}, and nothing else`, () => {
      const compiled = factory.createInterface().fragments.filter(({ type }) => type !== "constructor");
      const texts = (fragments: readonly { format(kind: "full"): string }[]) =>
        fragments.map((fragment) => fragment.format("full")).sort();
      expect(texts(new Interface(module[exported]).fragments)).to.deep.equal(texts(compiled));
      const json = JSON.parse(readFileSync(join(folder, `${name}.abi.json`), "utf8"));
      expect(json).to.deep.equal(module[exported]);
    });

  it("has the typed data that the attestor signs and checks", () => {
    const guard = "0x1429859428C0aBc9C2C47C8Ee9FBaf82cFA0F20f";
    expect(module.guardDomain(56, guard)).to.deep.equal(guardDomain(56, guard));
    const typeOf = (types: any) => TypedDataEncoder.from(types).encodeType("TradeIntent");
    expect(typeOf(module.tradeIntentTypes)).to.equal(typeOf(TRADE_INTENT_TYPES));
  });

  it("has the addresses of deployments on public chains by their records, and none of a local chain", () => {
    const known = { chainId: 56, guard: "0xa", executor: "0xb", deployedAtBlock: 7 };
    const record = { ...known, roles: { admin: "0xc" } };
    writeFileSync(join(records, "56.json"), JSON.stringify(record));
    writeFileSync(join(records, "31337.json"), JSON.stringify({ ...record, chainId: 31_337 }));
    for (const other of ["56.market.json", "example.desired.json", "56.desired.json"])
      writeFileSync(join(records, other), "{}");
    expect(deploymentsIn(records)).to.deep.equal({ 56: known });
    expect(module.deployments).to.deep.equal(deploymentsIn(join(ROOT, "deployments")));
  });

  /** Compiles a contract that imports the interface. @returns errors and the version that compiled */
  function compiledBy(solc: string): { version: string; errors: string[] } {
    const input = {
      language: "Solidity",
      sources: {
        "Caller.sol": { content: CALLER },
        ...Object.fromEntries(
          ["ITradeGuard.sol", "IMandateModule.sol"].map((file) => [
            `assay-contracts/${file}`,
            { content: readFileSync(join(folder, file), "utf8") },
          ]),
        ),
      },
      settings: { outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
    };
    const script = `const solc = require(${JSON.stringify(solc)});
const output = JSON.parse(solc.compile(${JSON.stringify(JSON.stringify(input))}));
const errors = (output.errors ?? []).filter(({ severity }) => severity === "error").map((one) => one.formattedMessage);
const code = output.contracts?.["Caller.sol"]?.Caller?.evm.bytecode.object ?? "";
console.log(JSON.stringify({ version: solc.version(), errors: code === "" ? ["no code", ...errors] : errors }));`;
    const room = { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], room);
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout);
  }

  it("has an interface that a contract imports, by the guard's own compiler", () => {
    const { version, errors } = compiledBy(join(ROOT, "node_modules/solc"));
    expect(errors).to.deep.equal([]);
    expect(version).to.match(/^0\.8\.35/);
  });

  it("has an interface that the oldest compiler takes which it names", function () {
    const program = runtime(this, "solc@0.8.4", "solcjs");
    const { version, errors } = compiledBy(join(program, "../../solc"));
    expect(errors).to.deep.equal([]);
    expect(version).to.match(/^0\.8\.4/);
  });
});
