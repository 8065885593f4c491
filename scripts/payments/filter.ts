/** Which payments are meant, as it is typed. */
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import { text } from "../command.ts";
import { UsageError } from "../errors.ts";
import { PAYMENT_STATES, type PaymentFilter } from "./ledger.ts";

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const DAY_SECONDS = 86_400;

export const FILTER_OPTIONS = {
  state: text("STATE", PAYMENT_STATES.join(", ")),
  payer: text("ADDRESS", "who paid"),
  asset: text("ADDRESS", "the token"),
  network: text("CHAIN", "eip155:<chain id>"),
  job: text("ID", "the job that was bought"),
  since: text("DAY", "UTC, such as 2026-11-20"),
  until: text("DAY", "UTC; the last day that counts"),
};

const Day = z
  .string()
  .refine((typed) => DAY.test(typed) && !Number.isNaN(Date.parse(typed)), "is a day such as 2026-11-20")
  .transform((typed) => Date.parse(typed) / 1_000);
export const Account = z
  .string()
  .refine((typed) => Address.safeParse(typed).success, "is not an address")
  .transform((typed) => Address.parse(typed));
export const WholeNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, "is a whole number from 1")
  .transform(Number);

const Filter = z.object({
  state: z.enum(PAYMENT_STATES, { error: `is one of ${PAYMENT_STATES.join(", ")}` }).optional(),
  payer: Account.optional(),
  asset: Account.optional(),
  network: z
    .string()
    .regex(/^eip155:[1-9][0-9]{0,15}$/, "is eip155:<chain id>")
    .optional(),
  job: z.string().max(64).optional(),
  since: Day.optional(),
  until: Day.optional(),
});

/** @throws UsageError which names the option */
export function parsedOptions<T>(schema: z.ZodType<T>, given: object): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`--${String(issue?.path[0])} ${issue?.message}.`);
}

/** @throws UsageError */
export function filterFrom(given: object): PaymentFilter {
  const { state, payer, asset, network, job, since, until } = parsedOptions(Filter, given);
  // The day named is the last one that counts.
  const before = until === undefined ? undefined : until + DAY_SECONDS;
  return { state, payer, asset, network, jobId: job, since, until: before };
}
