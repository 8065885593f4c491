/** An MCP server over standard input and output until either side ends it. Standard output carries the protocol alone. */
import type { Readable, Writable } from "node:stream";
import type { McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

/** A message beyond it ends the connection: what is read is kept in memory until its end. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * @param end aborts when the process must end
 * @param onFault receives transport errors, such as a line that is no JSON; the server continues
 * @returns when the host has closed its side, or `end` aborted
 */
export async function serveUntilEnd(
  factory: McpServerFactory,
  { input, output }: Streams,
  end: AbortSignal,
  onFault: (error: Error) => void,
): Promise<void> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  const handle = serveStdio(factory, { transport, onerror: onFault });
  await new Promise<void>((resolve) => {
    const closed = transport.onclose;
    transport.onclose = () => {
      closed?.();
      resolve();
    };
    if (end.aborted) resolve();
    end.addEventListener("abort", () => resolve(), { once: true });
  });
  await handle.close();
}
