/** `guard mandate`: what an owner gives an agent to trade with, and takes back. */
import { Interface } from "ethers";
import { safeTransaction } from "../attestor/evm/safeFile.ts";
import { type Granted, leftOf, readMandate } from "../chain/guard/mandates.ts";
import { mandateContracts } from "../chain/mandateContracts.ts";
import {
  type MandateContracts,
  newSafeOf,
  ownerCall,
  revokeCall,
  SAFE,
  safeGrant,
  ZERO_ADDRESS,
} from "../chain/mandates/calls.ts";
import type { Mandate } from "../chain/mandates/mandate.ts";
import { grantTransactions, revokeTransaction } from "../chain/mandates/safeTransactions.ts";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import { readRecord } from "./deploy/record.ts";
import {
  agentsOf,
  hasCode,
  holding,
  mandatePlaces,
  mandatesOf,
  readSafe,
  type SafeState,
} from "./mandates/safes.ts";
import {
  assetsOf,
  fixedOptions,
  isLeftOf,
  mandateFrom,
  mandateLines,
  type Names,
  namesIn,
  required,
  type TermArguments,
} from "./mandates/terms.ts";
import { writeJson } from "./records/files.ts";
import type { AdminContext } from "./session/context.ts";
import { addressFrom, type Session, withSession } from "./session/session.ts";
import { carryOutPlain, type SendArguments, type Way } from "./transactions/plain.ts";

const FACTORY = new Interface([
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)",
]);

/** `guard mandate deploy`: sends what is not there yet of the module and its setup. @returns the exit code */
export async function deployMandates(world: AdminContext, args: SendArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const { module, setup } = mandateContracts(session.place.guard);
    for (const [name, address] of Object.entries(SAFE))
      if (name !== "proxyInitCodeHash" && !(await hasCode(session, address)))
        world.print(`WARNING  Safe 1.4.1 is not on this chain: there is no ${name} at ${address}.`);
    if (!(await hasCode(session, module.to)))
      throw new AdminError("refused", `This chain lacks the CREATE2 deployer at ${module.to}.`);
    const places = mandatesOf(session);
    for (const [name, { address, ...call }] of Object.entries({ module, setup })) {
      const known = places[name as keyof typeof places];
      if (await hasCode(session, known)) {
        world.print(`The ${name} is at ${known}.`);
        continue;
      }
      const line = `deploy the ${name} at ${address}, which follows from its code${name === "module" ? " and the guard" : ""}`;
      const who = "No account of this network is there to send it.";
      await carryOutPlain(session, { line, ways: [{ by: null, call }], who }, args, "guard mandate deploy");
    }
    await remember(session, { module: module.address, setup: setup.address });
    return EXIT.ok;
  });
}

/** The record of the guard names them from then on. */
async function remember(session: Session, places: MandateContracts): Promise<void> {
  const record = await readRecord(session);
  if (record === null || record.mandates !== undefined) return;
  for (const address of Object.values(places)) if (!(await hasCode(session, address))) return;
  const path = session.records.path("json");
  await writeJson(path, { ...record, mandates: places });
  session.world.print(`Wrote ${path}, from which these commands take them.`);
}

export interface CreateArguments extends SendArguments, TermArguments {
  readonly owner?: string | undefined;
  readonly salt?: string | undefined;
}

/** `guard mandate create`: a Safe with the mandate, in one transaction. @returns the exit code */
export async function createMandate(world: AdminContext, args: CreateArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const contracts = await mandatePlaces(session);
    const owner = holderFrom(args.owner, "--owner");
    const agent = agentFrom(args, [owner]);
    const saltNonce = args.salt ?? "0";
    if (!/^[0-9]{1,18}$/.test(saltNonce)) throw new AdminError("usage", "--salt must be a whole number.");
    const mandate = mandateFrom(session.registry, args, world.now());
    const made = newSafeOf({ contracts, owners: [owner], threshold: 1, agent, mandate, saltNonce });
    const names = namesIn(assetsOf(session.registry));
    const wanted = { safe: made.safe, agent, owners: ownersOf({ owners: [owner], threshold: 1 }), mandate };
    show(session, wanted, mandateLines(mandate, names));
    const values = [...FACTORY.decodeFunctionData("createProxyWithNonce", made.call.data)].map(String);
    const send = () =>
      carryOutPlain(
        session,
        {
          line: `make the Safe ${made.safe} of ${owner}, with this mandate`,
          ways: [owner, null].map((by) => ({ by, call: made.call })),
          who: "No account of this network is there to send it.",
          file: {
            safe: owner,
            transactions: [
              safeTransaction(made.call.to, FACTORY.getFunction("createProxyWithNonce")!, values),
            ],
          },
        },
        args,
        "guard mandate create",
      );
    if (await isMade(session, made.safe, send)) {
      await assertGranted(session, contracts.module, wanted);
      world.print(
        `Next: send ${names.symbol(mandate.settlementToken)} to the Safe ${made.safe}. The agent can trade with what it holds.`,
      );
    } else
      world.print(
        `The address ${made.safe} is of a Safe with these very terms only: repeat them with ${fixedOptions(session.registry, mandate)}. Send nothing there before it exists.`,
      );
    return EXIT.ok;
  });
}

