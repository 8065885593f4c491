/** POST /api/v1/keys: apply for an API key. */
import { named } from "../docs/operations.ts";
import type { DailyCap } from "../http/limits.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { Keys } from "../keys/keys.ts";
import { KeyApplication, NewKey } from "../keys/schemas.ts";
import type { Config } from "../settings/config.ts";

// Nobody applies often, and most applications are read by a person.
const APPLICATIONS_PER_MINUTE = 5;

interface KeyRouteDeps {
  readonly keys: Pick<Keys, "apply" | "applyAutomatically">;
  /** Keys that an address gets without a person's approval. */
  readonly automaticKeys: DailyCap;
  readonly settings: Pick<Config, "keyLimitPerMinute" | "keyAutoApproveLimit">;
}

export function keyRoutes({ keys, automaticKeys, settings }: KeyRouteDeps): Route[] {
  const { keyLimitPerMinute, keyAutoApproveLimit: automaticLimit } = settings;
  return [
    defineRoute({
      method: "post",
      path: "/api/v1/keys",
      ...named("applyForKey"),
      tags: ["Keys"],
      auth: "public",
      addressLimit: { bucket: "keys", perMinute: APPLICATIONS_PER_MINUTE },
      body: KeyApplication,
      responses: {
        201: { description: "The key, which works at once", schema: NewKey },
        202: { description: "The key, which awaits approval", schema: NewKey },
      },
      errors: ["unavailable"],
      async handle({ body, address }) {
        const isAutomatic = automaticLimit !== null && (await automaticKeys.allows(address));
        const { key, record } = isAutomatic
          ? await keys.applyAutomatically(body, automaticLimit)
          : await keys.apply(body);
        const answer: NewKey = {
          key_id: record.id,
          api_key: key,
          state: isAutomatic ? "active" : "pending",
          limit_per_minute: record.limitPerMinute ?? keyLimitPerMinute,
          created_at: new Date(record.createdAt).toISOString(),
        };
        return { status: isAutomatic ? 201 : 202, body: answer };
      },
    }),
  ];
}
