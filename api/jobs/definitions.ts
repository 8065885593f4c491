/** Registries and policies by their hash: every version that this service ever judged by, for who verifies later. */

import { POLICY_VERSIONS } from "../../attestor/policies/policy.ts";
import { type Registry, registryHash } from "../../attestor/registry.ts";
import { canonicalJson } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";

/**
 * Keeps the registry that this service is about to judge by, and every policy that it knows. They stay when a later
 * version of the service has others.
 * @throws DatabaseUnavailable
 */
export async function keepDefinitions(db: Database, registry: Registry): Promise<void> {
  const policies = POLICY_VERSIONS.map(({ definition, definitionHash }) => ({
    hash: definitionHash,
    kind: "policy" as const,
    body: canonicalJson(definition),
  }));
  await db
    .insertInto("definitions")
    .values([{ hash: registryHash(registry), kind: "registry", body: canonicalJson(registry) }, ...policies])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The canonical JSON that hashes to it; null where this service never used such a one. */
export async function findDefinition(
  db: Database,
  kind: Schema["definitions"]["kind"],
  hash: string,
): Promise<string | null> {
  const row = await db
    .selectFrom("definitions")
    .select("body")
    .where("hash", "=", hash)
    .where("kind", "=", kind)
    .executeTakeFirst();
  return row?.body ?? null;
}
