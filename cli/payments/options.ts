/** What is typed after `npm run payments --`. */
import { parseArgs } from "node:util";
import { z } from "zod";
import { Address } from "../../attestor/primitives.ts";
import { PAYMENT_STATES, type PaymentFilter } from "./report.ts";

/** What was typed is not understood; the message is for people. */
export class Usage extends Error {}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const DAY_SECONDS = 86_400;

const Day = z
  .string()
  .refine((text) => DAY.test(text) && !Number.isNaN(Date.parse(text)), "is a day such as 2026-11-20")
  .transform((text) => Date.parse(text) / 1_000);
const Account = z.string().refine((text) => Address.safeParse(text).success, "is no address");
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
});

export type Command = "list" | "totals" | "open" | "export" | "report" | "check";

/** What each command takes beside its name. */
const TAKES: Record<Command, readonly (keyof z.infer<typeof Given>)[]> = {
  list: ["state", "payer", "asset", "network", "job", "since", "until", "limit", "json"],
  totals: ["payer", "asset", "network", "since", "until", "json"],
  open: ["alarm", "json"],
  export: ["state", "payer", "asset", "network", "job", "since", "until", "json"],
  report: ["json"],
  check: ["since", "json"],
};

export interface Options {
  readonly command: Command;
  /** Of `report`. */
  readonly jobId: string;
  readonly filter: PaymentFilter;
  readonly limit: number | undefined;
  /** Seconds. */
  readonly alarm: number | undefined;
  readonly json: boolean;
}

/** @throws Usage */
export function parseOptions(args: readonly string[]): Options {
  const [name = "", ...rest] = args;
  if (!Object.hasOwn(TAKES, name)) throw new Usage(name === "" ? "" : `There is no command ${name}.`);
  const command = name as Command;
  const { values, positionals } = split(rest);
  const parsed = Given.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Usage(`--${String(issue?.path[0])} ${issue?.message}.`);
  }
  const given = parsed.data;
  for (const option of Object.keys(values))
    if (!TAKES[command].includes(option as never)) throw new Usage(`${command} takes no --${option}.`);
  const [jobId = "", ...more] = positionals;
  if (more.length > 0 || (command === "report") !== (jobId !== ""))
    throw new Usage(command === "report" ? "report takes one job id." : `${command} takes options alone.`);
  const { state, payer, asset, network, job, since, until } = given;
  return {
    command,
    jobId,
    filter: {
      ...(state === undefined ? {} : { state }),
      ...(payer === undefined ? {} : { payer: Address.parse(payer) }),
      ...(asset === undefined ? {} : { asset: Address.parse(asset) }),
      ...(network === undefined ? {} : { network }),
      ...(job === undefined ? {} : { jobId: job }),
      ...(since === undefined ? {} : { since }),
      // The day named is the last one that counts.
      ...(until === undefined ? {} : { until: until + DAY_SECONDS }),
    },
    limit: given.limit,
    alarm: given.alarm,
    json: given.json,
  };
}

function split(args: string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        state: text,
        payer: text,
        asset: text,
        network: text,
        job: text,
        since: text,
        until: text,
        limit: text,
        alarm: text,
        json: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new Usage((error as Error).message);
  }
}
