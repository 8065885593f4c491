/**
 * The local chain: Hardhat's node in this process. It answers one request at a time, in the order in which they arrive,
 * and mines a block after each transaction. Block times come from the passed clock. The chain ends with the process.
 */
import { join } from "node:path";
import { toQuantity } from "ethers";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import { presetVariable } from "../../api/settings/environment.ts";
import { ACCOUNT_COUNT, DEVELOPMENT_MNEMONIC } from "../accounts.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { genesisCode } from "./genesis.ts";

const CHAIN_ID = 31_337;
const SENDING = new Set(["eth_sendTransaction", "eth_sendRawTransaction"]);

export interface RpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Runs any method of Hardhat's node, those included that change the chain without a transaction. */
type Request = (method: string, params?: readonly unknown[]) => Promise<unknown>;

export type LocalNode = Awaited<ReturnType<typeof startNode>>;

export async function startNode(clock: Clock) {
  const { request: ask, close } = await openHardhat(unixSeconds(clock));
  for (const [address, code] of await genesisCode(ask)) await ask("hardhat_setCode", [address, code]);

  let headTime = unixSeconds(clock);
  /** What Hardhat takes for the time of the pending block; null: its own. */
  let pendingTime: number | null = null;
  const nextTime = () => Math.max(headTime, unixSeconds(clock));

  /** Hardhat would run calls on the pending block at the machine's time. */
  async function setPendingTime(): Promise<void> {
    const time = nextTime();
    if (time === pendingTime) return;
    await ask("evm_setNextBlockTimestamp", [toQuantity(time)]);
    pendingTime = time;
  }

  async function mineBlock(): Promise<void> {
    headTime = nextTime();
    pendingTime = null;
    await ask("evm_mine", [toQuantity(headTime)]);
  }

  /** Of a chain that has gone back to a snapshot. */
  async function readHeadTime(): Promise<void> {
    const head = (await ask("eth_getBlockByNumber", ["latest", false])) as { timestamp: string };
    headTime = Number(head.timestamp);
    pendingTime = null;
  }

  let last: Promise<unknown> = Promise.resolve();
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const run = last.then(work);
    last = run.catch(() => undefined);
    return run;
  }

  return {
    chainId: CHAIN_ID,
    /** @throws Error with JSON-RPC's `code`, and with the revert data as `data` when a call reverts */
    request: (method: string, params: readonly unknown[] = []): Promise<unknown> =>
      inOrder(async () => {
        await setPendingTime();
        const result = await ask(method, params);
        if (SENDING.has(method)) await mineBlock();
        if (method === "evm_revert") await readHeadTime();
        return result;
      }),
    /**
     * Sends transactions that share a block, or mines an empty one.
     * @returns their hashes
     * @throws Error for the first that is refused; those before it are mined with the next block
     */
    mine: (transactions: readonly RpcRequest[] = []): Promise<string[]> =>
      inOrder(async () => {
        const hashes: string[] = [];
        for (const { method, params } of transactions) hashes.push((await ask(method, params)) as string);
        await mineBlock();
        return hashes;
      }),
    close,
  };
}

/** @param genesisTime unix seconds of the first block */
async function openHardhat(genesisTime: number): Promise<{ request: Request; close(): Promise<void> }> {
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
      hardfork: "osaka",
      accounts: { mnemonic: DEVELOPMENT_MNEMONIC, count: ACCOUNT_COUNT },
      allowBlocksWithSameTimestamp: true,
      initialDate: new Date(genesisTime * 1000),
      initialBaseFeePerGas: 1_000_000_000,
      // An estimate within the second of another trade's block does not know that the pool will record its price
      // in the next one.
      gasMultiplier: 1.25,
      // A transaction whose nonce is ahead waits for the one before it, which automatic mining would refuse.
      mining: { auto: false, interval: 0, mempool: { order: "fifo" } },
    },
  });
  return {
    request: (method, params = []) => provider.request({ method, params: params as unknown[] }),
    close,
  };
}
