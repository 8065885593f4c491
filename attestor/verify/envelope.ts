/**
 * The members around a report, in a job or in a prepare-execution answer. Each is compared with the report, or listed as
 * not looked at: nothing of them is ever shown as part of the report.
 */
import { Report } from "../report.ts";
import { asRecord, differingMembers, extraMembers, type JsonObject, sameJson } from "../values/json.ts";
import type { Account } from "./verification.ts";

/** What came of a member: paths of what contradicts the report, and of what nobody looked at. */
interface Held {
  readonly wrong?: readonly string[];
  readonly unread?: readonly string[];
}
type Holder = (value: unknown, report: Report) => Held;

const HOLDERS: ReadonlyMap<string, Holder> = new Map<string, Holder>([
  ["reportVersion", (value, { version }) => alike("reportVersion", value, version)],
  ["intent", (value, { evidence }) => alike("intent", value, evidence.intent)],
  ["reports", holdReports],
  ["executions", holdExecutions],
  [
    "confirmed",
    (value, report) => ({
      wrong: wrongInConfirmed(value, report, "confirmed"),
      unread: ["confirmed (a chain confirms it)"],
    }),
  ],
  ["entitlement", holdEntitlement],
  ["payment", holdPayment],
]);

/** How a prepare-execution answer names its report; a job, which lists its versions, has no one version. */
const BESIDE_EXECUTION = ["jobId", "reportVersion"];

/**
 * @param envelope the document
 * @param claimed the report in it, which may be the document itself
 * @param report as judged again
 */
export function envelopeFaults(
  envelope: JsonObject,
  claimed: JsonObject,
  report: Report,
  account: Account,
): void {
  const isBare = envelope === claimed;
  const around = isBare ? without(envelope, Object.keys(Report.shape)) : without(envelope, ["report"]);
  const held = Object.entries(without(around, ["execution"])).map(([name, value]) =>
    hold(name, value, report),
  );
  const namesItsReport = !isBare && envelope.execution !== undefined && envelope.reports === undefined;
  const missing = namesItsReport ? BESIDE_EXECUTION.filter((name) => envelope[name] === undefined) : [];
  const wrong = [...held.flatMap((each) => each.wrong ?? []), ...missing.map((name) => `${name} (missing)`)];
  if (wrong.length > 0) account.wrong("document", "envelope_contradicts", { members: wrong.join(", ") });

  const beside = isBare ? [] : Object.keys(without(claimed, Object.keys(Report.shape)));
  // A wallet may look for it there.
  if (beside.includes("execution"))
    account.unknown("certificate", "execution_members", { members: "report.execution" });
  const unread = [
    ...held.flatMap((each) => each.unread ?? []),
    ...beside.map((name) => `report.${quotedName(name)}`),
  ];
  if (unread.length > 0) account.leave("document", "members_unread", { members: unread.join(", ") });
}

/** A document may call its members whatever it likes: what is more than a word stands in quotes. */
export const quotedName = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));

function hold(name: string, value: unknown, report: Report): Held {
  const holder = HOLDERS.get(name);
  if (holder !== undefined) return holder(value, report);
  // A job has a time of its own; every other name of a report's member means the report's.
  if (name !== "createdAt" && Object.hasOwn(Report.shape, name))
    return alike(name, value, report[name as keyof Report]);
  return { unread: saysNothing(value) ? [] : [quotedName(name)] };
}

const saysNothing = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0);

function alike(name: string, value: unknown, expected: unknown): Held {
  return sameJson(value, expected) ? {} : { wrong: [name] };
}

function without(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** A job's list of versions: what it says of this one is held, what it says of others is not. */
function holdReports(value: unknown, report: Report): Held {
  if (!Array.isArray(value)) return { wrong: ["reports"] };
  const { version, evidenceHash, createdAt, decision } = report;
  const ofVersion = value.flatMap((entry, index) => (asRecord(entry)?.version === version ? [index] : []));
  const expected = { evidenceHash, createdAt, kind: version === 1 ? "initial" : "prepare" };
  const wrong = ofVersion.flatMap((index) => [
    ...differingMembers(value[index], expected).map((name) => `reports[${index}].${name}`),
    ...(isDecision(value[index], decision) ? [] : [`reports[${index}].decision`]),
  ]);
  const twice = ofVersion.length > 1 ? ["reports"] : [];
  const memberNames = ["version", "decision", ...Object.keys(expected)];
  const beside = ofVersion.flatMap((index) => namesBeside(value[index], memberNames, `reports[${index}]`));
  const others = value.length > ofVersion.length || ofVersion.length === 0 ? ["other reports"] : [];
  return { wrong: [...wrong, ...twice], unread: [...beside, ...others] };
}

/** Null is what somebody sees who has not paid yet. */
function isDecision(entry: unknown, decision: string): boolean {
  const stated = asRecord(entry)?.decision;
  return stated === null || stated === decision;
}

/** A job's transactions: what a confirmed one of this version says of evidence and amounts is held. */
function holdExecutions(value: unknown, report: Report): Held {
  if (!Array.isArray(value)) return { wrong: ["executions"] };
  const wrong = value.flatMap((execution, index) => {
    const { reportVersion, confirmed = null } = asRecord(execution) ?? {};
    if (confirmed === null || reportVersion !== report.version) return [];
    return wrongInConfirmed(confirmed, report, `executions[${index}].confirmed`);
  });
  return { wrong, unread: value.length > 0 ? ["executions (a chain confirms them)"] : [] };
}

function wrongInConfirmed(value: unknown, { evidence, evidenceHash }: Report, path: string): string[] {
  const confirmed = asRecord(value);
  if (confirmed === null) return [path];
  const isWithin = (name: string, low: string, high: string | null) =>
    isAmountWithin(confirmed[name], low, high) ? [] : [name];
  return [
    ...differingMembers(confirmed, { evidenceHash }),
    ...isWithin("amountInRaw", "0", evidence.intent.amountInRaw),
    ...isWithin("amountOutRaw", evidence.figures.minAmountOutRaw ?? "0", null),
  ].map((name) => `${path}.${name}`);
}

function isAmountWithin(value: unknown, low: string, high: string | null): boolean {
  if (typeof value !== "string" || !/^[0-9]{1,78}$/.test(value)) return false;
  return BigInt(value) >= BigInt(low) && (high === null || BigInt(value) <= BigInt(high));
}

/** Only who may see a report gets it. */
function holdEntitlement(value: unknown): Held {
  const entitlement = asRecord(value) ?? {};
  const { granted, reason } = entitlement;
  const isGranted = granted === true && (reason === "free" || reason === "paid");
  return {
    wrong: isGranted ? [] : ["entitlement"],
    unread: namesBeside(entitlement, ["granted", "reason"], "entitlement"),
  };
}

/** Paths of the members beside those that are compared. */
function namesBeside(value: unknown, memberNames: readonly string[], path: string): string[] {
  return extraMembers(value, memberNames).map((name) => `${path}.${quotedName(name)}`);
}

function holdPayment(value: unknown): Held {
  const payment = asRecord(value) ?? {};
  const { phase, state } = payment;
  const isReleased =
    (phase === "free" && state === "not_required") || (phase === "paid" && state === "settled");
  return {
    wrong: isReleased ? [] : ["payment"],
    unread: namesBeside(payment, ["phase", "state"], "payment"),
  };
}