/** Anybody can create the Safe, so another sender may have been faster. */
async function isMade(session: Session, safe: string, send: () => Promise<boolean>): Promise<boolean> {
  if (!(await hasCode(session, safe))) {
    try {
      return await send();
    } catch (error) {
      const lost = error instanceof AdminError && error.code === "reverted";
      if (!lost || !(await hasCode(session, safe))) throw error;
    }
  }
  session.world.print(`This Safe is there already: ${safe}. Another --salt makes another one.`);
  return true;
}

export interface GrantArguments extends SendArguments, TermArguments {
  readonly safeAddress?: string | undefined;
}

/** `guard mandate grant`: by a Safe that is there, in place of the agent's mandate until now. @returns the exit code */
export async function grantMandate(world: AdminContext, args: GrantArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const { module } = await mandatePlaces(session);
    const safe = await safeFrom(session, args, module);
    const agent = agentFrom(args, [...safe.owners, safe.address]);
    const mandate = mandateFrom(session.registry, args, world.now());
    const granted = { safe: safe.address, agent, mandate, enabled: safe.enabled };
    const wanted = { ...granted, owners: ownersOf(safe) };
    show(session, wanted, mandateLines(mandate, namesIn(assetsOf(session.registry))));
    const sent = await carryOutPlain(
      session,
      {
        line: `${safe.enabled ? "" : "enable the module and "}grant this mandate`,
        ways: waysOf(safe, safeGrant(module, granted)),
        who: whoMay(safe),
        // Delegated calls cannot be tried; of these the module's own is the one that can fail.
        ...(safe.enabled ? { trial: { from: safe.address, ...safeGrant(module, granted) } } : {}),
        file: { safe: safe.address, transactions: grantTransactions(module, granted) },
      },
      args,
      "guard mandate grant",
    );
    if (sent) await assertGranted(session, module, wanted);
    return EXIT.ok;
  });
}

export interface SafeArguments extends SendArguments {
  readonly safeAddress?: string | undefined;
  readonly agent?: string | undefined;
}

/** `guard mandate revoke`: at once, by the Safe or by the mandate's revoker. @returns the exit code */
export async function revokeMandate(world: AdminContext, args: SafeArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const { module } = await mandatePlaces(session);
    const safe = await safeFrom(session, args, module);
    const agent = addressFrom(required(args.agent, "--agent"), "--agent");
    const { provider } = session.connection;
    const name = { module, safe: safe.address, agent };
    const { mandate } = await readMandate(provider, name);
    if (mandate === null) {
      world.print(`Nothing to do: ${agent} has no mandate of ${safe.address}.`);
      return EXIT.ok;
    }
    const call = revokeCall(module, safe.address, agent);
    show(session, { safe: safe.address, agent, owners: ownersOf(safe) }, []);
    const sent = await carryOutPlain(
      session,
      {
        line: `revoke the mandate of ${agent}`,
        ways: [{ by: mandate.revoker, call }, ...waysOf(safe, { ...call, operation: 0 })],
        who: `${whoMay(safe)} The revoker is ${mandate.revoker}.`,
        file: { safe: safe.address, transactions: [revokeTransaction(module, safe.address, agent)] },
      },
      args,
      "guard mandate revoke",
    );
    if (!sent) return EXIT.ok;
    if ((await readMandate(provider, name)).mandate !== null)
      throw new AdminError("not_as_sent", `${agent} still has a mandate of ${safe.address}.`);
    world.print(`Revoked: from this block on ${agent} cannot trade for ${safe.address}.`);
    return EXIT.ok;
  });
}

