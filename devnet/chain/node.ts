/**
 * The node behind the JSON-RPC front: an engine whose every block goes through the journal first.
 * Writing happens one block at a time; reading is never held up.
 */
import { Transaction, toQuantity } from "ethers";
import { type Clock, unixSeconds } from "../clock.ts";
import { CHAIN_ID, type Engine, type MinedBlock } from "./engine.ts";
import { RPC, RpcError } from "./errors.ts";
import type { JournalWriter } from "./journal.ts";
import { blockTagOf } from "./methods.ts";

/** How long a transaction with a nonce too high is kept waiting for the one before it. */
const NONCE_GAP_WAIT_MS = 2_000;

export type ChainNode = ReturnType<typeof createNode>;

export interface NodeDeps {
  readonly engine: Engine;
  readonly journal: JournalWriter;
  readonly clock: Clock;
  /** The block that the journal ended with. */
  readonly latest: { readonly number: number; readonly time: number };
}

export function createNode(deps: NodeDeps) {
  const { engine } = deps;
  const blocks = createBlockWriter(deps);
  return {
    /**
     * A JSON-RPC call that reads. Calls on the pending block see the clock's time.
     * @throws RpcError code 3 with the revert data when a call reverts
     */
    async read(method: string, params: readonly unknown[]): Promise<unknown> {
      try {
        if (blockTagOf(method, params) !== "pending") return await engine.request(method, params);
        return await blocks.exclusively(async () => {
          // The embedded node would take the machine's time for the pending block, not the clock's.
          await engine.request("evm_setNextBlockTimestamp", [toQuantity(blocks.nextTime())]);
          return await engine.request(method, params);
        });
      } catch (error) {
        throw asPublicNodesSay(error);
      }
    },

    /**
     * Mines one signed transaction in a block of its own; returns its hash when the block is on disk.
     * A nonce too high waits a moment for the missing one, as requests overtake each other on the way here.
     * @throws RpcError `rejected` with the reason
     */
    async send(raw: string): Promise<string> {
      const { from, nonce } = parseTransaction(raw);
      const deadline = Date.now() + NONCE_GAP_WAIT_MS;
      for (;;) {
        const sent = await blocks.exclusively(async () => {
          const expected = Number(await engine.request("eth_getTransactionCount", [from, "latest"]));
          if (nonce > expected && Date.now() < deadline) return null;
          if (nonce !== expected) throw wrongNonce(from, nonce, expected);
          const { refusals, block } = await blocks.mine([raw]);
          if (refusals[0] != null || block === null) throw rejection(refusals[0] ?? new Error("not mined"));
          return block.transactions[0]!;
        });
        if (sent !== null) return sent;
        await blocks.next(deadline);
      }
    },

    /**
     * Mines several signed transactions in one block, or an empty one.
     * @throws RpcError `rejected` when one of them is refused; the others are mined nevertheless
     */
    mine(rawTransactions: readonly string[] = []): Promise<MinedBlock | null> {
      return blocks.exclusively(async () => {
        const { block, refusals } = await blocks.mine(rawTransactions);
        const refused = refusals.find((refusal) => refusal !== null);
        if (refused != null) throw rejection(refused);
        return block;
      });
    },

    /** Waits for what is under way and refuses everything after it. */
    stop: () => blocks.stop(),
  };
}

/** Writes one block at a time, each into the journal before it is mined. */
function createBlockWriter({ engine, journal, clock, latest }: NodeDeps) {
  let head = latest;
  let stopped: RpcError | null = null;
  let tail: Promise<unknown> = Promise.resolve();
  /** Told after each block, so that a waiting nonce looks again. */
  const waiting = new Set<() => void>();
  const nextTime = () => Math.max(unixSeconds(clock), head.time);
  return {
    /** Of the next block, unix seconds. */
    nextTime,

    exclusively<T>(work: () => Promise<T>): Promise<T> {
      const run = tail.then(() => {
        if (stopped !== null) throw stopped;
        return work();
      });
      tail = run.catch(() => undefined);
      return run;
    },

    /** Only within `exclusively`. */
    async mine(rawTransactions: readonly string[]) {
      const number = head.number + 1;
      const time = nextTime();
      try {
        await journal.open(number, time, rawTransactions);
        const result = await engine.mine(time, rawTransactions);
        await journal.close(number, result.block?.hash ?? null);
        if (result.block !== null) head = { number, time };
        for (const wake of waiting) wake();
        return result;
      } catch (error) {
        // The file and the engine may disagree now; only a replay can tell. Answering on would hide it.
        const { message } = error as Error;
        stopped = new RpcError(RPC.internal, `the local chain has failed and must be restarted: ${message}`);
        throw error;
      }
    },

    /** Waits for the next block, or until the time (unix milliseconds). */
    async next(deadline: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.max(0, deadline - Date.now()));
      waiting.add(resolve);
      await promise;
      clearTimeout(timer);
      waiting.delete(resolve);
    },

    async stop(): Promise<void> {
      await tail;
      stopped ??= new RpcError(RPC.internal, "the local chain is stopping");
      await journal.end();
    },
  };
}

function wrongNonce(from: string, nonce: number, expected: number): RpcError {
  return new RpcError(
    RPC.rejected,
    `nonce too ${nonce > expected ? "high" : "low"}: ` +
      `the next nonce of ${from} is ${expected}, the transaction has ${nonce}`,
  );
}

/** What must hold before a transaction is worth a line in the journal. */
function parseTransaction(raw: string): { from: string; nonce: number } {
  let transaction: Transaction;
  try {
    transaction = Transaction.from(raw);
  } catch (error) {
    throw new RpcError(RPC.invalidParams, `not a transaction: ${(error as Error).message}`);
  }
  if (transaction.from === null) throw new RpcError(RPC.invalidParams, "the transaction is not signed");
  if (transaction.chainId !== 0n && transaction.chainId !== BigInt(CHAIN_ID))
    throw new RpcError(
      RPC.rejected,
      `the transaction is for chain ${transaction.chainId}, this one is ${CHAIN_ID}`,
    );
  return { from: transaction.from, nonce: transaction.nonce };
}

function rejection(error: Error): RpcError {
  return new RpcError(RPC.rejected, error.message);
}

/** Reverts have code 3 and the bytes as data, as wallets and libraries expect; the engine's other details stay here. */
function asPublicNodesSay(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const {
    code,
    message = "internal error",
    data,
  } = error as { code?: unknown; message?: string; data?: unknown };
  if (code === RPC.reverted) return new RpcError(code, `execution reverted: ${message}`, data ?? "0x");
  return new RpcError(typeof code === "number" ? code : RPC.internal, message);
}
