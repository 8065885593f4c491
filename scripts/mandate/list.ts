/** `assay mandate list`: what each agent of a Safe can still do. */

import { type Granted, leftOf, readMandate } from "../../chain/guard/mandates.ts";
import { type Session, withSession } from "../admin/session.ts";
import { ADMIN_OPTIONS, adminWorld } from "../admin/world.ts";
import { command, text } from "../command.ts";
import { EXIT } from "../errors.ts";
import { JSON_OPTION, jsonText } from "../json.ts";
import { address } from "../typed.ts";
import { agentsOf, holding, mandatePlaces, ownersText, readSafe, type SafeState } from "./safes.ts";
import { assetsOf, mandateLines, type Names, namesIn, SAFE_OPTION } from "./terms.ts";

interface Listed {
  readonly agent: string;
  readonly granted: Granted;
}

export const listMandates = command({
  summary: "Show what the agents of a Safe can still do",
  options: {
    ...SAFE_OPTION,
    agent: text("ADDRESS", "one agent; by default all that the module's events name", address),
    ...JSON_OPTION,
    ...ADMIN_OPTIONS,
  },
  run: (given, outside) =>
    withSession(adminWorld(outside, given), async (session) => {
      const { world, connection } = session;
      const { module } = await mandatePlaces(session);
      const safe = await readSafe(session, given.safeAddress, module);
      const agents =
        given.agent === undefined ? await agentsOf(session, module, safe.address) : [given.agent];
      const listed = await Promise.all(
        agents.map(async (agent): Promise<Listed> => {
          const name = { module, safe: safe.address, agent };
          return { agent, granted: await readMandate(connection.provider, name) };
        }),
      );
      if (given.json) {
        world.out(jsonText(jsonOf(safe, module, listed)));
        return EXIT.ok;
      }
      const names = namesIn(assetsOf(session.registry));
      world.out(`Safe     ${safe.address}, ${ownersText(safe)}`);
      world.out(`Module   ${module}, ${safe.enabled ? "enabled" : "NOT enabled: no agent can trade"}`);
      for (const line of await holdingLines(session, safe.address, listed, names)) world.out(line);
      if (agents.length === 0) world.out("No agent was ever granted a mandate.");
      for (const one of listed) for (const line of linesOf(one, names)) world.out(line);
      return EXIT.ok;
    }),
});

function jsonOf({ address: safe, enabled }: SafeState, module: string, listed: readonly Listed[]) {
  const agents = listed.map(({ agent, granted }) => ({
    agent,
    mandate: granted.mandate,
    spentRaw: granted.spent,
    leftRaw: granted.mandate === null ? null : leftOf(granted),
  }));
  return { safe, module, enabled, agents };
}

/** Of the tokens that a mandate names. */
async function holdingLines(
  { connection, place }: Session,
  safe: string,
  listed: readonly Listed[],
  names: Names,
): Promise<string[]> {
  const tokens = listed.flatMap(({ granted: { mandate } }) =>
    mandate === null ? [] : [mandate.settlementToken, ...mandate.stocks.map(({ token }) => token)],
  );
  const lines: string[] = [];
  for (const token of new Set(tokens)) {
    const { balance, allowance } = await holding(connection.provider, token, safe, place.guard);
    if (balance > 0n) lines.push(`Holds    ${names.amount(balance, token)}`);
    if (allowance > 0n)
      lines.push(
        `WARNING  The guard may take ${names.amount(allowance, token)}: with this token no agent can trade until that is 0.`,
      );
  }
  return lines;
}

function linesOf({ agent, granted }: Listed, names: Names): string[] {
  const { mandate, spent } = granted;
  if (mandate === null) return ["", `Agent    ${agent}: no mandate, or revoked`];
  const token = mandate.settlementToken;
  return [
    "",
    `Agent    ${agent} can`,
    ...mandateLines(mandate, names).map((line) => `         ${line}`),
    `         so far ${names.amount(spent, token)} within 24 hours; at most ${names.amount(leftOf(granted), token)} now`,
  ];
}
