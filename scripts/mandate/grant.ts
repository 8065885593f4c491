/** `assay mandate grant` and `revoke`: a mandate by a Safe that is there, in place of the agent's until now; and its end at once. */
import { readMandate } from "../../chain/guard/mandates.ts";
import { revokeCall, safeGrant } from "../../chain/mandates/calls.ts";
import { grantTransactions, revokeTransaction } from "../../chain/mandates/safeTransactions.ts";
import { command } from "../command.ts";
import { EXIT, Refused } from "../errors.ts";
import { changing, SEND_OPTIONS } from "../plan/options.ts";
import { carryOutPlain } from "../plan/plain.ts";
import { tried } from "../plan/simulate.ts";
import {
  assertGranted,
  assertOnlyAgent,
  grantLines,
  mandatePlaces,
  ownersText,
  readSafe,
  waysOf,
  whoMay,
} from "./safes.ts";
import { assetsOf, mandateFrom, mandateLines, namesIn, SAFE_OPTION, TERM_OPTIONS } from "./terms.ts";

export const grantMandate = command({
  summary: "Grant a mandate by a Safe, in place of the agent's until now; a dry run until --execute",
  options: { ...SAFE_OPTION, ...TERM_OPTIONS, ...SEND_OPTIONS },
  run: (given, world) =>
    changing(given, world, async (session) => {
      const { module } = await mandatePlaces(session);
      const safe = await readSafe(session, given.safeAddress, module);
      const { agent } = given;
      assertOnlyAgent(agent, [...safe.owners, safe.address]);
      const mandate = mandateFrom(session.registry, given, session.world.now());
      const granted = { safe: safe.address, agent, mandate, enabled: safe.enabled };
      const wanted = { ...granted, owners: ownersText(safe) };
      const call = safeGrant(module, granted);
      const { provider } = session.connection;
      const { mandate: before } = await readMandate(provider, { module, safe: safe.address, agent });
      const line = `${safe.enabled ? "" : "enable the module and "}grant this mandate`;
      const isSent = await carryOutPlain(
        session,
        {
          command: "mandate grant",
          about: grantLines(wanted, mandateLines(mandate, namesIn(assetsOf(session.registry)))),
          line,
          change: {
            what: `mandate of ${agent}`,
            from: before === null ? "none" : "the one until now",
            to: "this one",
          },
          name: "execTransaction",
          ways: waysOf(safe, call),
          who: whoMay(safe),
          // Delegated calls cannot be tried; of these the module's own is the one that can fail.
          assertPossible: async () => {
            if (safe.enabled) await tried(provider, line, { from: safe.address, ...call });
          },
          forSafe: { safe: safe.address, transactions: grantTransactions(module, granted) },
        },
        given,
      );
      if (isSent) await assertGranted(session, module, wanted);
      return EXIT.ok;
    }),
});

export const revokeMandate = command({
  summary: "End an agent's mandate at once; a dry run until --execute",
  options: { ...SAFE_OPTION, agent: TERM_OPTIONS.agent, ...SEND_OPTIONS },
  run: (given, world) =>
    changing(given, world, async (session) => {
      const { module } = await mandatePlaces(session);
      const safe = await readSafe(session, given.safeAddress, module);
      const { agent } = given;
      const { provider } = session.connection;
      const name = { module, safe: safe.address, agent };
      const { mandate } = await readMandate(provider, name);
      if (mandate === null) {
        session.world.out(`Nothing to do: ${agent} has no mandate of ${safe.address}.`);
        return EXIT.ok;
      }
      const call = revokeCall(module, safe.address, agent);
      const isSent = await carryOutPlain(
        session,
        {
          command: "mandate revoke",
          about: grantLines({ safe: safe.address, agent, owners: ownersText(safe) }, []),
          line: `revoke the mandate of ${agent}`,
          change: { what: `mandate of ${agent}`, from: "granted", to: "none" },
          name: "revoke",
          ways: [{ by: mandate.revoker, call }, ...waysOf(safe, { ...call, operation: 0 })],
          who: `${whoMay(safe)} The revoker is ${mandate.revoker}.`,
          forSafe: {
            safe: safe.address,
            transactions: [revokeTransaction(module, safe.address, agent)],
          },
        },
        given,
      );
      if (!isSent) return EXIT.ok;
      if ((await readMandate(provider, name)).mandate !== null)
        throw new Refused(`${agent} still has a mandate of ${safe.address}.`);
      session.world.out(`Revoked: from this block on ${agent} cannot trade for ${safe.address}.`);
      return EXIT.ok;
    }),
});
