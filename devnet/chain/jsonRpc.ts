/** JSON-RPC 2.0 from the text of a body to its answer, before the local chain's node. */
import type { LocalNode } from "./node.ts";

/** Codes of JSON-RPC 2.0 and EIP-1474. */
export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  unavailable: -32002,
  limitExceeded: -32005,
} as const;

const MAX_BATCH = 1_000;
/** Methods that read, send transactions or sign. `evm_` and `hardhat_` would change the chain without a transaction. */
const SERVED = /^(eth|net|web3)_|^debug_trace|^personal_sign$/;

type Node = Pick<LocalNode, "request">;

interface Answer {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/**
 * Runs the request or the batch of a body.
 * @returns null when nothing is to be answered (notifications)
 */
export async function answer(node: Node, body: string): Promise<Answer | Answer[] | null> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return failure(null, RPC.parse, "the body is not JSON");
  }
  if (!Array.isArray(parsed)) return await answerOne(node, parsed);
  if (parsed.length === 0) return failure(null, RPC.invalidRequest, "an empty batch");
  if (parsed.length > MAX_BATCH)
    return failure(null, RPC.limitExceeded, `a batch has at most ${MAX_BATCH} calls`);
  const answers: Answer[] = [];
  // One after the other: a batch often sends transactions that build on each other.
  for (const request of parsed) {
    const one = await answerOne(node, request);
    if (one !== null) answers.push(one);
  }
  return answers.length === 0 ? null : answers;
}

async function answerOne(node: Node, request: unknown): Promise<Answer | null> {
  if (typeof request !== "object" || request === null || Array.isArray(request))
    return failure(null, RPC.invalidRequest, "a request is a JSON object");
  const { jsonrpc, id = null, method, params = [] } = request as Record<string, unknown>;
  if (id !== null && typeof id !== "string" && typeof id !== "number")
    return failure(null, RPC.invalidRequest, "id must be a string, a number or null");
  if (jsonrpc !== "2.0" || typeof method !== "string")
    return failure(id, RPC.invalidRequest, 'jsonrpc must be "2.0", and method a string');
  if (!Array.isArray(params)) return failure(id, RPC.invalidParams, "params must be an array");
  if (!SERVED.test(method)) return failure(id, RPC.methodNotFound, refusal(method));
  const answered = await run(node, id, method, params);
  return "id" in request ? answered : null;
}

function refusal(method: string): string {
  return /^(evm|hardhat)_/.test(method)
    ? `${method} is refused: this chain changes through transactions only`
    : `the method ${method.slice(0, 80)} does not exist here`;
}

async function run(node: Node, id: unknown, method: string, params: unknown[]): Promise<Answer> {
  try {
    return { jsonrpc: "2.0", id, result: await node.request(method, params) };
  } catch (error) {
    const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
    // Revert data is text; other data of Hardhat's errors is the request itself.
    const revertData = typeof data === "string" ? data : undefined;
    return failure(id, typeof code === "number" ? code : RPC.internal, message, revertData);
  }
}

export function failure(id: unknown, code: number, message: string, data?: string): Answer {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}
