/** The face of the chain to the rest of the service: everything it asks of the node, by name. */
import { getAddress, type JsonRpcProvider } from "ethers";
import type { ChainFacts, PendingChange, QuoteFacts } from "../attestor/evidence/facts.ts";
import { allowanceOf } from "../attestor/evm/reads.ts";
import type { Intent } from "../attestor/intent.ts";
import { isChainPrice, isSigned } from "../attestor/sources.ts";
import { guardAt } from "./abis.ts";
import { createBlockReader } from "./blockReads.ts";
import type { Caches } from "./caches.ts";
import type { Deployment } from "./deployment.ts";
import { encodeRouteCall } from "./dex/best.ts";
import { createBlockMemo } from "./facts/blockMemo.ts";
import {
  type GatherDeps,
  type Gathered,
  gatherFacts,
  gatherStanding,
  type StandingFacts,
} from "./facts/gather.ts";
import { measureImpact } from "./facts/impact.ts";
import { createScheduleReader, type ScheduleStart } from "./facts/schedule.ts";
import { createProofReader } from "./facts/stateProofs.ts";
import { type ExecutedTrade, executedTrades } from "./guard/trades.ts";
import { assertChain, upstream } from "./rpc.ts";
import { type Observation, observeTransaction } from "./transactions.ts";

/** Every function throws `UpstreamUnavailable` when the node does not answer. */
export interface Chain {
  readonly deployment: Deployment;
  /** All facts but the stored liquidity, at one block, with the proofs of what was read. `now` in unix seconds. */
  facts(intent: Intent, now: number): Promise<Gathered>;
  /** What the guard says at the newest block of a trade by that route. */
  standing(intent: Intent, routeName: string): Promise<StandingFacts>;
  /** Route call data that pays the executor which the evidence names. */
  routeCall(quote: QuoteFacts, call: { executor: string; minAmountOut: string; deadline: number }): string;
  /**
   * Price impact of buying a stock for so many settlement tokens against a tiny buy, in basis points. Through the
   * best route, allowed by the guard or not; null when there is no route.
   */
  impactOf(assetKey: string, settlementTokens: number): Promise<string | null>;
  isNonceUsed(owner: string, nonce: bigint): Promise<boolean>;
  /** Address of the key whose certificates the guard takes now. */
  guardSigner(): Promise<string>;
  /** Changes of the guard that wait at the newest block. */
  pendingChanges(): Promise<PendingChange[]>;
  /** What the guard may take of a token at a block, raw units. */
  allowance(token: string, owner: string, block: Pick<ChainFacts, "blockHash">): Promise<bigint>;
  observe(transactionHash: string): Promise<Observation>;
  /** Number of the newest block. */
  head(): Promise<number>;
  /** The trades that the guard carried out in blocks `from` to `to`. Not every node gives events. */
  tradesBetween(from: number, to: number): Promise<ExecutedTrade[]>;
  /** Answers when the node is there and serves the right chain. */
  probe(): Promise<void>;
  /** Rejects where no publisher gives a price whose signatures hold here. null: the local world's prices are unsigned. */
  readonly probeSigned: (() => Promise<void>) | null;
}

export interface ChainDeps extends Omit<GatherDeps, "memo" | "reader" | "proofs" | "schedule"> {
  readonly provider: JsonRpcProvider;
  /** Where to begin to look for what is scheduled of the guard; without it, where the guard was deployed. */
  readonly scheduleStart?: ScheduleStart;
  readonly caches: Caches;
}

export function createChain({ provider, caches, ...given }: ChainDeps): Chain {
  const { deployment } = given;
  const memo = createBlockMemo(caches);
  const reader = createBlockReader(provider, deployment.chainId, caches);
  const warned = new Set<string>();
  // Without this, every job would repeat the same warning.
  const warn = (line: string) => {
    if (!warned.has(line)) given.warn?.(line);
    warned.add(line);
  };
  const schedule = createScheduleReader(provider, deployment, memo, given.scheduleStart);
  const deps = { ...given, warn, reader, memo, schedule, proofs: createProofReader(reader, memo) };
  const guard = guardAt(deployment.guard, provider);
  return {
    deployment,
    facts: (intent, now) => gatherFacts(deps, intent, now),
    standing: (intent, routeName) => gatherStanding(deps, intent, routeName),
    routeCall: (quote, { executor, minAmountOut, deadline }) =>
      encodeRouteCall(deployment.registry.routes, quote, {
        path: quote.path,
        fees: quote.fees,
        amountIn: BigInt(quote.amountInRaw),
        minAmountOut: BigInt(minAmountOut),
        recipient: executor,
        deadline,
      }),
    impactOf: (assetKey, settlementTokens) =>
      measureImpact(deps, deployment.registry, assetKey, settlementTokens),
    isNonceUsed: (owner, nonce) => upstream("nonce", () => guard.isNonceUsed(owner, nonce)),
    guardSigner: () => upstream("guard signer", async () => getAddress(await guard.signer())),
    pendingChanges: async () => {
      const manager = await upstream("guard's manager", () => guard.authority());
      return await schedule.pendingAt(await reader.head(), getAddress(manager));
    },
    allowance: (token, owner, block) =>
      upstream("allowance", async () => {
        const { read, ...call } = allowanceOf(token, owner, deployment.guard);
        return read(await reader.at(block).callOnce(call));
      }),
    observe: (transactionHash) => observeTransaction(provider, deployment, transactionHash),
    head: () => upstream("block number", () => provider.getBlockNumber()),
    tradesBetween: (from, to) => executedTrades(provider, deployment.guard, from, to),
    probe: () => assertChain(provider, deployment.chainId),
    probeSigned: given.offchain && (() => assertSigned(deployment, given.offchain)),
  };
}

/** One feed of each publisher is asked for. */
async function assertSigned({ registry }: Deployment, sources: GatherDeps["offchain"]): Promise<void> {
  const signed = registry.assets.flatMap(({ priceSources }) =>
    priceSources.filter((source) => !isChainPrice(source)).filter(isSigned),
  );
  const asked = new Map(signed.map((source) => [source.provider, source]));
  const readings = (await sources?.prices([...asked.values()], 0))?.readings ?? [];
  if (!readings.some(({ proof }) => proof !== null)) throw new Error("no publisher gives a signed price");
}
