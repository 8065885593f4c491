/** `assay guard status`: everything that can be read, and whether it is as it should be. */

import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { describeSelector } from "../../chain/dex/selectors.ts";
import type { Allowance } from "../../chain/guard/allowances.ts";
import type { Member } from "../../chain/guard/manager.ts";
import type { GuardView } from "../../chain/guard/reading.ts";
import { readAllowances, readView } from "../admin/reading.ts";
import { type Session, staleWarning, withSession } from "../admin/session.ts";
import { ADMIN_OPTIONS, adminWorld } from "../admin/world.ts";
import { command, flag } from "../command.ts";
import { EXIT } from "../errors.ts";
import { JSON_OPTION, show } from "../json.ts";
import { reportPending } from "../sending/outcome.ts";
import { isoTime } from "../typed.ts";
import { codeDrift } from "./deployment.ts";
import { type Drift, driftOf, readDesired, requireDesired } from "./desired.ts";
import { nameOfContract, tokenAt } from "./known.ts";
import { scheduledJson, scheduledLines } from "./scheduled.ts";

/** The RPC gives no events, so what was listed without a word in our files cannot be seen. */
const NOT_ALL: Drift = {
  what: "routes and recipients",
  isNow: "read without the guard's events, which this RPC does not give, so there may be more",
  shouldBe: "all known",
};

/** Likewise: an accomplice of a thief shows in nothing else. */
const NO_ALLOWANCES: Drift = {
  what: "allowances of the executor",
  isNow: "not read, because this RPC does not give the tokens' events",
  shouldBe: "none",
};

interface Status {
  readonly view: GuardView;
  /** The address that the service here signs with; null: not known here. */
  readonly attestor: string | null;
  /** null: there is no desired state. */
  readonly drift: readonly Drift[];
  readonly hasDesired: boolean;
  /** What the executor allows others to take; null: nobody asked, or the RPC gives no events. */
  readonly allowances: readonly Allowance[] | null;
}

export const status = command({
  summary: "Show the guard's whole state, and whether it is as <chainId>.desired.json says",
  options: {
    ...ADMIN_OPTIONS,
    check: flag(
      "exit code 1 when it is not as desired, or nobody said how it should be; finds allowances too",
    ),
    ...JSON_OPTION,
  },
  run: (given, world) =>
    withSession(adminWorld(world, given), async (session) => {
      // A transaction that is out explains what follows; JSON is for programs and has none of it.
      if (!given.json) await reportPending(session);
      const found = await statusOf(session, given.check);
      const stale = staleWarning(session, found.view);
      const lines = linesOf(session, found);
      show(session.world, given.json, jsonOf(session, found), stale === null ? lines : [stale, ...lines]);
      return given.check && found.drift.length > 0 ? EXIT.failed : EXIT.ok;
    }),
});

async function statusOf(session: Session, isCheck: boolean): Promise<Status> {
  const { records, place, world } = session;
  const desired = isCheck
    ? await requireDesired(records, place.guard)
    : await readDesired(records, place.guard);
  let isComplete = true;
  // An admin in need still sees the roles, and that the lists may lack something.
  const view = await readView(session, desired, () => {
    isComplete = false;
  });
  const attestor = await world.attestor();
  const allowances = isCheck ? await allowancesOrNull(session, view) : null;
  const drift = [...driftOf(view, desired, attestor), ...(await codeDrift(session))];
  if (!isComplete) drift.push(NOT_ALL);
  if (isCheck && allowances === null) drift.push(NO_ALLOWANCES);
  drift.push(...allowanceDrift(allowances ?? [], namer(session)));
  return { view, attestor, drift, hasDesired: desired !== null, allowances };
}

async function allowancesOrNull(session: Session, view: GuardView): Promise<Allowance[] | null> {
  try {
    return await readAllowances(session, view);
  } catch (error) {
    if (error instanceof UpstreamUnavailable) return null;
    throw error;
  }
}

function namer({ connection, registry }: Session): NameToken {
  return (token) => tokenAt(connection.chainId, registry, token);
}

