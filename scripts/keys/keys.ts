/** `npm run keys`: the API keys, for admins. Works on the database directly, whether the service runs or not. */
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { z } from "zod";
import { createKeys, KeyError, type KeyEvent, type KeyRecord, type Keys } from "../../api/keys/keys.ts";
import { parseDatabaseUrl } from "../../api/settings/config.ts";
import { environment } from "../../api/settings/environment.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { isToldPlainly, withTables } from "../withDatabase.ts";
import HELP_LINES from "../../cli/help/commands.json" with { type: "json" };

export const HELP = HELP_LINES.keys.join("\n");

export interface KeysCommandDeps {
  readonly keys: Keys;
  /** The operator, for the history. */
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
  if (command === "list" || command === "history") return show(command, rest, deps);
  return change(command, rest, deps);
}

async function show(
  command: "list" | "history",
  [id, ...more]: readonly string[],
  { keys, print }: KeysCommandDeps,
): Promise<boolean> {
  if (more.length > 0 || (command === "list" && id !== undefined)) return false;
  if (command === "list") for (const record of await keys.list()) print(lineOf(record, record));
  else if (id !== undefined) for (const event of await keys.history(id)) print(eventOf(event));
  else for (const { keyId, ...event } of await keys.audit()) print(`${keyId}  ${eventOf(event)}`);
  return true;
}

async function change(
  command: string | undefined,
  rest: readonly string[],
  deps: KeysCommandDeps,
): Promise<boolean> {
  const { keys, actor } = deps;
  const [id = "", value = ""] = rest;
  if (command === "apply" || command === "create") return make(command, rest, deps);
  if (command === "approve" && rest.length === 1) await changeOne(id, () => keys.approve(id, actor), deps);
  else if (command === "revoke" && rest.length === 1) await changeOne(id, () => keys.revoke(id, actor), deps);
  else if (command === "limit" && rest.length === 2) {
    const limit = value === "default" ? null : wholeNumber(value);
    await changeOne(id, () => keys.setLimit(id, limit, actor), deps);
  } else return false;
  return true;
}

/** Says so where there was nothing to change. */
async function changeOne(id: string, work: () => Promise<KeyRecord>, { keys, print }: KeysCommandDeps) {
  const before = (await keys.list()).find((record) => record.id === id);
  const after = await work();
  const isSo = before?.state === after.state && before.limitPerMinute === after.limitPerMinute;
  print(lineOf(after, before));
  if (isSo) print("Nothing to do: it is already so.");
}

async function make(
  command: "apply" | "create",
  args: readonly string[],
  { keys, actor, print }: KeysCommandDeps,
): Promise<boolean> {
  const text = { type: "string" } as const;
  const options = { name: text, email: text, purpose: text };
  const given = orElse(() => parseArgs({ args: [...args], options }).values, null);
  const { name, email, purpose } = given ?? {};
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

function lineOf(
  { id, state, limitPerMinute, createdAt, name, email, purpose }: KeyRecord,
  { isAutomatic = false }: { readonly isAutomatic?: boolean } = {},
): string {
  const limit = limitPerMinute === null ? "default limit" : `${limitPerMinute} a minute`;
  return [
    id,
    state.padEnd(7),
    limit.padEnd(13),
    // Before what applicants write themselves.
    ...(isAutomatic ? ["approved automatically"] : []),
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
    return await withTables(parseDatabaseUrl(environment()).reveal(), (db) =>
      runKeysCommand(args, {
        keys: createKeys({ db, now: Date.now, randomBytes }),
        actor: userInfo().username,
        print: console.log,
        printError: console.error,
      }),
    );
  } catch (error) {
    if (!isToldPlainly(error)) throw error;
    console.error(error.message);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await keysMain(process.argv.slice(2));
