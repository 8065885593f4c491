/** `assay keys`: the API keys, for admins. Works on the database directly, whether the service runs or not. */
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { Problem } from "../api/http/problems.ts";
import { createKeys, type KeyEvent, type KeyRecord, type Keys } from "../api/keys/keys.ts";
import { MAX_LIMIT_PER_MINUTE } from "../api/settings/forms.ts";
import { argument, command, type GivenBy, optionalArgument, required, text } from "./command.ts";
import type { World } from "./console.ts";
import { DATABASE_SETTINGS, databaseUrlOf, withTables } from "./database.ts";
import { EXIT, UsageError } from "./errors.ts";
import { JSON_OPTION, show } from "./json.ts";
import { wholeNumber } from "./typed.ts";

const notes = [DATABASE_SETTINGS, "Every change is kept with its time and who made it."];
const KEY = { keyId: argument("the key's id") };
const HOLDER = {
  name: required(text("NAME", "whose key it is")),
  email: required(text("EMAIL", "how to reach them")),
  purpose: required(text("TEXT", "what it is for")),
};

export const listKeys = command({
  summary: "List every key, oldest first",
  options: JSON_OPTION,
  notes,
  run: ({ json }, world) =>
    withKeys(world, async (keys) => {
      const records = await keys.list();
      show(
        world,
        json,
        records,
        records.map((record) => lineOf(record, record)),
      );
    }),
});

export const keyHistory = command({
  summary: "Show what happened to a key, or to all keys: when, who, what",
  positionals: { keyId: optionalArgument("the key's id; all keys without it") },
  options: JSON_OPTION,
  notes,
  run: ({ keyId, json }, world) =>
    withKeys(world, async (keys) => {
      const events = keyId === undefined ? await keys.audit() : await keys.history(keyId);
      show(world, json, events, events.map(eventText));
    }),
});

export const applyForKey = command({
  summary: "Make a pending key; it is shown once",
  options: HOLDER,
  notes,
  run: (given, world) => withKeys(world, (keys) => make(keys.apply, given, world)),
});

export const createKey = command({
  summary: "Make an active key; it is shown once",
  options: HOLDER,
  notes,
  run: (given, world) => withKeys(world, (keys) => make(keys.create, given, world)),
});

export const approveKey = command({
  summary: "Make a pending key active",
  positionals: KEY,
  notes,
  run: ({ keyId }, world) =>
    withKeys(world, (keys) => change(keyId, () => keys.approve(keyId, actor()), keys, world)),
});

export const revokeKey = command({
  summary: "Revoke a key for good",
  positionals: KEY,
  notes,
  run: ({ keyId }, world) =>
    withKeys(world, (keys) => change(keyId, () => keys.revoke(keyId, actor()), keys, world)),
});

export const limitKey = command({
  summary: "Set how many requests a minute a key may make",
  positionals: { ...KEY, requests: argument("a number, or default", limitTyped) },
  notes,
  run: ({ keyId, requests }, world) =>
    withKeys(world, (keys) => change(keyId, () => keys.setLimit(keyId, requests, actor()), keys, world)),
});

/** The operator, for the history. */
const actor = () => userInfo().username;

/** @throws UsageError for what no key can be made with */
async function withKeys(world: World, work: (keys: Keys) => Promise<void>): Promise<number> {
  try {
    await withTables(databaseUrlOf(world), (db) => work(createKeys({ db, now: world.now, randomBytes })));
    return EXIT.ok;
  } catch (error) {
    if (error instanceof Problem) throw new UsageError(wordsOf(error));
    throw error;
  }
}

/** What an application may not be, by the names of the options. */
function wordsOf({ errors = [] }: Problem): string {
  return errors.map(({ path, message }) => `--${path} ${message}`).join("; ");
}

/** Says so where there was nothing to change. */
async function change(id: string, work: () => Promise<KeyRecord>, keys: Keys, { out }: World): Promise<void> {
  const before = (await keys.list()).find((record) => record.id === id);
  const after = await work();
  const isSame = before?.state === after.state && before.limitPerMinute === after.limitPerMinute;
  out(lineOf(after, before));
  if (isSame) out("Nothing to do: it is already so.");
}

async function make(
  made: Keys["create"],
  { name, email, purpose }: GivenBy<typeof HOLDER>,
  { out }: World,
): Promise<void> {
  const { key, record } = await made({ name, email, purpose }, actor());
  out(lineOf(record));
  out(`The key, shown only this once: ${key}`);
}

/** With the key's id where events of all keys are shown. */
function eventText({ keyId, at, actor: by, action, detail }: KeyEvent & { keyId?: string }): string {
  const of = keyId === undefined ? [] : [keyId];
  return [...of, new Date(at).toISOString(), by, action, detail ?? ""].join("  ").trimEnd();
}

/** null: the default. */
function limitTyped(typed: string): number | null {
  return typed === "default" ? null : wholeNumber(1, MAX_LIMIT_PER_MINUTE)(typed);
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
