/**
 * `assay guard service-file`: joins the record of the deployment and the market's file into the service's DEPLOYMENT_FILE. With
 * the verifier key of the decision log it puts that into the record first, where `assay verify` looks for it.
 */
import { z } from "zod";
import { parseVkey } from "../../attestor/log/note.ts";
import { Vkey } from "../../attestor/log/vkey.ts";
import { Deployment } from "../../chain/deployment.ts";
import { openRecords } from "../admin/records.ts";
import { ADMIN_OPTIONS, adminWorld } from "../admin/world.ts";
import { command, text } from "../command.ts";
import { EXIT, Unusable, UsageError } from "../errors.ts";
import { parseJson, readJson, writeJson } from "../files.ts";
import { type DeploymentRecord, requireRecord } from "./deployment.ts";

/** What the record says; everything else of a DEPLOYMENT_FILE is the market's: tokens, routes, where facts come from. */
const OF_THE_RECORD = ["chainId", "guard", "executor", "deployedAtBlock", "logKeys"];

const Market = z
  .record(z.string(), z.unknown())
  .refine((market) => OF_THE_RECORD.every((name) => !(name in market)), {
    message: `must not hold ${OF_THE_RECORD.join(", ")}: those come from the record`,
  });

export const serviceFile = command({
  summary: "Write the service's DEPLOYMENT_FILE from the record of the deployment and the market's file",
  options: {
    ...ADMIN_OPTIONS,
    out: text("FILE", "the file to write; without this, it is printed"),
    logKey: text(
      "VKEY",
      "verifier key of the decision log, as assay keystore create --log prints it",
      logKeyTyped,
    ),
  },
  run: async (given, outside) => {
    const world = adminWorld(outside, given);
    const { chainId } = world.network;
    const records = openRecords(world.deploymentsDir, chainId);
    const record = await requireRecord(records);
    const marketFile = records.path("market.json");
    const market = await readJson(marketFile, Market);
    if (market === null)
      throw new Unusable(
        `There is no ${marketFile}: it says what may be traded (source and registry; deployments/README.md).`,
      );
    const logKeys = logKeysOf(record, given.logKey);
    const { guard, executor, deployedAtBlock } = record;
    const joined = { chainId, guard, executor, deployedAtBlock, ...logKeys, ...market };
    const deployment = parseJson(marketFile, JSON.stringify(joined), Deployment);
    const changed = { ...record, ...logKeys };
    if (JSON.stringify(changed) !== JSON.stringify(record)) {
      await writeJson(records.path("json"), changed);
      world.err(`Wrote ${records.path("json")}, from which the service and assay verify take it. Commit it.`);
    }
    if (given.out === undefined) world.out(JSON.stringify(deployment, null, 2));
    else {
      await writeJson(given.out, deployment);
      world.out(`Wrote ${given.out}: the service takes it as DEPLOYMENT_FILE.`);
    }
    return EXIT.ok;
  },
});

/** The keys of the record, and the one that came: reports that were proved by an older one stay provable. */
function logKeysOf({ logKeys = [] }: DeploymentRecord, added: string | undefined): { logKeys?: string[] } {
  const all = [...new Set([...logKeys, ...(added === undefined ? [] : [added])])];
  return all.length === 0 ? {} : { logKeys: all };
}

/** A witness's key is of another kind. @throws UsageError */
function logKeyTyped(typed: string): string {
  if (Vkey.safeParse(typed).success && parseVkey(typed).kind === 1) return typed;
  throw new UsageError("must be the verifier key of a log, <name>+<id>+<key>");
}
