/** Takes the overhead of a guarded trade apart by tracing it next to the direct swap. */
import type { TransactionReceipt } from "ethers";
import type { GasWorld, Guarded } from "../../../test/support/contracts/gas.ts";

interface Step {
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly depth: number;
  readonly stack: readonly string[];
}

export interface Explained {
  readonly overhead: number;
  /** What the EVM or another contract charges, above the direct swap. */
  readonly items: readonly (readonly [what: string, gas: number])[];
  readonly floor: number;
  /** Stack, memory, jumps and comparisons of guard and executor. */
  readonly plain: number;
}

const CALLS = new Set(["CALL", "STATICCALL"]);

/** The instructions that are priced for what they do, and not for being instructions. */
const GROUPS: Record<string, string> = {
  SLOAD: "storage: signer with pause, allowlisted route, nonce",
  SSTORE: "storage: signer with pause, allowlisted route, nonce",
  TLOAD: "reentrancy lock in transient storage",
  TSTORE: "reentrancy lock in transient storage",
  KECCAK256: "hashes: intent, certificate, EIP-712 digests, call data, storage keys",
  LOG4: "the event",
  CALLDATACOPY: "copies of call data: to hash, to the executor, to the route",
  RETURNDATACOPY: "copies of call data: to hash, to the executor, to the route",
};
const CALL = "calls between guard, executor, tokens and route; the executor's cold address among them";
const RECOVER = "signatures: ecrecover";
const FOREIGN = "code of tokens, pools and router: pull, exact approval, balances, allowance, payment";

const ECRECOVER = 1n;

export async function explain(gas: GasWorld, trade: Guarded): Promise<Explained> {
  const direct = await trace(gas, await gas.direct(trade.dex));
  const guarded = await trace(gas, await gas.guarded(trade));

  const items = new Map<string, number>([
    ["call data of the transaction", guarded.callData - direct.callData],
  ]);
  const add = (what: string, cost: number) => items.set(what, (items.get(what) ?? 0) + cost);
  let plain = 0;
  const own = new Set([await gas.world.guard.getAddress(), gas.world.executor].map((a) => BigInt(a)));
  const code = [BigInt(await gas.world.guard.getAddress())];
  const { steps } = guarded;
  let depth = 1;
  for (const [index, step] of steps.entries()) {
    if (step.depth < depth) code.length = step.depth;
    depth = step.depth;
    const mine = own.has(code[depth - 1]!);
    const after = steps[index + 1];
    let cost = step.gasCost;
    if (CALLS.has(step.op)) {
      const target = BigInt(step.stack.at(-2)!.replace(/^(0x)?/, "0x")) & ((1n << 160n) - 1n);
      const entered = after !== undefined && after.depth > depth;
      // What the call itself cost: all that is gone when it returns, less what the called code used.
      let back = index + 1;
      while (steps[back]!.depth > depth) back++;
      const last = steps[back - 1]!;
      cost = step.gas - steps[back]!.gas - (entered ? after.gas - (last.gas - last.gasCost) : 0);
      if (entered) code[depth] = target;
      if (mine) add(target === ECRECOVER ? RECOVER : CALL, cost);
      else add(FOREIGN, cost);
    } else if (!mine) add(FOREIGN, cost);
    else if (GROUPS[step.op] !== undefined) add(GROUPS[step.op]!, cost);
    else plain += cost;
  }
  add(FOREIGN, -direct.execution);
  add("refunds for storage that returns to what it was", direct.refund - guarded.refund);

  const overhead = guarded.gasUsed - direct.gasUsed;
  return { overhead, items: [...items], plain, floor: overhead - plain };
}

async function trace(gas: GasWorld, receipt: TransactionReceipt) {
  const transaction = (await receipt.getTransaction()).data;
  const callData = [...Buffer.from(transaction.slice(2), "hex")].reduce(
    (sum, byte) => sum + (byte === 0 ? 4 : 16),
    0,
  );
  const { structLogs } = (await gas.world.provider.request({
    method: "debug_traceTransaction",
    params: [receipt.hash, { disableStorage: true, disableMemory: true }],
  })) as { structLogs: { op: string; gas: number; gasCost: number; depth: number; stack: string[] }[] };
  const steps: Step[] = structLogs.map((log) => ({
    ...log,
    gas: Number(log.gas),
    gasCost: Number(log.gasCost),
  }));
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const execution = first.gas - (last.gas - last.gasCost);
  const gasUsed = Number(receipt.gasUsed);
  return { steps, callData, execution, gasUsed, refund: 21_000 + callData + execution - gasUsed };
}
