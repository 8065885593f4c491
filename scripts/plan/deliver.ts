/** The end of every plan: it is sent, written into a Safe's file, or printed; without any of these nothing happens. */
import type { SafeFile } from "../../attestor/evm/safeFile.ts";
import { describeEvent, type GuardEvent } from "../../chain/guard/events.ts";
import type { AdminAccount } from "../admin/accounts.ts";
import { isContract } from "../admin/holders.ts";
import type { HistoryEntry } from "../admin/records.ts";
import { assertConfirmed, type Session } from "../admin/session.ts";
import { writeJson } from "../files.ts";
import type { Call } from "../sending/call.ts";
import { assertAsSent } from "../sending/outcome.ts";
import { STEADY } from "../sending/paces.ts";
import { type Intent, send } from "../sending/send.ts";
import type { SendGiven } from "./options.ts";

/** What was shown, ready to go. */
export interface Shown {
  readonly calls: readonly Call[];
  /** Who sends it; null: nobody here, or nothing is to be sent. */
  readonly account: AdminAccount | null;
  readonly intent: Intent;
  /** The same for a Safe's owners; null where no Safe is needed. */
  readonly safeFile: SafeFile | null;
}

/** @returns whether it was sent; when it was, a block has it. @throws CommandError, UpstreamUnavailable */
export async function deliver(
  session: Session,
  { calls, account, intent, safeFile }: Shown,
  { print, safe, yes }: SendGiven,
): Promise<boolean> {
  const { world, connection } = session;
  if (account !== null) {
    world.out("");
    const many = calls.length === 1 ? "this transaction" : `these ${calls.length} transactions`;
    await assertConfirmed(session, yes, `Send ${many} to chain ${connection.chainId} as ${account.address}?`);
    await account.unlock();
    for (const [index, call] of calls.entries())
      await sendOne(session, account, call, intent, calls.length === 1 ? "" : `${index + 1}. `);
    world.out(`Done; ${session.records.path("history.jsonl")} has it.`);
    return true;
  }
  if (print) for (const line of rawLines(calls)) world.out(line);
  if (safe !== undefined && safeFile !== null) await writeSafe(session, safeFile, safe);
  world.out("");
  const forSafe = safeFile === null ? "" : ", --safe <file> writes a Safe file";
  world.out(
    safe === undefined && !print
      ? `Dry run: nothing was sent. --execute sends${forSafe}, --print the data.`
      : `Nothing was sent on chain ${connection.chainId}.`,
  );
  return false;
}

async function sendOne(
  session: Session,
  account: AdminAccount,
  call: Call,
  intent: Intent,
  number: string,
): Promise<void> {
  const { world } = session;
  const say = (line: string) => world.out(`${number}${line}`);
  const entry = await send({ session, account, intent, say }, call, STEADY);
  assertAsSent(entry);
  for (const line of confirmedLines(entry)) world.out(line === "" ? line : `${number}${line}`);
}

/** The functions of a new guard are one line: the source says which role may call which. */
export function eventTexts(events: readonly GuardEvent[]): string[] {
  const [functions, others] = [events.filter(isOfFunction), events.filter((event) => !isOfFunction(event))];
  const counted = functions.length === 0 ? [] : [`${functions[0]!.name}, ${functions.length} times`];
  return [...others.map(describeEvent), ...counted];
}

const isOfFunction = ({ name }: GuardEvent) => name === "TargetFunctionRoleUpdated";

function confirmedLines({ block, gasUsed, events, readBack }: HistoryEntry): string[] {
  return [
    `confirmed  block ${block}, gas ${Number(gasUsed).toLocaleString("en-US")}`,
    ...eventTexts(events).map((text) => `   event     ${text}`),
    ...readBack.map(({ what, value }) => `   read back ${what}: ${value}`),
  ];
}

/** For scripts, and for people who send by other means. */
function rawLines(calls: readonly Call[]): string[] {
  return calls.flatMap(({ line, to, data }, index) => [
    "",
    `${index + 1}. ${line}`,
    `   to      ${to}`,
    "   value   0",
    `   data    ${data}`,
  ]);
}

async function writeSafe({ world, connection }: Session, file: SafeFile, path: string): Promise<void> {
  const { checksum, createdFromSafeAddress: safe } = file.meta;
  await writeJson(path, file);
  world.out("");
  if (!(await isContract(connection.provider, safe)))
    world.out(`WARNING  ${safe} is not a contract: no Safe is there (yet).`);
  world.out(
    `Wrote ${path} for the Safe ${safe}: ${file.transactions.length} transaction(s), checksum ${checksum}.`,
  );
}
