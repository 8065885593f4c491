/** `assay mandate deploy`: sends what is not there yet of the guard's mandate module and its setup. */
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { SAFE } from "../../chain/mandates/calls.ts";
import { hasCode } from "../admin/holders.ts";
import type { Session } from "../admin/session.ts";
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { writeJson } from "../files.ts";
import { readRecord } from "../guard/deployment.ts";
import { changing, SEND_OPTIONS } from "../plan/options.ts";
import { carryOutPlain } from "../plan/plain.ts";
import { mandatesOf } from "./safes.ts";

const { safe: _, ...OPTIONS } = SEND_OPTIONS;

export const deployMandates = command({
  summary: "Deploy the guard's mandate module and its setup, where they are not yet",
  options: OPTIONS,
  run: (given, world) =>
    changing(given, world, async (session) => {
      const contracts = mandateContracts(session.place.guard);
      for (const [name, address] of Object.entries(SAFE))
        if (name !== "proxyInitCodeHash" && !(await hasCode(session.connection.provider, address)))
          session.world.out(`WARNING  Safe 1.4.1 is not on this chain: there is no ${name} at ${address}.`);
      const known = mandatesOf(session);
      for (const name of ["module", "setup"] as const) {
        if (await hasCode(session.connection.provider, known[name])) {
          session.world.out(`The ${name} is at ${known[name]}.`);
          continue;
        }
        const { address, to, data } = contracts[name];
        const plan = {
          command: "mandate deploy",
          line: `deploy the ${name} at ${address}, which follows from its code${name === "module" ? " and the guard" : ""}`,
          change: { what: name, from: "none", to: address },
          name: "constructor",
          creates: address,
          ways: [{ by: null, call: { to, data } }],
          who: "No account of this network is there to send it.",
        };
        await carryOutPlain(session, plan, given);
      }
      await remember(session, contracts);
      return EXIT.ok;
    }),
});

/** The record of the guard names them from then on. */
async function remember(session: Session, contracts: ReturnType<typeof mandateContracts>): Promise<void> {
  const record = await readRecord(session);
  if (record === null || record.mandates !== undefined) return;
  const mandates = { module: contracts.module.address, setup: contracts.setup.address };
  for (const address of Object.values(mandates))
    if (!(await hasCode(session.connection.provider, address))) return;
  const path = session.records.path("json");
  await writeJson(path, { ...record, mandates });
  session.world.out(`Wrote ${path}, from which these commands take them.`);
}
