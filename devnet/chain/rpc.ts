/** JSON-RPC 2.0 over a chain node: from a parsed body to an answer. Knows nothing of HTTP. */
import { RPC, RpcError } from "./errors.ts";
import { isRead, refusal } from "./methods.ts";
import type { ChainNode } from "./node.ts";
import { signForAccount } from "./wallet.ts";

/** More calls than this in one batch are refused. */
const MAX_BATCH = 1_000;

export interface RpcAnswer {
  jsonrpc: "2.0";
  id: string | number | null;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/**
 * Runs one call.
 * @throws RpcError with the code and message to answer with
 */
export async function callMethod(
  node: ChainNode,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  if (method === "eth_sendRawTransaction") return await node.send(rawOf(params));
  if (method === "eth_sendTransaction") return await node.send(await signForAccount(node, params[0]));
  if (!isRead(method)) throw refusal(method);
  return await node.read(method, params);
}

/**
 * Answers a whole body: one request or a batch.
 * @returns null when nothing is to be answered (notifications)
 */
export async function answer(node: ChainNode, body: unknown): Promise<RpcAnswer | RpcAnswer[] | null> {
  if (!Array.isArray(body)) return await answerOne(node, body);
  if (body.length === 0) return failure(null, new RpcError(RPC.invalidRequest, "an empty batch"));
  if (body.length > MAX_BATCH)
    return failure(null, new RpcError(RPC.limitExceeded, `a batch has at most ${MAX_BATCH} calls`));
  const answers: RpcAnswer[] = [];
  // One after the other: a batch often sends transactions that build on each other.
  for (const request of body) {
    const one = await answerOne(node, request);
    if (one !== null) answers.push(one);
  }
  return answers.length === 0 ? null : answers;
}

export function failure(id: RpcAnswer["id"], error: RpcError): RpcAnswer {
  const { code, message, data } = error;
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}

async function answerOne(node: ChainNode, request: unknown): Promise<RpcAnswer | null> {
  let id: RpcAnswer["id"] = null;
  try {
    if (typeof request !== "object" || request === null || Array.isArray(request))
      throw new RpcError(RPC.invalidRequest, "a request is a JSON object");
    const fields = request as Record<string, unknown>;
    if (
      fields.id !== undefined &&
      fields.id !== null &&
      typeof fields.id !== "string" &&
      typeof fields.id !== "number"
    )
      throw new RpcError(RPC.invalidRequest, "id must be a string, a number or null");
    id = fields.id ?? null;
    if (fields.jsonrpc !== "2.0") throw new RpcError(RPC.invalidRequest, 'jsonrpc must be "2.0"');
    if (typeof fields.method !== "string") throw new RpcError(RPC.invalidRequest, "method must be a string");
    if (fields.params !== undefined && !Array.isArray(fields.params))
      throw new RpcError(RPC.invalidParams, "params must be an array");
    const result = await callMethod(node, fields.method, fields.params ?? []);
    return fields.id === undefined ? null : { jsonrpc: "2.0", id, result };
  } catch (error) {
    return failure(
      id,
      error instanceof RpcError ? error : new RpcError(RPC.internal, (error as Error).message),
    );
  }
}

function rawOf(params: readonly unknown[]): string {
  const [raw] = params;
  if (params.length !== 1 || typeof raw !== "string" || !/^0x([0-9a-fA-F]{2})+$/.test(raw))
    throw new RpcError(
      RPC.invalidParams,
      "eth_sendRawTransaction takes one signed transaction in hexadecimal",
    );
  return raw;
}
