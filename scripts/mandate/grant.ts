/** `assay mandate grant`: by a Safe that is there, in place of the agent's mandate until now. */
import { safeGrant } from "../../chain/mandates/calls.ts";
import { grantTransactions } from "../../chain/mandates/safeTransactions.ts";
import { withSession } from "../admin/session.ts";
import { adminWorld } from "../admin/world.ts";
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { checkedGiven, SEND_OPTIONS } from "../plan/options.ts";
import { carryOutPlain, type PlainPlan } from "../plan/plain.ts";
import {
  agentFrom,
  assertGranted,
  mandatePlaces,
  ownersText,
  safeFrom,
  showWanted,
  waysOf,
  whoMay,
} from "./safes.ts";
import { assetsOf, mandateFrom, mandateLines, namesIn, SAFE_OPTION, TERM_OPTIONS } from "./terms.ts";

export const grantMandate = command({
  summary: "Grant a mandate by a Safe, in place of the agent's until now; a dry run until --execute",
  options: { ...SAFE_OPTION, ...TERM_OPTIONS, ...SEND_OPTIONS },
  run: (typed, world) => {
    const given = checkedGiven(typed);
    return withSession(adminWorld(world, given), async (session) => {
      const { module } = await mandatePlaces(session);
      const safe = await safeFrom(session, given.safeAddress, module);
      const agent = agentFrom(given, [...safe.owners, safe.address]);
      const mandate = mandateFrom(session.registry, given, session.world.now());
      const granted = { safe: safe.address, agent, mandate, enabled: safe.enabled };
      const wanted = { ...granted, owners: ownersText(safe) };
      showWanted(session, wanted, mandateLines(mandate, namesIn(assetsOf(session.registry))));
      const call = safeGrant(module, granted);
      const plan: PlainPlan = {
        line: `${safe.enabled ? "" : "enable the module and "}grant this mandate`,
        name: "execTransaction",
        ways: waysOf(safe, call),
        who: whoMay(safe),
        // Delegated calls cannot be tried; of these the module's own is the one that can fail.
        ...(safe.enabled ? { trial: { from: safe.address, ...call } } : {}),
        file: { safe: safe.address, transactions: grantTransactions(module, granted) },
      };
      const isSent = await carryOutPlain(session, plan, given, "mandate grant");
      if (isSent) await assertGranted(session, module, wanted);
      return EXIT.ok;
    });
  },
});
