/** A JSON-RPC client as small as the verifier needs it: one request, a time limit, two kinds of error. */
import { z } from "zod";

/** The node answered, and the answer is an error. */
export class RpcRefused extends Error {}

/** There is no answer, or none that is JSON-RPC. */
export class RpcUnreachable extends Error {}

/** Two answers of the node cannot both be true. The message says which, and ends without a period. */
export class RpcContradicts extends Error {}

/** @param error of a question to a node @returns what is wrong with the node, in a sentence */
export function nodeFault(error: unknown): string {
  if (error instanceof RpcUnreachable) return `The node cannot be reached: ${error.message}.`;
  if (error instanceof RpcRefused) return `The node refuses: ${error.message}.`;
  if (error instanceof RpcContradicts) return `The node contradicts itself: ${error.message}.`;
  return "The node returned an invalid response.";
}

/** @throws RpcRefused, RpcUnreachable */
export type Rpc = (method: string, params: unknown[]) => Promise<unknown>;

const Answer = z.union([
  z.looseObject({ error: z.looseObject({ message: z.string().default("no reason given") }) }),
  z.looseObject({ result: z.unknown() }),
]);

/** Blocks and proofs have some hundred kilobytes, and a search for events not many megabytes. */
const MAX_ANSWER_MIB = 32;

/** @param url the node; never repeated in an error, as it may hold a key */
export function connectJsonRpc(url: string, timeoutMs = 15_000): Rpc {
  let id = 0;
  return async (method, params) => {
    let body: unknown;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      body = await bodyOf(response);
    } catch (error) {
      if (error instanceof RpcUnreachable) throw error;
      throw new RpcUnreachable(reasonOf(error, timeoutMs));
    }
    const answer = Answer.safeParse(body);
    if (!answer.success) throw new RpcUnreachable("it answers something other than JSON-RPC");
    if ("error" in answer.data) throw new RpcRefused((answer.data.error as { message: string }).message);
    return answer.data.result;
  };
}

/** Read to its bound: what comes after it could fill the memory. */
async function bodyOf(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const bytes of response.body ?? []) {
    length += bytes.length;
    if (length > MAX_ANSWER_MIB * 1024 * 1024)
      throw new RpcUnreachable(`its answer is longer than ${MAX_ANSWER_MIB} MiB`);
    text += decoder.decode(bytes, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  if (name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  if (name === "SyntaxError") return "it answers something other than JSON-RPC";
  return cause?.code ?? "no connection";
}
