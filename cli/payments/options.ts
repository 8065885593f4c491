/** What is typed after `npm run payments --`. */
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import { parseTyped, UsageError } from "../console.ts";
import { PAYMENT_STATES } from "./report.ts";

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const DAY_SECONDS = 86_400;

const Day = z
  .string()
  .refine((text) => DAY.test(text) && !Number.isNaN(Date.parse(text)), "is a day such as 2026-11-20")
  .transform((text) => Date.parse(text) / 1_000);
const Account = z
  .string()
  .refine((text) => Address.safeParse(text).success, "is not an address")
  .transform((text) => Address.parse(text));
const WholeNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, "is a whole number from 1")
  .transform(Number);

const Given = z.object({
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
  limit: WholeNumber.optional(),
  alarm: WholeNumber.optional(),
  json: z.boolean().default(false),
  from: Account.optional(),
  reason: z.string().max(200, "has 200 characters at most").optional(),
  "safe-file": z.string().min(1, "is the path of a file").optional(),
  /** Transaction that is said to be the refund. */
  confirm: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "is a transaction's hash")
    .overwrite((hash) => hash.toLowerCase())
    .optional(),
  withdraw: z.boolean().default(false),
});

export type Command = "list" | "totals" | "open" | "export" | "report" | "check" | "refund" | "refunds";

const OF_A_JOB: ReadonlySet<Command> = new Set(["report", "refund"]);

const TAKES: Record<Command, readonly (keyof z.infer<typeof Given>)[]> = {
  list: ["state", "payer", "asset", "network", "job", "since", "until", "limit", "json"],
  totals: ["payer", "asset", "network", "since", "until", "json"],
  open: ["alarm", "json"],
  export: ["state", "payer", "asset", "network", "job", "since", "until", "json"],
  report: ["json"],
  check: ["since", "json"],
  refund: ["from", "reason", "safe-file", "confirm", "withdraw"],
  refunds: ["json"],
};

export type Options = ReturnType<typeof parseOptions>;

/** @throws UsageError */
export function parseOptions(args: readonly string[]) {
  const [name = "", ...rest] = args;
  if (!Object.hasOwn(TAKES, name)) throw new UsageError(name === "" ? "" : `There is no command ${name}.`);
  const command = name as Command;
  const { values, positionals } = parseTyped({ args: rest, allowPositionals: true, options: OPTIONS });
  const parsed = Given.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`--${String(issue?.path[0])} ${issue?.message}.`);
  }
  const given = parsed.data;
  for (const option of Object.keys(values))
    if (!TAKES[command].includes(option as never)) throw new UsageError(`${command} takes no --${option}.`);
  const [jobId = "", ...more] = positionals;
  if (more.length > 0 || OF_A_JOB.has(command) !== (jobId !== ""))
    throw new UsageError(
      OF_A_JOB.has(command) ? `${command} takes one job id.` : `${command} takes only options.`,
    );
  const ways = (["safe-file", "confirm", "withdraw"] as const).filter((way) => given[way]);
  if (ways.length > 1) throw new UsageError(`--${ways.join(" and --")} do not go together.`);
  const { state, payer, asset, network, since, until, limit, alarm, json } = given;
  const { from, reason, "safe-file": safeFile, confirm, withdraw } = given;
  // The day named is the last one that counts.
  const before = until === undefined ? undefined : until + DAY_SECONDS;
  return {
    command,
    /** Of `report` and `refund`. */
    jobId,
    filter: { state, payer, asset, network, jobId: given.job, since, until: before },
    ...{ limit, alarm, json },
    refund: { from, reason, safeFile, confirm, withdraw },
  };
}

/** Every option as `Given` has it: those with a default are switches. */
const OPTIONS = Object.fromEntries(
  Object.entries(Given.shape).map(([name, schema]) => [
    name,
    { type: schema instanceof z.ZodDefault ? ("boolean" as const) : ("string" as const) },
  ]),
);
