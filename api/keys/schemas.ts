/** An application for an API key, and its answer. */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";

// Both go into terminals and logs of admins.
const line = (max: number) =>
  Text.trim()
    .min(1)
    .max(max)
    // Not a pattern of the OpenAPI document: most engines of regular expressions do not know \p.
    .refine((text) => !/[\p{Cc}\p{Cf}]/u.test(text), "must not contain control characters")
    .describe("Without control characters");

export const KeyApplication = z
  .strictObject({
    name: line(100),
    email: z.email("must be an email address").max(254),
    purpose: line(1_000),
  })
  .meta({ id: "KeyApplication" });
export type KeyApplication = z.infer<typeof KeyApplication>;

export const NewKey = z
  .object({
    key_id: z.string(),
    api_key: z.string().describe("The key, shown only this once"),
    state: z.enum(["pending", "active"]).describe("`pending`: it works once an admin has approved it"),
    limit_per_minute: z.int().describe("Requests a minute that the key allows, once it works"),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta({ id: "NewKey" });
export type NewKey = z.infer<typeof NewKey>;
