/** `npm run keys`: the API keys, for admins. Works on the database directly, whether the service runs or not. */
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { z } from "zod";
import { createKeys, KeyError, type KeyEvent, type KeyRecord, type Keys } from "../api/keys/keys.ts";
import { ConfigError, parseDatabaseUrl } from "../api/settings/config.ts";
import { environment } from "../api/settings/environment.ts";
import { WrongDatabase } from "../database/compatibility.ts";
import { isDatabaseUnavailable } from "../database/databaseErrors.ts";
import { migrate } from "../database/migrate.ts";
import { openDatabase } from "../database/open.ts";

export const HELP = `Usage: npm run keys -- <command>

  list                                     every key, oldest first
  apply --name N --email E --purpose P     a pending key; it is shown once
  create --name N --email E --purpose P    an active key; it is shown once
  approve <key id>                         makes a pending key active
  revoke <key id>                          revokes a key for good
  limit <key id> <requests|default>        requests per minute
  history [<key id>]                       what happened to a key, or to all keys: when, who, what

The same as tasks: npx hardhat keys <command>. Every change is kept with its time and who made it.

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
  if (command === "apply" || command === "create") return make(command, rest, deps);
  if (command === "approve" && oneId) await change(id, () => keys.approve(id, actor), deps);
  else if (command === "revoke" && oneId) await change(id, () => keys.revoke(id, actor), deps);
  else if (command === "limit" && id !== undefined && value !== undefined && more.length === 0) {
    const limit = value === "default" ? null : wholeNumber(value);
    await change(id, () => keys.setLimit(id, limit, actor), deps);
  } else if (command === "history" && oneId)
    for (const event of await keys.history(id)) print(eventOf(event));
  else if (command === "history" && rest.length === 0)
    for (const { keyId, ...event } of await keys.audit()) print(`${keyId}  ${eventOf(event)}`);
  else return false;
  return true;
}

/** Says so where there was nothing to change. */
async function change(
  id: string,
  work: () => Promise<KeyRecord>,
  { keys, print }: KeysCommandDeps,
): Promise<void> {
  const before = await keys.history(id);
  print(lineOf(await work()));
  if ((await keys.history(id)).length === before.length) print("Nothing to do: it is already so.");
}

async function make(
  command: "apply" | "create",
  args: readonly string[],
  { keys, actor, print }: KeysCommandDeps,
): Promise<boolean> {
  const text = { type: "string" } as const;
  let values: { name?: string; email?: string; purpose?: string };
  try {
    ({ values } = parseArgs({ args: [...args], options: { name: text, email: text, purpose: text } }));
  } catch {
    return false;
  }
  const { name, email, purpose } = values;
  if (name === undefined || email === undefined || purpose === undefined) return false;
  const { key, record } = await keys[command]({ name, email, purpose }, actor);
  print(lineOf(record));
  print(`The key, shown only this once: ${key}`);
  return true;
}

function eventOf({ at, actor, action, detail }: KeyEvent): string {
  return [new Date(at).toISOString(), actor, action, detail ?? ""].join("  ").trimEnd();
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

/**
 * The command on the database that the environment names. Shared by `npm run keys` and the tasks.
 * @returns the exit code: 0 done, 1 refused or no database, 2 not understood
 */
export async function keysMain(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes("--help")) {
    console.log(HELP);
    return args.length === 0 ? 2 : 0;
  }
  try {
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
  } catch (error) {
    const known =
      isDatabaseUnavailable(error) || error instanceof WrongDatabase || error instanceof ConfigError;
    if (!known) throw error;
    console.error(error.message);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await keysMain(process.argv.slice(2));
