/** `assay mandate revoke`: at once, by the Safe or by the mandate's revoker. */
import { readMandate } from "../../chain/guard/mandates.ts";
import { revokeCall } from "../../chain/mandates/calls.ts";
import { revokeTransaction } from "../../chain/mandates/safeTransactions.ts";
import { addressFrom, withSession } from "../admin/session.ts";
import { adminWorld } from "../admin/world.ts";
import { command } from "../command.ts";
import { CommandError, EXIT } from "../errors.ts";
import { checkedGiven, SEND_OPTIONS } from "../plan/options.ts";
import { carryOutPlain, type PlainPlan } from "../plan/plain.ts";
import { mandatePlaces, ownersText, safeFrom, showWanted, waysOf, whoMay } from "./safes.ts";
import { required, SAFE_OPTION, TERM_OPTIONS } from "./terms.ts";

export const revokeMandate = command({
  summary: "End an agent's mandate at once; a dry run until --execute",
  options: { ...SAFE_OPTION, agent: TERM_OPTIONS.agent, ...SEND_OPTIONS },
  run: (typed, world) => {
    const given = checkedGiven(typed);
    return withSession(adminWorld(world, given), async (session) => {
      const { module } = await mandatePlaces(session);
      const safe = await safeFrom(session, given.safeAddress, module);
      const agent = addressFrom(required(given.agent, "--agent"), "--agent");
      const { provider } = session.connection;
      const name = { module, safe: safe.address, agent };
      const { mandate } = await readMandate(provider, name);
      if (mandate === null) {
        session.world.out(`Nothing to do: ${agent} has no mandate of ${safe.address}.`);
        return EXIT.ok;
      }
      const call = revokeCall(module, safe.address, agent);
      showWanted(session, { safe: safe.address, agent, owners: ownersText(safe) }, []);
      const plan: PlainPlan = {
        line: `revoke the mandate of ${agent}`,
        name: "revoke",
        ways: [{ by: mandate.revoker, call }, ...waysOf(safe, { ...call, operation: 0 })],
        who: `${whoMay(safe)} The revoker is ${mandate.revoker}.`,
        file: { safe: safe.address, transactions: [revokeTransaction(module, safe.address, agent)] },
      };
      if (!(await carryOutPlain(session, plan, given, "mandate revoke"))) return EXIT.ok;
      if ((await readMandate(provider, name)).mandate !== null)
        throw new CommandError("not_as_sent", `${agent} still has a mandate of ${safe.address}.`);
      session.world.out(`Revoked: from this block on ${agent} cannot trade for ${safe.address}.`);
      return EXIT.ok;
    });
  },
});
