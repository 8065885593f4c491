/** Failures of the local chain: those of a JSON-RPC request, and those that keep it from starting. */

/** An answer to a JSON-RPC request that is an error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/** Codes of JSON-RPC 2.0, EIP-1474 and, for reverts, of the clients in use. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  rejected: -32000,
  methodNotSupported: -32004,
  limitExceeded: -32005,
  reverted: 3,
} as const;

/** A chain that cannot start. The message says what to do about it. */
export class ChainStartError extends Error {
  readonly code: "in_use" | "port_in_use" | "journal_corrupt" | "journal_mismatch";

  constructor(code: ChainStartError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ChainStartError";
    this.code = code;
  }
}
