/** `assay payments list`: what was paid for which report, for people, programs and spreadsheets. */
import { z } from "zod";
import { command, flag, type GivenBy, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, UsageError } from "../errors.ts";
import { show } from "../json.ts";
import { address, day, matching, oneOf, wholeNumber } from "../typed.ts";
import { allPayments, listPayments, PAYMENT_STATES, type PaymentFilter } from "./ledger.ts";
import { PAYMENT_NOTES, type PaymentsDeps, withPayments, withTokens } from "./open.ts";
import { CSV_COLUMNS, csvLine, openLine, paymentCsv, paymentJson, paymentLine } from "./view.ts";

const DAY_SECONDS = 86_400;
/** As the help says. */
const DEFAULT_LIMIT = 50;
const Network = z.string().regex(/^eip155:[1-9][0-9]{0,15}$/, "must be eip155:<chain id>");
const number = wholeNumber(1, 999_999_999);

const FILTER_OPTIONS = {
  state: text("STATE", PAYMENT_STATES.join(", "), oneOf(PAYMENT_STATES)),
  payer: text("ADDRESS", "who paid", address),
  asset: text("ADDRESS", "the token", address),
  network: text("CHAIN", "eip155:<chain id>", matching(Network)),
  job: text("ID", "the job that was bought"),
  since: text("DAY", "UTC, such as 2026-11-20", day),
  until: text("DAY", "UTC; the last day that counts", day),
};

function filterOf(given: GivenBy<typeof FILTER_OPTIONS>): PaymentFilter {
  const { state, payer, asset, network, job, since, until } = given;
  const before = until === undefined ? undefined : until + DAY_SECONDS;
  return { state, payer, asset, network, jobId: job, since, until: before };
}

export const listCommand = command({
  summary: "List payments, newest first, each with the job and the report versions that it bought",
  options: {
    ...FILTER_OPTIONS,
    limit: text("NUMBER", `how many at most (${DEFAULT_LIMIT})`, number),
    open: flag("those whose outcome is not known yet, oldest first, with their age"),
    alarm: text("SECONDS", "with --open: exit code 1 if one is older", number),
    csv: flag("all of them as CSV, without a limit"),
    json: flag("as JSON; all of them, unless --limit is given"),
  },
  notes: PAYMENT_NOTES,
  run: (given, world) => {
    const filter = filterOf(given);
    const { limit, alarm } = given;
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
  const rows = named.map(([payment, token]) => ({
    ...paymentJson(payment, token),
    ageSeconds: now - payment.createdAt,
  }));
  const lines = named.map(([payment, token]) => openLine(payment, token, now));
  show(world, isJson, rows, found.length === 0 ? ["No payment is being settled."] : lines);
  const old = found.filter(({ createdAt }) => alarm !== undefined && now - createdAt > alarm);
  if (old.length === 0) return EXIT.ok;
  world.err(`${old.length} open for more than ${alarm} s.`);
  return EXIT.failed;
}
