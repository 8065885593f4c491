/**
 * Reads at one block, by its hash. Simultaneous requests go to the node as one JSON-RPC batch, and all requests at a
 * block share its results. The first batch of a new block also repeats the requests of the last blocks, so that later
 * jobs find the answers.
 */
import type { JsonRpcError, JsonRpcPayload, JsonRpcProvider } from "ethers";
import { LRUCache } from "lru-cache";
import type { ChainFacts } from "../attestor/evidence/facts.ts";
import { type Answers, bytesOf, type Caches, openAnswers } from "./caches.ts";
import { UpstreamUnavailable } from "./chainErrors.ts";
import { isContractFault } from "./reverts.ts";

/**
 * Runs an `eth_call`; a call without a recipient runs its data as a constructor. Throws as ethers does: a revert is a
 * CALL_EXCEPTION. Reads of a block ignore `blockTag`.
 */
export interface Caller {
  call(transaction: { to?: string | null; data: string; blockTag?: number }): Promise<string>;
}

export interface BlockReads extends Caller {
  /** As `call`, in the same batches, for what nobody will ask again: a quote of one amount. */
  callOnce: Caller["call"];
  /**
   * Any other method that takes its block last, in the same batches: `eth_getProof`.
   * @param params those before the block
   */
  send(method: string, params: readonly unknown[]): Promise<unknown>;
  /** The block as `eth_getBlockByHash` answers it, without its transactions. */
  header(): Promise<unknown>;
}

export interface BlockReader {
  /** The newest block. Those who ask while it is being asked for share the answer. */
  head(): Promise<ChainFacts>;
  /** The block of this number as it stands now. */
  block(number: number): Promise<ChainFacts>;
  at(block: Pick<ChainFacts, "blockHash">): BlockReads;
}

/** The newest block, and the one before for those who are still reading there. */
const BLOCKS_KEPT = 2;
/** What clients ask for is part of what is kept. */
const READS = { maxBytes: 16 * 1024 * 1024, lifetimeMs: 30_000 };
/** What nobody asked for at so many blocks is no longer read ahead. */
const HABIT_BLOCKS = 32;
const HABITS = { maxBytes: 512 * 1024, lifetimeMs: 600_000, sizeOf: bytesOf };
const HEADERS = { maxBytes: 2 * 1024 * 1024, lifetimeMs: 30_000, sizeOf: bytesOf };
/** More than nodes commonly take in one batch is sent as several at the same time. */
const CALLS_A_BATCH = 100;

