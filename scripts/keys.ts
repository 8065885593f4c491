/** `npm run keys`: the API keys, for admins. Works on the database directly, whether the service runs or not. */
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { z } from "zod";
import { ConfigError, environment, parseDatabaseUrl } from "../api/config.ts";
import { createKeys, KeyError, type KeyRecord, type Keys } from "../api/keys.ts";
import { isDatabaseUnavailable } from "../database/errors.ts";
import { migrate } from "../database/migrate.ts";
import { openDatabase } from "../database/open.ts";

export const HELP = `Usage: npm run keys -- <command>

  list                                     every key, oldest first
  create --name N --email E --purpose P    an active key; it is shown once
  approve <key id>                         makes a pending key active
  revoke <key id>                          ends a key for good
  limit <key id> <requests|default>        requests a minute
  history <key id>                         what happened to a key, and who did it

Environment: DATABASE_URL, or DATA_DIR for the SQLite file in it.`;

export interface KeysCommandDeps {
  readonly keys: Keys;
  /** Who is at the keyboard; stands in the history. */
  readonly actor: string;
  print(line: string): void;
  printError(line: string): void;
}

/** @returns the exit code: 0 done, 1 refused, 2 not understood */
export async function runKeysCommand(args: readonly string[], deps: KeysCommandDeps): Promise<number> {
  try {
    const done = await run(args, deps);
    if (!done) deps.printError(HELP);
    return done ? 0 : 2;
  } catch (error) {
    if (error instanceof KeyError) deps.printError(error.message);
    else if (error instanceof z.ZodError) deps.printError(z.prettifyError(error));
    else throw error;
    return 1;
  }
}

async function run([command, ...rest]: readonly string[], deps: KeysCommandDeps): Promise<boolean> {
  const { keys, actor, print } = deps;
  const [id, value, ...more] = rest;
  const oneId = id !== undefined && value === undefined;
  if (command === "list" && rest.length === 0) {
    for (const record of await keys.list()) print(lineOf(record));
    return true;
  }
  if (command === "create") return create(rest, deps);
  if (command === "approve" && oneId) print(lineOf(await keys.approve(id, actor)));
  else if (command === "revoke" && oneId) print(lineOf(await keys.revoke(id, actor)));
  else if (command === "limit" && id !== undefined && value !== undefined && more.length === 0)
    print(lineOf(await keys.setLimit(id, value === "default" ? null : wholeNumber(value), actor)));
  else if (command === "history" && oneId)
    for (const event of await keys.history(id))
      print(
        [new Date(event.at).toISOString(), event.actor, event.action, event.detail ?? ""]
          .join("  ")
          .trimEnd(),
      );
  else return false;
  return true;
}

async function create(args: readonly string[], { keys, actor, print }: KeysCommandDeps): Promise<boolean> {
  const text = { type: "string" } as const;
  let values: { name?: string; email?: string; purpose?: string };
  try {
    ({ values } = parseArgs({ args: [...args], options: { name: text, email: text, purpose: text } }));
  } catch {
    return false;
  }
  const { name, email, purpose } = values;
  if (name === undefined || email === undefined || purpose === undefined) return false;
  const { key, record } = await keys.create({ name, email, purpose }, actor);
  print(lineOf(record));
  print(`The key, shown this once: ${key}`);
  return true;
}

/** Not a number becomes one that no limit allows, so that there is one refusal. */
function wholeNumber(text: string): number {
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

function lineOf({ id, state, limitPerMinute, createdAt, name, email, purpose }: KeyRecord): string {
  const limit = limitPerMinute === null ? "default limit" : `${limitPerMinute} a minute`;
  return [
    id,
    state.padEnd(7),
    limit.padEnd(13),
    new Date(createdAt).toISOString(),
    `${name} <${email}>`,
    purpose,
  ].join("  ");
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.length === 0 || args.includes("--help")) {
    console.log(HELP);
    return args.length === 0 ? 2 : 0;
  }
  const db = openDatabase(parseDatabaseUrl(environment()).reveal());
  try {
    await migrate(db);
    return await runKeysCommand(args, {
      keys: createKeys({ db, now: Date.now, randomBytes }),
      actor: userInfo().username,
      print: console.log,
      printError: console.error,
    });
  } finally {
    await db.destroy();
  }
}

if (import.meta.main)
  process.exitCode = await main().catch((error: unknown) => {
    if (!isDatabaseUnavailable(error) && !(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 1;
  });