function allowanceLines(session: Session, allowances: readonly Allowance[] | null): string[] {
  if (allowances === null) return [];
  const unknown = unknownAllowances(allowances, namer(session));
  return [`Allowances       ${allowances.length} given by the executor`, ...unknown];
}

function linesOf(session: Session, found: Status): string[] {
  const { view, attestor, drift, hasDesired, allowances } = found;
  const { connection, registry, records } = session;
  const label = (address: string) => {
    const name = nameOfContract(connection.chainId, registry, address, null);
    return name === null ? "" : `  (${name})`;
  };
  const list = (entries: readonly string[]) => (entries.length === 0 ? ["    none"] : entries);
  return [
    `Chain            ${connection.chainId} (${connection.networkName}), block ${view.block}, ${isoTime(view.blockTime)}`,
    `Guard            ${view.guard}`,
    `Executor         ${view.executor}`,
    `Trading          ${view.paused ? "PAUSED" : "on"}`,
    `Attestation key  ${view.signer}`,
    `Service signs    ${signsWith(view, attestor)}`,
    `Manager          ${view.manager}`,
    `Admins           ${members(view.holders.admin)}`,
    `Operators        ${members(view.holders.operator)}`,
    `Pausers          ${members(view.holders.pauser)}`,
    ...scheduledLines(view.scheduled, view),
    `Routes           ${view.routes.length}`,
    ...list(
      view.routes.map(({ route, selector }) => `    ${route}  ${describeSelector(selector)}${label(route)}`),
    ),
    `Recipients       ${view.recipients.length} besides the owners themselves`,
    ...list(view.recipients.map((recipient) => `    ${recipient}`)),
    ...allowanceLines(session, allowances),
    "",
    ...verdict(drift, hasDesired, records.path("desired.json")),
  ];
}

function verdict(drift: readonly Drift[], hasDesired: boolean, file: string): string[] {
  const lines = drift.map(({ what, isNow, shouldBe }) => `    ${what}: ${isNow}, should be ${shouldBe}`);
  if (!hasDesired) return [`No desired state: there is no ${file}.`, ...lines];
  return drift.length === 0 ? [`All as desired by ${file}.`] : [`NOT as desired by ${file}:`, ...lines];
}

function members(of: readonly Member[]): string {
  const lines = of.map(({ account, delay }) => (delay === 0 ? account : `${account} (waits ${delay} s)`));
  return lines.length === 0 ? "none" : lines.join(", ");
}

function signsWith(view: GuardView, attestor: string | null): string {
  if (attestor === null) return "not known here (no ATTESTOR_KEYSTORE)";
  return attestor === view.signer
    ? `${attestor}, as the guard wants`
    : `${attestor}, which the guard REFUSES`;
}

function jsonOf({ connection }: Session, { view, attestor, drift, hasDesired, allowances }: Status) {
  return {
    chainId: connection.chainId,
    network: connection.networkName,
    ...view,
    scheduled: scheduledJson(view.scheduled, view),
    attestor,
    desired: hasDesired,
    drift,
    // Raw units as decimal strings.
    allowances: allowances?.map(({ units, ...approval }) => ({ ...approval, units: String(units) })) ?? null,
  };
}

/** Names the token; null: nobody here knows it. */
type NameToken = (token: string) => string | null;

/**
 * Of tokens that are known here. Anybody can make a contract that claims to be approved by the executor, so that what an
 * unknown one says is shown and not called wrong.
 */
function allowanceDrift(allowances: readonly Allowance[], nameToken: NameToken): Drift[] {
  return allowances
    .filter(({ token }) => nameToken(token) !== null)
    .map(({ token, spender, units }) => ({
      what: `allowance of the executor: ${nameToken(token)}, ${token}`,
      isNow: `${spender} may take ${units} raw units`,
      shouldBe: `nothing: send the executor clearAllowance(${token}, ${spender}) from any account`,
    }));
}

/** Those of tokens that nobody here knows. */
function unknownAllowances(allowances: readonly Allowance[], nameToken: NameToken): string[] {
  return allowances
    .filter(({ token }) => nameToken(token) === null)
    .map(
      ({ token, spender, units }) => `    ${token}, not known here, says that ${spender} may take ${units}`,
    );
}