interface Request {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Queued extends Request {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Habit extends Request {
  /** Ordinal of the block that it was last asked for at. */
  seen: number;
}

type Habits = LRUCache<string, Habit>;

interface KeptBlock {
  readonly ordinal: number;
  readonly reads: BlockReads;
}

export function createBlockReader(provider: JsonRpcProvider, chainId: number, caches: Caches): BlockReader {
  const habits: Habits = caches.open<Habit>("chain habits", HABITS);
  const answers = openAnswers(caches, "chain reads", READS);
  const blocks = new LRUCache<string, KeptBlock>({ max: BLOCKS_KEPT });
  /** As they came, since a proof needs every member. */
  const headers = caches.open<object>("block headers", HEADERS);
  let ordinal = 0;
  let asking: Promise<ChainFacts> | null = null;

  const block = async (tag: number | "latest"): Promise<ChainFacts> => {
    const found = (await single(provider, "eth_getBlockByNumber", [
      tag === "latest" ? tag : `0x${tag.toString(16)}`,
      false,
    ])) as { number: string; hash: string; timestamp: string } | null;
    if (found?.hash == null) throw new UpstreamUnavailable("The chain's RPC has no such block.");
    headers.set(found.hash, found);
    return {
      chainId,
      blockNumber: Number(found.number),
      blockHash: found.hash,
      blockTimestamp: Number(found.timestamp),
    };
  };

  return {
    head() {
      asking ??= block("latest").finally(() => {
        asking = null;
      });
      return asking;
    },
    block,
    at({ blockHash }) {
      // Reads at an old block do not keep it from being evicted.
      const atBlock = blocks.peek(blockHash);
      if (atBlock !== undefined) return atBlock.reads;
      ordinal += 1;
      const header = async () =>
        headers.peek(blockHash) ?? single(provider, "eth_getBlockByHash", [blockHash, false]);
      const kept = {
        ordinal,
        reads: { ...readsAt({ provider, blockHash, habits, answers, ordinal }), header },
      };
      blocks.set(blockHash, kept);
      return kept.reads;
    },
  };
}

/** @throws UpstreamUnavailable where there is no answer; what ethers throws where it is an error */
async function single(
  provider: JsonRpcProvider,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const [answer] = await exchange(provider, [{ method, params }]);
  if (answer instanceof Error) throw answer;
  return answer;
}

/**
 * A contract's refusal is an answer. Anything else (a block that the node has left, a limit) says nothing of the
 * contract, though ethers would call that a revert, too.
 */
function faultOf(provider: JsonRpcProvider, payload: JsonRpcPayload, answer: JsonRpcError): Error {
  const fault = provider.getRpcError(payload, answer);
  if (isContractFault(answer.error)) return fault;
  return new UpstreamUnavailable("The chain's RPC does not answer.", { cause: fault });
}

let lastId = 0;

/** Answers in the order of the requests; an Error where the node answered with one. */
async function exchange(provider: JsonRpcProvider, requests: readonly Request[]): Promise<unknown[]> {
  const payloads = requests.map(
    ({ method, params }): JsonRpcPayload => ({ id: ++lastId, jsonrpc: "2.0", method, params: [...params] }),
  );
  let results: Awaited<ReturnType<JsonRpcProvider["_send"]>>;
  try {
    results = await provider._send(payloads.length === 1 ? (payloads[0] as JsonRpcPayload) : payloads);
  } catch (error) {
    // The cause goes to the log; its text may name the node, which is no business of a client's.
    throw new UpstreamUnavailable("The chain's RPC does not answer.", { cause: error });
  }
  const byId = new Map(results.map((result) => [result.id, result]));
  return payloads.map((payload) => {
    const found = byId.get(payload.id);
    if (found === undefined) return new UpstreamUnavailable("The chain's RPC left a call unanswered.");
    return "error" in found
      ? faultOf(provider, payload, found as JsonRpcError)
      : (found as { result: unknown }).result;
  });
}

interface ReadsAt {
  readonly provider: JsonRpcProvider;
  readonly blockHash: string;
  readonly habits: Habits;
  readonly answers: Answers;
  readonly ordinal: number;
}

function readsAt({ provider, blockHash, habits, answers, ordinal }: ReadsAt): Omit<BlockReads, "header"> {
  let queue: Queued[] = [];
  let isFirst = true;

  function enqueue(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      queue.push({ ...request, resolve, reject });
      // Requests of the same turn of the event loop join the batch.
      if (queue.length === 1) setImmediate(flush);
    });
  }

  /** Remembered for the block; a failed read says nothing about it, and the next one tries again. */
  function remembered(key: string, request: Request): Promise<unknown> {
    const ask = () => {
      const answer = enqueue(request);
      // What the node cannot answer is not asked ahead of the next ones.
      answer.catch((error) => isRevert(error) || habits.delete(key));
      return answer;
    };
    return answers(`${blockHash} ${key}`, ask, isRevert);
  }

  function flush(): void {
    if (isFirst) {
      isFirst = false;
      for (const [key, habit] of [...habits]) {
        if (habit.seen < ordinal - HABIT_BLOCKS) habits.delete(key);
        // Read ahead for others: whether it fails is for them to see.
        else remembered(key, habit).catch(() => {});
      }
    }
    const all = queue;
    queue = [];
    for (let from = 0; from < all.length; from += CALLS_A_BATCH)
      void settleBatch(provider, blockHash, all.slice(from, from + CALLS_A_BATCH));
  }

  function habitual(request: Request): Promise<unknown> {
    const key = JSON.stringify([request.method, request.params]);
    habits.set(key, { ...request, seen: ordinal });
    return remembered(key, request);
  }

  const calling = ({ to, data }: Parameters<Caller["call"]>[0]): Request => ({
    method: "eth_call",
    params: [to ? { to, data } : { data }],
  });
  return {
    call: async (transaction) => String(await habitual(calling(transaction))),
    callOnce: async (transaction) => String(await enqueue(calling(transaction))),
    send: (method, params) => habitual({ method, params }),
  };
}

/** Sends what was queued as one batch, and gives everybody his answer. Never throws. */
async function settleBatch(
  provider: JsonRpcProvider,
  blockHash: string,
  batch: readonly Queued[],
): Promise<void> {
  // A node of another fork must say so rather than answer from its own.
  const at = { blockHash, requireCanonical: true };
  try {
    const requests = batch.map(({ method, params }) => ({ method, params: [...params, at] }));
    const results = await exchange(provider, requests);
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index];
      if (result instanceof Error) reject(result);
      else resolve(result);
    }
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

const isRevert = (error: unknown): boolean => (error as { code?: string }).code === "CALL_EXCEPTION";
