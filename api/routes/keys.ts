/** POST /api/v1/keys: apply for an API key. */
import { KeyApplication, NewKey } from "../keys/schemas.ts";
import { route } from "../route.ts";

// Nobody applies often, and most applications are read by a person.
const APPLICATIONS_PER_MINUTE = 5;

export const keyRoutes = [
  route({
    method: "post",
    path: "/api/v1/keys",
    operationId: "applyForKey",
    summary: "Apply for an API key",
    description:
      "201: the key works at once, with the requests a minute of `limit_per_minute`. 202: it works once an admin has approved it; until then requests with it are answered `key_pending_approval`. Which of the two is the operator's choice; an address gets three keys of the first kind a day (UTC).",
    tags: ["Keys"],
    auth: "public",
    addressLimit: { bucket: "keys", perMinute: APPLICATIONS_PER_MINUTE },
    body: KeyApplication,
    responses: {
      201: { description: "The key, which works at once", schema: NewKey },
      202: { description: "The key, which awaits approval", schema: NewKey },
    },
    errors: ["unavailable"],
    async handle({ body, address }, { keys, automaticKeys, config }) {
      const automaticLimit = config.keyAutoApproveLimit;
      const isAutomatic = automaticLimit !== null && (await automaticKeys.allows(address));
      const { key, record } = isAutomatic
        ? await keys.applyAutomatically(body, automaticLimit)
        : await keys.apply(body);
      const answer: NewKey = {
        key_id: record.id,
        api_key: key,
        state: isAutomatic ? "active" : "pending",
        limit_per_minute: record.limitPerMinute ?? config.keyLimitPerMinute,
        created_at: new Date(record.createdAt).toISOString(),
      };
      return { status: isAutomatic ? 201 : 202, body: answer };
    },
  }),
];
