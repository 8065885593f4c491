/** `assay log`: follows a decision log, and finds judgements in it. */
import { z } from "zod";
import { type LogTrust, openCheckpoint } from "../../attestor/log/checkpoint.ts";
import { readEntry } from "../../attestor/log/entry.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { LogError } from "../../attestor/log/logError.ts";
import { isIncluded } from "../../attestor/log/merkle.ts";
import { parseTlogProof } from "../../attestor/log/tlogProof.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import { asRecord } from "../../attestor/values/json.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { PlainError, parseTyped, UsageError, type World } from "../console.ts";
import { vkeyOf } from "../typed.ts";
import { filesOf, readOrNull, replaceFile } from "./files.ts";
import { type Followed, FollowState, followLog, LogLied, NOTHING_SEEN, textOf } from "./follow.ts";
import { supersedeLog } from "./supersede.ts";

const OPTIONS = {
  "log-key": { type: "string", multiple: true },
  witness: { type: "string", multiple: true },
  state: { type: "string" },
  "new-only": { type: "boolean" },
} as const;

interface Outside {
  readonly fetch: typeof fetch;
  /** The service's database. */
  databaseUrl(): string;
  now(): UnixMs;
}

interface Asking {
  readonly trust: LogTrust;
  readonly world: World;
  readonly outside: Outside;
}

/** @throws UsageError, PlainError */
export async function logCommand(args: string[], world: World, outside: Outside): Promise<number> {
  const { values, positionals } = parseTyped({ args, allowPositionals: true, options: OPTIONS });
  const [action, ...rest] = positionals;
  const trust: LogTrust = {
    logs: (values["log-key"] ?? []).map((text) => vkeyOf("--log-key", text)),
    witnesses: (values.witness ?? []).map((text) => vkeyOf("--witness", text)),
  };
  if (action === "supersede" && rest.length === 0)
    return await supersedeLog(outside.databaseUrl(), outside.now(), world);
  if (trust.logs.length === 0) throw new UsageError("log needs --log-key with the log's verifier key");
  const { state, "new-only": isNewOnly = false } = values;
  if (isNewOnly && state === undefined) throw new UsageError("--new-only goes with --state");
  const asking = { trust, world, outside };
  const run = () => {
    const [first = "", second = ""] = rest;
    if (action === "check" && rest.length === 1) return check(first, { state, isNewOnly }, asking);
    if (action === "find" && rest.length === 2) return find(first, second, asking);
    throw new UsageError("log needs check <url>, find <evidenceHash> <url>, or supersede");
  };
  try {
    return await run();
  } catch (error) {
    if (error instanceof LogError) throw new PlainError(error.message);
    throw error;
  }
}

async function stateIn(path: string | undefined): Promise<FollowState> {
  const text = path === undefined ? null : await readOrNull(path);
  if (text === null) return NOTHING_SEEN;
  try {
    return FollowState.parse(JSON.parse(text));
  } catch {
    throw new PlainError(`${path} is not a state file written by assay log check`);
  }
}

async function check(
  url: string,
  { state: statePath, isNewOnly }: { state: string | undefined; isNewOnly: boolean },
  asking: Asking,
): Promise<number> {
  const { trust, world, outside } = asking;
  const state = await stateIn(statePath);
  try {
    const followed = await followLog(filesOf(url, outside.fetch), trust, state, {
      isNewOnly,
      onProgress: (hashed, size) => world.err(`${hashed} of ${size} entries hashed`),
    });
    const { origin } = followed.checkpoint;
    const lacking = (trust.witnesses ?? []).filter(({ name }) => !followed.witnesses.includes(name));
    if (statePath !== undefined) {
      const logs = { ...state.logs, [origin]: followed.seen };
      await replaceFile(statePath, `${JSON.stringify({ ...state, logs }, null, 2)}\n`);
    }
    world.out(summary(followed, isNewOnly));
    for (const { name } of lacking) world.out(`Not cosigned by ${name}.`);
    return lacking.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof LogLied)) throw error;
    world.out(`The log contradicts what it signed: ${error.message}.`);
    const evidence = `${error.checkpoints.join("\n")}`;
    if (statePath === undefined) world.out(evidence);
    else {
      const path = `${statePath}.contradiction`;
      await replaceFile(path, evidence);
      world.out(`The checkpoints that prove it are in ${path}.`);
    }
    return 1;
  }
}

function summary({ checkpoint, entries, denials, unknown }: Followed, isNewOnly: boolean): string {
  const { origin, size } = checkpoint;
  const kinds = [...unknown].map(([kind, count]) => `, ${count} of the unknown kind ${kind}`).join("");
  const what = isNewOnly
    ? `only these hashed: ${size - entries} older entries and the tiles were not checked.`
    : "each hashed again, every tile compared.";
  return `${origin}: ${size} entries, ${entries} new (${denials} denials${kinds}), ${what}`;
}

const Found = z.object({
  entries: z.array(z.object({ origin: z.string(), index: z.int(), entry: z.string(), proof: z.string() })),
});

/** What the log says of an evidence hash, each entry with a proof that holds. */
async function found(evidenceHash: string, url: string, { trust, outside }: Asking) {
  if (!/^0x[0-9a-f]{64}$/.test(evidenceHash))
    throw new UsageError("an evidence hash is 0x and 64 lower-case hexadecimal digits");
  const answer = Found.safeParse(
    JSON.parse(textOf(await filesOf(url, outside.fetch)(`find?evidenceHash=${evidenceHash}`))),
  );
  if (!answer.success) throw new PlainError(`${url} answers something other than entries`);
  return answer.data.entries.filter(({ entry, proof }) => {
    const { index, path, checkpoint } = parseTlogProof(proof);
    const { size, root } = openCheckpoint(checkpoint, trust);
    const leafHash = HASHER.leaf(utf8(entry));
    if (!isIncluded({ index, size, leafHash, proof: path, root }))
      throw new PlainError("the log's answer is an entry with an invalid proof");
    return asRecord(JSON.parse(entry))?.evidenceHash === evidenceHash;
  });
}

async function find(evidenceHash: string, url: string, asking: Asking): Promise<number> {
  const { world } = asking;
  const entries = await found(evidenceHash, url, asking);
  for (const { origin, index, entry } of entries) {
    const { kind, judgement } = readEntry(entry);
    world.out(`${origin} ${index} ${judgement === null ? `of the unknown kind ${kind}` : entry}`);
  }
  if (entries.length === 0) world.out("The log has no such entry.");
  return entries.length === 0 ? 1 : 0;
}
