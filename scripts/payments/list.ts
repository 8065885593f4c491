/** `assay payments list`: what was paid for which report, for people, programs and spreadsheets. */
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import { command, flag, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, UsageError } from "../errors.ts";
import { jsonText } from "../json.ts";
import { allPayments, listPayments, PAYMENT_STATES, type PaymentFilter } from "./ledger.ts";
import { PAYMENT_NOTES, type PaymentsDeps, withPayments, withTokens } from "./open.ts";
import { CSV_COLUMNS, csvLine, openLine, paymentCsv, paymentJson, paymentLine } from "./view.ts";

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

/** As the help says. */
const DEFAULT_LIMIT = 50;

const Numbers = z.object({ limit: WholeNumber.optional(), alarm: WholeNumber.optional() });

export const listCommand = command({
  summary: "List payments, newest first, each with the job and the report versions that it bought",
  options: {
    ...FILTER_OPTIONS,
    limit: text("NUMBER", `how many at most (${DEFAULT_LIMIT})`),
    open: flag("those whose outcome is not known yet, oldest first, with their age"),
    alarm: text("SECONDS", "with --open: exit code 1 if one is older"),
    csv: flag("all of them as CSV, without a limit"),
    json: flag("as JSON; all of them, unless --limit is given"),
  },
  notes: PAYMENT_NOTES,
  run: (given, world) => {
    const filter = filterFrom(given);
    const { limit, alarm } = parsedOptions(Numbers, { limit: given.limit, alarm: given.alarm });
    if (alarm !== undefined && !given.open) throw new UsageError("--alarm goes with --open.");
    if (given.open && (given.csv || given.state !== undefined))
      throw new UsageError("--open goes with neither --csv nor --state.");
    return withPayments(world, (deps) => {
      if (given.open) return listOpen(deps, filter, alarm, given.json, world);
      if (given.csv) return exportCsv(deps, filter, limit, world);
      return given.json
        ? exportJson(deps, filter, limit, world)
        : list(deps, filter, limit ?? DEFAULT_LIMIT, world);
    });
  },
});

async function list(
  deps: PaymentsDeps,
  filter: PaymentFilter,
  limit: number,
  { out }: World,
): Promise<number> {
  const found = await allPayments(deps.db, filter, limit);
  for (const [payment, token] of await withTokens(deps, found)) out(paymentLine(payment, token));
  if (found.length === 0) out("No payments.");
  if (found.length === limit) out(`(the newest ${limit}; --limit shows more, --csv all of them)`);
  return EXIT.ok;
}

async function exportCsv(
  { db, tokens }: PaymentsDeps,
  filter: PaymentFilter,
  limit: number | undefined,
  { write }: World,
): Promise<number> {
  write(csvLine(CSV_COLUMNS));
  for await (const payment of listPayments(db, filter, limit))
    write(paymentCsv(payment, await tokens.find(payment.network, payment.asset)));
  return EXIT.ok;
}

async function exportJson(
  { db, tokens }: PaymentsDeps,
  filter: PaymentFilter,
  limit: number | undefined,
  { write }: World,
): Promise<number> {
  write("[");
  let before = "\n";
  for await (const payment of listPayments(db, filter, limit)) {
    const token = await tokens.find(payment.network, payment.asset);
    write(`${before}${JSON.stringify(paymentJson(payment, token))}`);
    before = ",\n";
  }
  write("\n]\n");
  return EXIT.ok;
}

async function listOpen(
  deps: PaymentsDeps,
  filter: PaymentFilter,
  alarm: number | undefined,
  isJson: boolean,
  world: World,
): Promise<number> {
  const now = Math.floor(world.now() / 1_000);
  const found = (await allPayments(deps.db, { ...filter, state: "settling" })).reverse();
  const named = await withTokens(deps, found);
  if (isJson) {
    const rows = named.map(([payment, token]) => ({
      ...paymentJson(payment, token),
      ageSeconds: now - payment.createdAt,
    }));
    world.out(jsonText(rows));
  } else for (const [payment, token] of named) world.out(openLine(payment, token, now));
  if (found.length === 0 && !isJson) world.out("No payment is being settled.");
  const old = found.filter(({ createdAt }) => alarm !== undefined && now - createdAt > alarm);
  if (old.length === 0) return EXIT.ok;
  world.err(`${old.length} open for more than ${alarm} s.`);
  return EXIT.failed;
}
