/** `assay mcp`: a service's MCP server over stdio. Standard output carries the protocol alone. */
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "../../api/settings/environment.ts";
import { type Client, createClient, ServiceError } from "../../client/client.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import { command, type GivenBy, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, Unusable, UsageError } from "../errors.ts";
import { bridge } from "./bridge.ts";

export interface McpDeps {
  /** Where a local service's file may lie when DATA_DIR does not say it; the first one counts. */
  readonly dataDirs: readonly string[];
  readonly streams: Parameters<typeof bridge>[0];
  /** Aborts when the process must end. */
  readonly end: AbortSignal;
}

interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** What helps when it is away. */
  readonly hint: string;
}

const OPTIONS = {
  url: text("URL", "the service (or ASSAY_URL); without it the local one, from DATA_DIR/local.json"),
  key: text("KEY", "its API key; better in ASSAY_API_KEY, as other users see a command line"),
};
type McpGiven = Partial<GivenBy<typeof OPTIONS>>;

export const mcp = command({
  summary: "Serve the MCP tools over standard input and output, for hosts that start a command",
  options: OPTIONS,
  notes: [
    "The tools use a running service; wallet keys never come here.",
    "Ends when standard input is closed, and on SIGTERM. Exit code 0, or 2 with one line on standard",
    "error when the service cannot be reached, the key is refused, or the command is invalid.",
  ],
  run: (given, world) => serve(given, world, realDeps()),
});

/** @returns the exit code @throws UsageError, Unusable */
export async function serve(given: McpGiven, world: World, deps: McpDeps): Promise<number> {
  const { streams, end } = deps;
  const target = await targetOf(given, world.env, deps);
  await tryOut(target, end, world.fetch);
  if (end.aborted) return EXIT.ok;
  const { baseUrl, apiKey } = target;
  world.err(`assay mcp: serving the tools of ${baseUrl}`);
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/mcp`);
  // Its message could contain anything, so only its kind is shown.
  await bridge(streams, { url, headers: { authorization: `Bearer ${apiKey}` } }, end, ({ name }) =>
    world.err(`assay mcp: a message failed (${name})`),
  );
  return EXIT.ok;
}

function realDeps(): McpDeps {
  const end = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => end.abort());
  return {
    // Hosts start commands wherever they happen to stand.
    dataDirs: [resolve("./data"), join(import.meta.dirname, "../../data")],
    streams: { input: process.stdin, output: process.stdout },
    end: end.signal,
  };
}

async function targetOf(given: McpGiven, env: Environment, { dataDirs }: McpDeps): Promise<Target> {
  const { url = env.ASSAY_URL || undefined, key } = given;
  if (url !== undefined) {
    const apiKey = key ?? env.ASSAY_API_KEY;
    if (!apiKey) throw new UsageError("a service needs a key: set ASSAY_API_KEY or pass --key");
    return { baseUrl: url, apiKey, hint: "Is the URL right?" };
  }
  const folders = env.DATA_DIR ? [resolve(env.DATA_DIR)] : dataDirs;
  for (const folder of folders) {
    const local = await readLocalFile(folder);
    // A key in the environment is for another service, so it stays there.
    if (local !== null)
      return { baseUrl: local.baseUrl, apiKey: key ?? local.apiKey, hint: "Is `npm start` running?" };
  }
  throw new Unusable(
    `there is no local.json in ${folders.join(" or ")}: start the service with \`npm start\` or pass --url`,
  );
}

function connect({ baseUrl, apiKey }: Target, end: AbortSignal, ask: typeof fetch): Client {
  try {
    return createClient({
      baseUrl,
      apiKey,
      // When the process is to end, neither a request nor a wait may hold it up.
      fetch: (input, init) =>
        ask(input, { ...init, signal: AbortSignal.any([end, ...(init?.signal ? [init.signal] : [])]) }),
      sleep: (ms) => sleep(ms, undefined, { signal: end }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

/** A host shows what a command says when it ends at once; what tools say later is for the model. */
async function tryOut(target: Target, end: AbortSignal, ask: typeof fetch): Promise<void> {
  const { baseUrl, hint } = target;
  const client = connect(target, end, ask);
  try {
    await client.assets();
  } catch (error) {
    if (end.aborted) return;
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 401 || error.status === 403)
      throw new Unusable(`the service at ${baseUrl} refuses the key: ${error.message}`);
    if (error.status === null) throw new Unusable(`${error.message} ${hint}`);
    throw new Unusable(`the service at ${baseUrl} cannot be used: ${error.message}`);
  }
}
