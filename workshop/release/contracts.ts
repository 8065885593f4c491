/** The sources of `assay-contracts`: made of the compiled guard and its module of mandates, the attestor's typed data and the records of deployments. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CERTIFICATE_TYPES, TRADE_INTENT_TYPES } from "../../attestor/certificate/certificate.ts";
import { ROOT } from "../../build/buildOnce.ts";
import type { OutputFile } from "./bundle.ts";

interface AbiEntry {
  readonly type: string;
  readonly name?: string;
}

const CONTRACTS = ["TradeGuard", "MandateModule"] as const;

function abiOf(name: (typeof CONTRACTS)[number]): readonly AbiEntry[] {
  const path = join(ROOT, `contracts/compiled/${name}.json`);
  const { abi } = JSON.parse(readFileSync(path, "utf8")) as { abi: readonly AbiEntry[] };
  // Users of a contract do not construct it.
  return abi.filter(({ type }) => type !== "constructor");
}

/** Chains of machines: what is deployed there is nobody's but theirs. */
const LOCAL_CHAIN = 31_337;

/** By chain, from `deployments/<chainId>.json`. @param folder where the records lie */
export function deploymentsIn(folder: string): Readonly<Record<string, object>> {
  const records = globSync("*.json", { cwd: folder })
    .filter(
      (path) => /^[1-9][0-9]{0,15}\.json$/.test(path) && Number(basename(path, ".json")) !== LOCAL_CHAIN,
    )
    .sort((a, b) => Number(basename(a, ".json")) - Number(basename(b, ".json")));
  return Object.fromEntries(
    records.map((path) => {
      const { chainId, guard, executor, deployedAtBlock } = JSON.parse(
        readFileSync(join(folder, path), "utf8"),
      );
      return [String(chainId), { chainId, guard, executor, deployedAtBlock }];
    }),
  );
}

const constant = (value: unknown) => `${JSON.stringify(value, null, 2)} as const`;

/** TypeScript that exports constants alone. */
export function contractsSource(folder = join(ROOT, "deployments")): string {
  return `/** ABI of TradeGuard: functions, events and errors, for viem and ethers. */
export const tradeGuardAbi = ${constant(abiOf("TradeGuard"))};

/** ABI of MandateModule, the Safe module by which agents trade within mandates. */
export const mandateModuleAbi = ${constant(abiOf("MandateModule"))};

/** EIP-712 types of what an owner signs for a relayed trade. */
export const tradeIntentTypes = ${constant(TRADE_INTENT_TYPES)};

/** EIP-712 types of what the attestation key signs. */
export const certificateTypes = ${constant(CERTIFICATE_TYPES)};

/** The EIP-712 domain of a guard, for both. */
export function guardDomain(chainId: number, guard: \`0x\${string}\`) {
  return { name: "TradeGuard", version: "1", chainId, verifyingContract: guard } as const;
}

/** A guard as it was deployed. */
export interface GuardDeployment {
  readonly chainId: number;
  readonly guard: \`0x\${string}\`;
  readonly executor: \`0x\${string}\`;
  readonly deployedAtBlock: number;
}

/** Guards on public chains, by chain id; empty while there is none. */
export const deployments: Readonly<Record<number, GuardDeployment>> = ${JSON.stringify(deploymentsIn(folder), null, 2)};
`;
}

/** What contracts and other programs import, beside the JavaScript. */
export function contractFiles(): OutputFile[] {
  return CONTRACTS.flatMap((name) => [
    { path: `I${name}.sol`, content: interfaceOf(name) },
    { path: `${name}.abi.json`, content: `${JSON.stringify(abiOf(name), null, 2)}\n` },
  ]);
}

function interfaceOf(name: string): string {
  const source = readFileSync(join(ROOT, `contracts/I${name}.sol`), "utf8");
  const pragma = /^pragma solidity [^;]+;$/m;
  if (!pragma.test(source)) throw new Error(`I${name}.sol has no pragma.`);
  // The contracts are compiled by one compiler; who calls them may use any that knows custom errors.
  return source.replace(pragma, "pragma solidity >=0.8.4 <0.9.0;");
}
