/** `assay mandate deploy`: sends what is not there yet of the guard's mandate module and its setup. */
import { type Create2Contract, mandateContracts } from "../../chain/mandateContracts.ts";
import { SAFE } from "../../chain/mandates/calls.ts";
import { type Session, withSession } from "../admin/session.ts";
import { adminWorld } from "../admin/world.ts";
import { command } from "../command.ts";
import { CommandError, EXIT } from "../errors.ts";
import { writeJson } from "../files.ts";
import { readRecord } from "../guard/deployment.ts";
import { checkedGiven, SEND_OPTIONS } from "../plan/options.ts";
import { carryOutPlain } from "../plan/plain.ts";
import { hasCode, mandatesOf } from "./safes.ts";

const { safe: _, ...OPTIONS } = SEND_OPTIONS;

export const deployMandates = command({
  summary: "Deploy the guard's mandate module and its setup, where they are not yet",
  options: OPTIONS,
  run: (typed, world) => {
    const given = checkedGiven(typed);
    return withSession(adminWorld(world, given), async (session) => {
      const contracts = mandateContracts(session.place.guard);
      await assertDeployable(session, contracts.module);
      const known = mandatesOf(session);
      for (const name of ["module", "setup"] as const) {
        if (await hasCode(session, known[name])) {
          session.world.out(`The ${name} is at ${known[name]}.`);
          continue;
        }
        const { address, to, data } = contracts[name];
        const plan = {
          line: `deploy the ${name} at ${address}, which follows from its code${name === "module" ? " and the guard" : ""}`,
          name: "constructor",
          creates: address,
          ways: [{ by: null, call: { to, data } }],
          who: "No account of this network is there to send it.",
        };
        await carryOutPlain(session, plan, given, "mandate deploy");
      }
      await remember(session, contracts);
      return EXIT.ok;
    });
  },
});

/** @throws CommandError `refused` */
async function assertDeployable(session: Session, { to }: Create2Contract): Promise<void> {
  for (const [name, address] of Object.entries(SAFE))
    if (name !== "proxyInitCodeHash" && !(await hasCode(session, address)))
      session.world.out(`WARNING  Safe 1.4.1 is not on this chain: there is no ${name} at ${address}.`);
  if (!(await hasCode(session, to)))
    throw new CommandError("refused", `This chain lacks the CREATE2 deployer at ${to}.`);
}

/** The record of the guard names them from then on. */
async function remember(session: Session, contracts: ReturnType<typeof mandateContracts>): Promise<void> {
  const record = await readRecord(session);
  if (record === null || record.mandates !== undefined) return;
  const mandates = { module: contracts.module.address, setup: contracts.setup.address };
  for (const address of Object.values(mandates)) if (!(await hasCode(session, address))) return;
  const path = session.records.path("json");
  await writeJson(path, { ...record, mandates });
  session.world.out(`Wrote ${path}, from which these commands take them.`);
}
