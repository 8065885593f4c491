/** What the front answers, and what it refuses and why. */
import { RPC, RpcError } from "./errors.ts";

/** Methods that read, handed to the embedded node as they are. */
const READS = new Set([
  "debug_traceTransaction",
  "debug_traceCall",
  "eth_accounts",
  "eth_blobBaseFee",
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_coinbase",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getCode",
  "eth_getFilterChanges",
  "eth_getFilterLogs",
  "eth_getLogs",
  "eth_getProof",
  "eth_getStorageAt",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_maxPriorityFeePerGas",
  "eth_newBlockFilter",
  "eth_newFilter",
  "eth_newPendingTransactionFilter",
  "eth_sign",
  "eth_signTypedData_v4",
  "eth_syncing",
  "eth_uninstallFilter",
  "net_listening",
  "net_peerCount",
  "net_version",
  "personal_sign",
  "web3_clientVersion",
  "web3_sha3",
]);

/** Where each method that runs against a block takes the block from, and the block it takes otherwise. */
const BLOCK_PARAMETER = new Map<string, { position: number; otherwise: string }>([
  ["debug_traceCall", { position: 1, otherwise: "latest" }],
  ["eth_call", { position: 1, otherwise: "latest" }],
  ["eth_estimateGas", { position: 1, otherwise: "pending" }],
  ["eth_getBalance", { position: 1, otherwise: "latest" }],
  ["eth_getBlockByNumber", { position: 0, otherwise: "latest" }],
  ["eth_getCode", { position: 1, otherwise: "latest" }],
  ["eth_getStorageAt", { position: 2, otherwise: "latest" }],
  ["eth_getTransactionCount", { position: 1, otherwise: "latest" }],
]);

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
