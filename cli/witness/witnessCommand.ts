/** `assay witness`: the witness as a program, its state and its key in one file. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { publicKeyOf } from "../../api/log/key.ts";
import { isKeyName, verifierKey, vkeyText } from "../../attestor/log/note.ts";
import { PlainError, parseTyped, readAll, UsageError, type World } from "../console.ts";
import { readOrNull, replaceFile } from "../log/files.ts";
import { vkeyOf } from "../typed.ts";
import { createWitness, WitnessState } from "./witness.ts";

const LONGEST_BODY = 65_536;
const OPTIONS = {
  name: { type: "string" },
  state: { type: "string" },
  "log-key": { type: "string", multiple: true },
  port: { type: "string" },
  host: { type: "string" },
} as const;

export interface WitnessOptions {
  readonly name: string;
  readonly state: string;
  readonly logKeys: readonly string[];
  readonly port: number;
  readonly host: string;
}

export type RunningWitness = Awaited<ReturnType<typeof startWitness>>;

/** @throws UsageError, PlainError */
export async function startWitness(options: WitnessOptions, now: () => number) {
  const { name, state: path, port, host } = options;
  if (!isKeyName(name)) throw new UsageError("--name must not have spaces or +");
  const logs = options.logKeys.map((text) => vkeyOf("--log-key", text));
  if (logs.length === 0) throw new UsageError("witness needs --log-key with the log's verifier key");
  const save = (state: WitnessState) => replaceFile(path, `${JSON.stringify(state, null, 2)}\n`);
  const state = await stateIn(path, name, save);
  const key = verifierKey(name, 4, publicKeyOf(Buffer.from(state.seed, "hex")));
  const witness = createWitness(key, state, logs, save, now);
  const server = createServer(async (request, response) => {
    const body = await readAll(request, LONGEST_BODY).catch(() => null);
    const hash = /^\/([0-9a-f]{64})\/checkpoint$/.exec(request.url ?? "")?.[1];
    const answer =
      request.method === "POST" && request.url === "/add-checkpoint" && body !== null
        ? await witness.add(body).catch(() => ({ status: 500, body: "the state cannot be stored\n" }))
        : request.method === "GET" && hash !== undefined
          ? witness.last(hash)
          : { status: 404, body: "there is nothing here\n" };
    const type = "type" in answer ? answer.type : undefined;
    response.writeHead(answer.status, { "content-type": type ?? "text/plain; charset=utf-8" });
    response.end(answer.body);
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    vkey: vkeyText(key),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function stateIn(
  path: string,
  name: string,
  save: (state: WitnessState) => Promise<void>,
): Promise<WitnessState> {
  const text = await readOrNull(path);
  if (text === null) {
    const seed = randomBytes(32).toString("hex");
    const fresh: WitnessState = { schema: "assay.witness-state/1", name, seed, logs: {} };
    await save(fresh);
    return fresh;
  }
  let state: WitnessState;
  try {
    state = WitnessState.parse(JSON.parse(text));
  } catch {
    throw new PlainError(`${path} is not the state of a witness`);
  }
  if (state.name !== name) throw new PlainError(`${path} is the state of the witness ${state.name}`);
  return state;
}

/** Runs until it is ended. @throws UsageError, PlainError */
export async function witnessCommand(args: string[], world: World, now: () => number): Promise<number> {
  const {
    name,
    state,
    "log-key": logKeys = [],
    port,
    host = "127.0.0.1",
  } = parseTyped({ args, options: OPTIONS }).values;
  if (name === undefined || state === undefined) throw new UsageError("witness needs --name and --state");
  if (port !== undefined && !/^[0-9]{1,5}$/.test(port)) throw new UsageError("--port must be a number");
  const running = await startWitness({ name, state, logKeys, port: Number(port ?? 0), host }, now);
  world.out(`${running.vkey} ${running.url}`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await running.stop();
  return 0;
}
