/** What the front answers, and what it refuses and why. */
import { RPC, RpcError } from "./errors.ts";
import METHODS from "./methods.json" with { type: "json" };

/** Methods that read, handed to the embedded node as they are. */
const READS = new Set(METHODS.reads);

/** Where each method that runs against a block takes the block from, and the block it takes otherwise. */
const BLOCK_PARAMETER = new Map(Object.entries(METHODS.blockParameter));

/** The block that a call runs against, where that matters; undefined for every other method. */
export function blockTagOf(method: string, params: readonly unknown[]): unknown {
  const parameter = BLOCK_PARAMETER.get(method);
  return parameter === undefined ? undefined : (params[parameter.position] ?? parameter.otherwise);
}

export function isRead(method: string): boolean {
  return READS.has(method);
}

/** Why a method is not answered. */
export function refusal(method: string): RpcError {
  if (/^(hardhat|evm|anvil|miner|tenderly)_/.test(method))
    return new RpcError(
      RPC.methodNotSupported,
      `${method} is refused: what it changes would be lost when the chain is restarted from its journal. ` +
        "This chain changes through transactions only.",
    );
  if (method === "eth_subscribe" || method === "eth_unsubscribe")
    return new RpcError(RPC.methodNotSupported, `${method} needs a socket; use filters or polling here`);
  return new RpcError(RPC.methodNotFound, `the method ${method.slice(0, 80)} does not exist here`);
}
