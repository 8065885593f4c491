/**
 * Results that are the same for all who ask in the same words: lists of tools and resources, assets, policies. Such a
 * request goes through the SDK once; what it answers is kept as text.
 */
import { hash } from "node:crypto";
import type { Request } from "express";
import { bytesOf, type Caches } from "../../chain/caches.ts";
import { TOOLS } from "./tools.ts";

const CONSTANT_TOOLS: ReadonlySet<unknown> = new Set(
  TOOLS.filter(({ isConstant }) => isConstant).map(({ name }) => name),
);
const CONSTANT_LISTS: ReadonlySet<unknown> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
]);

const KEPT = { maxBytes: 2 * 1024 * 1024, lifetimeMs: 600_000 };

/** Of a message whose answer is, or is to be, kept. */
export interface Kept {
  /** The answer; undefined: not known yet. */
  readonly answer: string | undefined;
  /** The tool that it calls; undefined: it calls none. */
  readonly tool: string | undefined;
  /** @param answer of the SDK, as text */
  keep(answer: string): void;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } | null;
}

/** @param headers those that decide about an answer, by lower-case name */
export function createKeptResults(caches: Caches, headers: readonly string[]) {
  const results = caches.open<{ text: string }>("MCP results", { ...KEPT, sizeOf: bytesOf });
  /** @param whose what beside the request decides about the answer @returns null for any other message */
  return (request: Request, body: unknown, whose: string): Kept | null => {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
    const { id, method, params } = body as Message;
    const isCall = method === "tools/call";
    if (isCall ? !CONSTANT_TOOLS.has(params?.name) : !CONSTANT_LISTS.has(method)) return null;
    if (typeof id !== "string" && !Number.isSafeInteger(id)) return null;
    // By digest: nothing that a host sends lingers in memory.
    const asked = [whose, headers.map((name) => request.headers[name]), { ...body, id: 0 }];
    const key = hash("sha256", JSON.stringify(asked), "base64");
    const keptText = results.get(key)?.text;
    const end = `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
    return {
      tool: isCall ? String(params?.name) : undefined,
      answer: keptText === undefined ? undefined : keptText + end,
      keep(answer) {
        const isResult = answer.startsWith('{"result":{') && answer.endsWith(end);
        if (isResult && !answer.includes('"isError":true'))
          results.set(key, { text: answer.slice(0, -end.length) });
      },
    };
  };
}
