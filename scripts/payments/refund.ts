/** `assay payments refund`: pays a settled payment back, all of it, once. A Safe or another wallet sends it, never this command. */
import { z } from "zod";
import { command, flag, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, UsageError } from "../errors.ts";
import { PAYMENT_NOTES, type PaymentsDeps, withPayments, withTokens } from "./deps.ts";
import { Account, parsedOptions } from "./filter.ts";
import { noNode } from "./nodes.ts";
import { refund, refunds } from "./refunds/refund.ts";
import { refundJson, refundLine } from "./view.ts";

const Given = z.object({
  from: Account.optional(),
  reason: z.string().max(200, "has 200 characters at most").optional(),
  safe: z.string().min(1, "is the path of a file").optional(),
  confirm: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "is a transaction's hash")
    .overwrite((hash) => hash.toLowerCase())
    .optional(),
  withdraw: z.boolean(),
});

export const refundCommand = command({
  summary: "Propose the refund of a job's payment, and find it on the chain; without a job: list all refunds",
  positionals: { job: { words: "the job whose payment is refunded", isOptional: true } },
  options: {
    from: text("ADDRESS", "who sends it; the payee by default"),
    reason: text("TEXT", "goes into the ledger"),
    safe: text("FILE", "write it for the Safe Transaction Builder; --from is the Safe"),
    confirm: text("HASH", "this transaction made it, whoever sent it"),
    withdraw: flag("nobody will send what was proposed"),
    json: flag("of the list: print JSON"),
  },
  notes: [
    "It records the refund and prints the transfer for its sender. Run it again when that was sent: the chain shows it.",
    "Exit code 1 where it is not on the chain, or not deep enough yet, and was said to be.",
    ...PAYMENT_NOTES,
  ],
  run: ({ job, json, ...typed }, world) => {
    const given = parsedOptions(Given, typed);
    const ways = (["safe", "confirm", "withdraw"] as const).filter((way) => given[way]);
    if (ways.length > 1) throw new UsageError(`--${ways.join(" and --")} do not go together.`);
    if (job === undefined && (ways.length > 0 || given.from !== undefined || given.reason !== undefined))
      throw new UsageError("refund needs the job for these options.");
    return withPayments(world, (deps) =>
      job === undefined ? listRefunds(deps, json, world) : refund(deps, world, job, given),
    );
  },
});

async function listRefunds(deps: PaymentsDeps, isJson: boolean, world: World): Promise<number> {
  const { rows, unseen } = await refunds(deps, world);
  const named = await withTokens(deps, rows);
  if (isJson)
    world.out(
      JSON.stringify(
        named.map(([row, token]) => refundJson(row, token)),
        null,
        2,
      ),
    );
  else for (const [row, token] of named) world.out(refundLine(row, token));
  if (rows.length === 0 && !isJson) world.out("No refunds.");
  for (const network of unseen) world.err(noNode(network));
  return unseen.length > 0 ? EXIT.failed : EXIT.ok;
}
