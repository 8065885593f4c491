/** `<chainId>.desired.json`: how an admin wants the guard to be. A member that is not there is not judged. */
import { z } from "zod";
import { Address, Text } from "../../attestor/values/primitives.ts";
import { nameOf, RouteKey } from "../../chain/guard/allowlists.ts";
import { CommandError } from "../errors.ts";
import { readJson } from "../records/files.ts";
import type { Records } from "../records/records.ts";

const DesiredRoute = RouteKey.extend({
  /** For the reader; has no effect. */
  name: Text.max(80).optional(),
});

/** The entries of a list are unique, ignoring case. */
const once = <T>(name: (entry: T) => string) =>
  [
    (entries: readonly T[]) => new Set(entries.map(name)).size === entries.length,
    { message: "has an entry twice" },
  ] as const;

export const Desired = z.strictObject({
  /** When it is there, the guard of the deployment's record must be this one. */
  guard: Address.optional(),
  paused: z.boolean().optional(),
  /** The attestation key. */
  signer: Address.optional(),
  /** The one admin, who also operates and pauses. */
  admin: Address.optional(),
  /** The one pauser beside the admin; null: nobody. */
  pauser: Address.nullable().optional(),
  /** Seconds that the admin's calls have to wait. */
  delay: z.int().min(0).optional(),
  /** All of them: what is allowed and not listed is one too many. */
  routes: z
    .array(DesiredRoute)
    .refine(...once<RouteKey>(nameOf))
    .optional(),
  recipients: z
    .array(Address)
    .refine(...once<string>((entry) => entry))
    .optional(),
});
export type Desired = z.infer<typeof Desired>;

/** @returns null when there is no such file. @throws CommandError `unreadable_file` */
export async function readDesired(records: Records, guard: string): Promise<Desired | null> {
  const path = records.path("desired.json");
  const desired = await readJson(path, Desired);
  if (desired?.guard !== undefined && desired.guard !== guard)
    throw new CommandError(
      "unreadable_file",
      `${path} is about the guard ${desired.guard}, and this is ${guard}.`,
    );
  return desired;
}

/** @throws CommandError `unreadable_file` also when there is no such file */
export async function requireDesired(records: Records, guard: string): Promise<Desired> {
  const desired = await readDesired(records, guard);
  if (desired !== null) return desired;
  throw new CommandError(
    "unreadable_file",
    `There is no ${records.path("desired.json")}: it says what state the guard should be in (deployments/README.md).`,
  );
}