/** `guard mandate list`: what each agent of a Safe can still do. @returns the exit code */
export async function listMandates(world: AdminContext, args: SafeArguments): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const { module } = await mandatePlaces(session);
    const safe = await safeFrom(session, args, module);
    const { provider } = session.connection;
    const agents =
      args.agent === undefined
        ? await agentsOf(session, module, safe.address)
        : [addressFrom(args.agent, "--agent")];
    const names = namesIn(assetsOf(session.registry));
    world.print(`Safe     ${safe.address}, ${ownersOf(safe)}`);
    world.print(`Module   ${module}, ${safe.enabled ? "enabled" : "NOT enabled: no agent can trade"}`);
    const listed = await Promise.all(
      agents.map(async (agent) => ({
        agent,
        granted: await readMandate(provider, { module, safe: safe.address, agent }),
      })),
    );
    const tokens = listed.flatMap(({ granted: { mandate } }) =>
      mandate === null ? [] : [mandate.settlementToken, ...mandate.stocks.map(({ token }) => token)],
    );
    for (const token of new Set(tokens)) {
      const { balance, allowance } = await holding(provider, token, safe.address, session.place.guard);
      if (balance > 0n) world.print(`Holds    ${names.amount(balance, token)}`);
      if (allowance > 0n)
        world.print(
          `WARNING  The guard may take ${names.amount(allowance, token)}: with this token no agent can trade until that is 0.`,
        );
    }
    if (agents.length === 0) world.print("No agent was ever granted a mandate.");
    for (const { agent, granted } of listed)
      for (const line of listLines(agent, granted, names)) world.print(line);
    return EXIT.ok;
  });
}

function listLines(agent: string, granted: Granted, names: Names): string[] {
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

/** @throws AdminError `usage`, also for the address that nobody has */
function holderFrom(text: string | undefined, option: string): string {
  const address = addressFrom(required(text, option), option);
  if (address === ZERO_ADDRESS) throw new AdminError("usage", `${option} must not be the zero address.`);
  return address;
}

/** @throws AdminError `usage` where the agent's key could do more than trade: then no mandate bounds it */
function agentFrom({ agent: text }: TermArguments, others: readonly string[]): string {
  const agent = holderFrom(text, "--agent");
  if (others.includes(agent))
    throw new AdminError(
      "usage",
      "--agent must be a key of its own: neither an owner of the Safe nor the Safe.",
    );
  return agent;
}

async function safeFrom(
  session: Session,
  { safeAddress }: GrantArguments,
  module: string,
): Promise<SafeState> {
  return await readSafe(
    session,
    addressFrom(required(safeAddress, "--safe-address"), "--safe-address"),
    module,
  );
}

const ownersOf = ({ owners, threshold }: Pick<SafeState, "owners" | "threshold">) =>
  `${threshold} of ${owners.join(", ")}`;

/** Where one owner suffices, each can send it alone. */
const waysOf = ({ address, owners, threshold }: SafeState, call: Parameters<typeof ownerCall>[2]): Way[] =>
  threshold === 1 ? owners.map((by) => ({ by, call: ownerCall(address, by, call) })) : [];

const whoMay = (safe: SafeState) =>
  `This is for ${ownersOf(safe)}${safe.threshold === 1 ? "" : ": write a file for the Safe with --safe <file>"}.`;

function show(
  { world, connection, place }: Session,
  { safe, agent, owners }: { safe: string; agent: string; owners: string },
  terms: readonly string[],
): void {
  world.print(`Chain    ${connection.chainId} (${connection.networkName})`);
  world.print(`Guard    ${place.guard}`);
  world.print(`Safe     ${safe}, ${owners}`);
  world.print(`Agent    ${agent}${terms.length === 0 ? "" : " will be able to"}`);
  for (const line of terms) world.print(`         ${line}`);
}

interface Wanted {
  readonly safe: string;
  readonly agent: string;
  readonly owners: string;
  readonly mandate: Mandate;
}

/** @throws AdminError `not_as_sent` */
async function assertGranted(session: Session, module: string, wanted: Wanted): Promise<void> {
  const { safe, agent } = wanted;
  const { mandate } = await readMandate(session.connection.provider, { module, safe, agent });
  const state = await readSafe(session, safe, module);
  const refuse = (words: string): never => {
    throw new AdminError("not_as_sent", `The Safe ${safe} ${words}.`);
  };
  if (!state.enabled) refuse("has not enabled the module");
  if (ownersOf(state) !== wanted.owners) refuse(`is of ${ownersOf(state)}`);
  if (mandate === null) return refuse("has granted nothing");
  if (!isLeftOf(mandate, wanted.mandate)) refuse("has granted another mandate: guard mandate list shows it");
  session.world.print(`Granted: ${agent} can trade for ${safe} from this block on.`);
}
