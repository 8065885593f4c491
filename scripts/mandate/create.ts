/** `assay mandate create`: a Safe with a mandate, in one transaction. */
import { Interface } from "ethers";
import { safeTransaction } from "../../attestor/evm/safeFile.ts";
import { newSafeOf } from "../../chain/mandates/calls.ts";
import { hasCode } from "../admin/holders.ts";
import type { Session } from "../admin/session.ts";
import { command, required, text, withDefault } from "../command.ts";
import { EXIT, Reverted } from "../errors.ts";
import { changing, SEND_OPTIONS } from "../plan/options.ts";
import { carryOutPlain, type PlainPlan } from "../plan/plain.ts";
import { bigNumber, holder } from "../typed.ts";
import { assertGranted, assertOnlyAgent, grantLines, mandatePlaces, ownersText } from "./safes.ts";
import { assetsOf, fixedOptions, mandateFrom, mandateLines, namesIn, TERM_OPTIONS } from "./terms.ts";

const FACTORY = new Interface([
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)",
]);
const CREATE = FACTORY.getFunction("createProxyWithNonce")!;

export const createMandate = command({
  summary: "Make a Safe with a mandate in one transaction; a dry run until --execute",
  options: {
    owner: required(text("ADDRESS", "the Safe's owner", holder)),
    ...TERM_OPTIONS,
    salt: withDefault(text("NUMBER", "makes another Safe of the same", bigNumber), 0n),
    ...SEND_OPTIONS,
  },
  run: (given, world) =>
    changing(given, world, async (session) => {
      const contracts = await mandatePlaces(session);
      const { owner, agent, salt } = given;
      assertOnlyAgent(agent, [owner]);
      const mandate = mandateFrom(session.registry, given, session.world.now());
      const owners = { owners: [owner], threshold: 1 };
      const saltNonce = String(salt);
      const { safe, call } = newSafeOf({ contracts, ...owners, agent, mandate, saltNonce });
      const names = namesIn(assetsOf(session.registry));
      const wanted = { safe, agent, owners: ownersText(owners), mandate };
      const values = [...FACTORY.decodeFunctionData(CREATE, call.data)].map(String);
      const plan: PlainPlan = {
        command: "mandate create",
        about: grantLines(wanted, mandateLines(mandate, names)),
        line: `make the Safe ${safe} of ${owner}, with this mandate`,
        change: { what: "Safe", from: "none", to: safe },
        name: "createProxyWithNonce",
        // The owner, where its key is here; else anybody.
        ways: [owner, null].map((by) => ({ by, call })),
        who: "No account of this network is there to send it.",
        forSafe: { safe: owner, transactions: [safeTransaction(call.to, CREATE, values)] },
      };
      const isMade = await made(session, safe, () => carryOutPlain(session, plan, given));
      if (isMade) {
        await assertGranted(session, contracts.module, wanted);
        session.world.out(
          `Next: send ${names.symbol(mandate.settlementToken)} to the Safe ${safe}. The agent can trade with what it holds.`,
        );
      } else
        session.world.out(
          `The address ${safe} is of a Safe with these very terms only: repeat them with ${fixedOptions(session.registry, mandate)}. Send nothing there before it exists.`,
        );
      return EXIT.ok;
    }),
});

/** Anybody can create the Safe, so another sender may have been faster. */
async function made(session: Session, safe: string, send: () => Promise<boolean>): Promise<boolean> {
  if (!(await hasCode(session.connection.provider, safe))) {
    try {
      return await send();
    } catch (error) {
      const lost = error instanceof Reverted;
      if (!lost || !(await hasCode(session.connection.provider, safe))) throw error;
    }
  }
  session.world.out(`This Safe is there already: ${safe}. Another --salt makes another one.`);
  return true;
}
