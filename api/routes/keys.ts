/** POST /api/v1/keys: apply for an API key. */
import { named } from "../docs/operations.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { Keys } from "../keys/keys.ts";
import { KeyApplication, PendingKey } from "../keys/schemas.ts";

// Nobody applies often, and every application is read by a person.
const APPLICATIONS_PER_MINUTE = 5;

export function keyRoutes({ keys }: { keys: Pick<Keys, "apply"> }): Route[] {
  return [
    defineRoute({
      method: "post",
      path: "/api/v1/keys",
      ...named("applyForKey"),
      tags: ["Keys"],
      auth: "public",
      addressLimit: { bucket: "keys", perMinute: APPLICATIONS_PER_MINUTE },
      body: KeyApplication,
      responses: { 202: { description: "The pending key", schema: PendingKey } },
      errors: ["unavailable"],
      async handle({ body }) {
        const { key, record } = await keys.apply(body);
        const answer: PendingKey = {
          key_id: record.id,
          api_key: key,
          state: "pending",
          created_at: new Date(record.createdAt).toISOString(),
        };
        return { status: 202, body: answer };
      },
    }),
  ];
}
