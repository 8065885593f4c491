/** `assay mcp`: a service's MCP server over stdio. Standard output carries the protocol alone. */
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Environment, environment } from "../../api/settings/environment.ts";
import { type Client, createClient, ServiceError } from "../../client/client.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import { PlainError, parseTyped, UsageError, type World } from "../console.ts";
import { bridge } from "./bridge.ts";

export interface McpCommandDeps {
  readonly env: Environment;
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

/**
 * @returns the exit code
 * @throws UsageError, PlainError
 */
export async function mcpCommand(
  args: string[],
  world: World,
  deps: McpCommandDeps = realDeps(),
): Promise<number> {
  const { streams, end } = deps;
  const target = await targetOf(args, deps);
  await tryOut(target, end);
  if (end.aborted) return 0;
  const { baseUrl, apiKey } = target;
  world.err(`assay mcp: serving the tools of ${baseUrl}`);
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}/mcp`);
  // Its message could contain anything, so only its kind is shown.
  await bridge(streams, { url, headers: { authorization: `Bearer ${apiKey}` } }, end, ({ name }) =>
    world.err(`assay mcp: a message failed (${name})`),
  );
  return 0;
}

function realDeps(): McpCommandDeps {
  const end = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => end.abort());
  return {
    env: environment(),
    // Hosts start commands wherever they happen to stand.
    dataDirs: [resolve("./data"), join(import.meta.dirname, "../../data")],
    streams: { input: process.stdin, output: process.stdout },
    end: end.signal,
  };
}

async function targetOf(args: string[], { env, dataDirs }: McpCommandDeps): Promise<Target> {
  const { url = env.ASSAY_URL || undefined, key } = parseTyped({
    args,
    options: { url: { type: "string" }, key: { type: "string" } },
  }).values;
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
  throw new PlainError(
    `there is no local.json in ${folders.join(" or ")}: start the service with \`npm start\` or pass --url`,
  );
}

function connect({ baseUrl, apiKey }: Target, end: AbortSignal): Client {
  try {
    return createClient({
      baseUrl,
      apiKey,
      // When the process is to end, neither a request nor a wait may hold it up.
      fetch: (input, init) =>
        fetch(input, { ...init, signal: AbortSignal.any([end, ...(init?.signal ? [init.signal] : [])]) }),
      sleep: (ms) => sleep(ms, undefined, { signal: end }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

/** A host shows what a command says when it ends at once; what tools say later is for the model. */
async function tryOut(target: Target, end: AbortSignal): Promise<void> {
  const { baseUrl, hint } = target;
  const client = connect(target, end);
  try {
    await client.assets();
  } catch (error) {
    if (end.aborted) return;
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 401 || error.status === 403)
      throw new PlainError(`the service at ${baseUrl} refuses the key: ${error.message}`);
    if (error.status === null) throw new PlainError(`${error.message} ${hint}`);
    throw new PlainError(`the service at ${baseUrl} cannot be used: ${error.message}`);
  }
}
