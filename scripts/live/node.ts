/** What a live service asks of the chain's node, and of the guard. */
import type { JsonRpcProvider } from "ethers";
import { GUARD_ABI } from "../../chain/abis.ts";
import { type BlockReader, createBlockReader } from "../../chain/blockReads.ts";
import { createCaches } from "../../chain/caches.ts";
import { readProofs } from "../../chain/facts/stateProofs.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { LOG_PAGE_BLOCKS } from "../../chain/logs.ts";
import { assertChain, connectRpc } from "../../chain/rpc.ts";
import { assertClock, check, type LiveCheck, type Subject, Wrong } from "./check.ts";

const TIMEOUT_MS = 5_000;
/** Final trades are looked for so many blocks behind the newest. */
const DEPTH = 15;
/** The newest block of a chain that works is seconds old. */
const MOST_BLOCK_AGE_MS = 60_000;
const FIRST_SLOT = `0x${"0".repeat(64)}` as const;

interface Node {
  readonly provider: JsonRpcProvider;
  readonly reader: BlockReader;
  /** @throws NoGuard, UpstreamUnavailable */
  roles(): Promise<GuardRoles>;
}

/** The node of the settings, for as long as it is asked. */
export async function withNode<T>(
  { config, deployment, outside }: Subject,
  use: (node: Node) => Promise<T>,
): Promise<T> {
  const provider = connectRpc(config.rpcUrl.reveal(), deployment.chainId, TIMEOUT_MS);
  const roles = () => readRoles(provider, deployment.guard);
  const reader = createBlockReader(provider, deployment.chainId, createCaches(outside.monotonic));
  return await use({ provider, reader, roles }).finally(() => provider.destroy());
}

export function nodeChecks(subject: Subject): LiveCheck[] {
  const { deployment, outside } = subject;
  const { chainId, guard, deployedAtBlock } = deployment;
  const ask = (thing: string, fix: string, run: (node: Node) => Promise<string>) =>
    check(thing, fix, () => withNode(subject, run));
  return [
    ask("RPC", "see RPC_URL, and the chain of DEPLOYMENT_FILE", async ({ provider }) => {
      await assertChain(provider, chainId);
      return `it serves chain ${chainId}`;
    }),
    ask("RPC: newest block", "wait for the node to catch up, or take another", async ({ reader }) => {
      const { blockNumber, blockTimestamp } = await reader.head();
      const ageMs = outside.now() - blockTimestamp * 1_000;
      if (ageMs > MOST_BLOCK_AGE_MS)
        throw new Wrong(`block ${blockNumber} is ${Math.round(ageMs / 1_000)} s old`);
      assertClock(Math.max(blockTimestamp * 1_000, outside.now()), outside.now());
      return `block ${blockNumber}, ${Math.max(0, Math.round(ageMs / 1_000))} s old`;
    }),
    ask("RPC: header and proofs", "take a node that answers eth_getProof", async ({ reader }) => {
      const head = await reader.head();
      const slots = new Map([[guard, new Set([FIRST_SLOT])]]);
      const checked = await readProofs(reader, (_hash, _key, read) => read(), head, slots);
      if (checked?.state.header.hash !== head.blockHash)
        throw new Wrong("its headers do not hash to their name");
      return "headers hash, proofs hold";
    }),
    ask("RPC: depth", `take a node that keeps the state of ${DEPTH} blocks`, async ({ reader }) => {
      const { blockNumber } = await reader.head();
      const block = await reader.block(Math.max(deployedAtBlock, blockNumber - DEPTH));
      const data = GUARD_ABI.encodeFunctionData("signer");
      await reader.at(block).callOnce({ to: guard, data });
      return `calls at the hash of block ${block.blockNumber}`;
    }),
    ask("RPC: events and receipts", "take a node that keeps events since the guard", async ({ provider }) => {
      const toBlock = Math.min(await provider.getBlockNumber(), deployedAtBlock + LOG_PAGE_BLOCKS - 1);
      const blocks = { fromBlock: deployedAtBlock, toBlock };
      const [first] = await provider.getLogs({ address: guard, ...blocks });
      if (first === undefined) throw new Wrong(`no event of the guard from block ${deployedAtBlock} on`);
      const receipt = await provider.getTransactionReceipt(first.transactionHash);
      if (receipt?.status !== 1) throw new Wrong(`no receipt of ${first.transactionHash}`);
      return `both since block ${deployedAtBlock}`;
    }),
    ask("guard", "see guard and chain of DEPLOYMENT_FILE; assay guard status", async ({ roles }) => {
      const { paused } = await roles();
      return paused ? `${guard}, paused: every trade is denied` : guard;
    }),
  ];
}
