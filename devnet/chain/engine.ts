/**
 * Hardhat's embedded EVM, held so that a block depends on nothing but the blocks before it, its timestamp and
 * its transactions. That is what lets the journal rebuild the chain hash for hash.
 */
import { join } from "node:path";
import { id, keccak256, toQuantity } from "ethers";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import { presetVariable } from "../../api/settings/environment.ts";
import { ACCOUNT_COUNT, DEVELOPMENT_MNEMONIC } from "../accounts.ts";
import { genesisCode } from "./genesis.ts";

export const CHAIN_ID = 31337;
export const HARDFORK = "osaka";

export interface MinedBlock {
  readonly number: number;
  readonly hash: string;
  /** Hashes of the transactions in it. */
  readonly transactions: readonly string[];
}

export interface MineResult {
  /** Null when every transaction was refused and no block came to be. */
  readonly block: MinedBlock | null;
  /** Per raw transaction: why it did not enter the block, or null. */
  readonly refusals: readonly (Error | null)[];
}

export type Engine = Awaited<ReturnType<typeof createEngine>>;

/** The version of Hardhat that runs here, for the journal's header. */
export async function engineVersion(): Promise<string> {
  const { default: manifest } = await import("hardhat/package.json", { with: { type: "json" } });
  return manifest.version;
}

/** @param genesisTime Unix seconds of block 0 */
export async function createEngine(genesisTime: number) {
  // A service that a clone starts with one command must not report home on its own accord.
  presetVariable("HARDHAT_DISABLE_TELEMETRY", "true");
  const root = join(import.meta.dirname, "../..");
  // Not the project's own configuration: its build would be loaded to explain reverts, and a chain
  // that answers as a public node does knows no sources.
  const nowhere = join(root, "artifacts", ".none");
  const hardhat = await createHardhatRuntimeEnvironment(
    { paths: { artifacts: nowhere, cache: nowhere } },
    {},
    root,
  );
  const { provider, close } = await hardhat.network.create({
    override: {
      chainId: CHAIN_ID,
      hardfork: HARDFORK,
      accounts: { mnemonic: DEVELOPMENT_MNEMONIC, count: ACCOUNT_COUNT },
      allowBlocksWithSameTimestamp: true,
      throwOnTransactionFailures: false,
      initialDate: new Date(genesisTime * 1000),
      initialBaseFeePerGas: 1_000_000_000,
      mining: { auto: false, interval: 0, mempool: { order: "fifo" } },
    },
  });
  /** Any JSON-RPC call of the embedded node, those that bend the state included. */
  const request = (method: string, params: readonly unknown[]): Promise<unknown> =>
    provider.request({ method, params: params as unknown[] });
  for (const [address, code] of await genesisCode(request)) await request("hardhat_setCode", [address, code]);

  /**
   * Mines one block of these raw transactions, in this order; without any, an empty one.
   * @param timestamp Unix seconds, not before the parent's
   */
  async function mine(timestamp: number, rawTransactions: readonly string[]): Promise<MineResult> {
    const hashes: (string | null)[] = [];
    const refusals: (Error | null)[] = [];
    for (const raw of rawTransactions) {
      try {
        hashes.push((await request("eth_sendRawTransaction", [raw])) as string);
        refusals.push(null);
      } catch (error) {
        hashes.push(null);
        refusals.push(error as Error);
      }
    }
    if (rawTransactions.length > 0 && hashes.every((hash) => hash === null)) return { block: null, refusals };
    const parent = (await request("eth_blockNumber", [])) as string;
    await request("hardhat_setPrevRandao", [keccak256(id(`assay local chain ${Number(parent) + 1}`))]);
    await request("evm_mine", [toQuantity(timestamp)]);
    const block = (await request("eth_getBlockByNumber", ["latest", false])) as {
      number: string;
      hash: string;
      transactions: string[];
    };
    const included = new Set(block.transactions);
    for (const [index, hash] of hashes.entries()) {
      if (hash === null || included.has(hash)) continue;
      // Accepted, but not payable in this block. Left in the pool it would surface in some later block.
      await request("hardhat_dropTransaction", [hash]);
      refusals[index] = new Error(
        "the transaction's fee cap is below the block's base fee, or it exceeds the block's gas limit",
      );
    }
    return {
      block: { number: Number(block.number), hash: block.hash, transactions: block.transactions },
      refusals,
    };
  }

  return { request, mine, close };
}
