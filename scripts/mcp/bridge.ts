/** Messages of a host's standard streams go to the service's POST /mcp as they are, and its answers back. */
import type { Readable, Writable } from "node:stream";
import { type RequestId, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { orElse } from "../../attestor/values/orElse.ts";

/** A message beyond it ends the connection: what is read is kept in memory until its end. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const UNANSWERED = { code: -32_603, message: "The service did not answer." };

/** What the service says of a request that it does not take. */
const Refusal = z.object({ error: z.looseObject({ code: z.int(), message: z.string() }) });

function refusalIn(error: unknown) {
  const text = error instanceof SdkHttpError ? String(error.data.text) : "";
  return Refusal.safeParse(orElse(() => JSON.parse(text), null)).data?.error ?? UNANSWERED;
}

/**
 * @param end aborts when the process must end
 * @param onFault receives faults of either side; the bridge continues
 * @returns when the host has closed its side, or `end` aborted
 */
export async function bridge(
  streams: { readonly input: Readable; readonly output: Writable },
  { url, headers }: { readonly url: URL; readonly headers: Record<string, string> },
  end: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  const host = new StdioServerTransport(streams.input, streams.output, { maxBufferSize: MAX_MESSAGE_BYTES });
  const service = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const waiting = new Set<RequestId>();
  host.onmessage = (message) => {
    const id = "method" in message && "id" in message ? message.id : null;
    if (id !== null) waiting.add(id);
    const fail = (error?: unknown) => {
      if (id === null || !waiting.delete(id)) return;
      host.send({ jsonrpc: "2.0", id, error: refusalIn(error) }).catch(onFault);
    };
    service.send(message, { onRequestStreamEnd: fail }).catch(fail);
  };
  service.onmessage = (message) => {
    if (!("method" in message) && message.id !== undefined) waiting.delete(message.id);
    if ("result" in message && typeof message.result.protocolVersion === "string")
      service.setProtocolVersion(message.result.protocolVersion);
    host.send(message).catch(onFault);
  };
  host.onerror = service.onerror = onFault;
  const over = new Promise<void>((resolve) => {
    host.onclose = resolve;
    end.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.all([service.start(), host.start()]);
  if (!end.aborted) await over;
  // Nobody is there any more to be told.
  waiting.clear();
  await Promise.all([service.close(), host.close()]);
}
