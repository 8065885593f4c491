/** The files of one chain in `deployments/`, by name. */
import { join } from "node:path";
import { z } from "zod";
import { orElse } from "../../attestor/values/orElse.ts";
import { Address, Bytes32 } from "../../attestor/values/primitives.ts";
import { SeenApprovals } from "../../chain/guard/allowances.ts";
import { Seen } from "../../chain/guard/allowlists.ts";
import { Unusable } from "../errors.ts";
import {
  appendLine,
  createJson,
  parseJson,
  readJson,
  readText,
  remove,
  setAside,
  writeJson,
} from "../files.ts";
import { assertCoherent, CallArgument, Pending, type PendingFile } from "./pending.ts";

/** Every function throws Unusable. */
export interface Records {
  /** Path of a file of this chain: `path("json")`, `path("desired.json")`. */
  path(name: string): string;
  readPending(): Promise<Pending | null>;
  /** Renames one that cannot be read. @returns its new path */
  setPendingAside(): Promise<string>;
  /** @returns false when another transaction is out already */
  createPending(pending: Pending): Promise<boolean>;
  /** Replaces it, for another attempt or a hash that came late. */
  writePending(pending: Pending): Promise<void>;
  clearPending(): Promise<void>;
  /** The same records with the pending file of a pace: what is urgent waits for no other transaction. */
  at(pace: { readonly file: PendingFile }): Records;
  appendHistory(entry: HistoryEntry): Promise<void>;
  /** Oldest first. */
  readHistory(): Promise<HistoryEntry[]>;
  /** Whether it has such a line. Other lines are ignored: an unreadable one must not stop a command. */
  historyHas(entry: Pick<HistoryEntry, "from" | "nonce" | "transaction">): Promise<boolean>;
  readSeen(guard: string): Promise<Seen | null>;
  writeSeen(seen: Seen): Promise<void>;
  readApprovals(executor: string): Promise<SeenApprovals | null>;
  writeApprovals(seen: SeenApprovals): Promise<void>;
}

export function openRecords(
  deploymentsDir: string,
  chainId: number,
  pendingName: PendingFile = "pending.json",
): Records {
  const path = (name: string) => join(deploymentsDir, `${chainId}.${name}`);
  const pendingFile = path(pendingName);
  return {
    path,
    readPending: async () => {
      const pending = await readJson(pendingFile, Pending);
      if (pending !== null) assertCoherent(pendingFile, chainId, pending);
      return pending;
    },
    createPending: (pending) => createJson(pendingFile, pending),
    writePending: (pending) => writeJson(pendingFile, pending),
    setPendingAside: () => setAside(pendingFile),
    clearPending: () => remove(pendingFile),
    at: ({ file }) => openRecords(deploymentsDir, chainId, file),
    appendHistory: (entry) => appendLine(path("history.jsonl"), HistoryEntry.parse(entry)),
    readHistory: async () => {
      const file = path("history.jsonl");
      const lines = ((await readText(file)) ?? "").split("\n").filter((line) => line !== "");
      return lines.map((line, index) => parseJson(`${file} (line ${index + 1})`, line, HistoryEntry));
    },
    historyHas: async ({ from, nonce, transaction }) => {
      const text = (await readText(path("history.jsonl"))) ?? "";
      return text.split("\n").some((line) => {
        const known = orElse(() => HistoryEntry.parse(JSON.parse(line)), null);
        return known?.from === from && known.nonce === nonce && known.transaction === transaction;
      });
    },
    // Of another guard it says nothing.
    readSeen: async (guard) => {
      const seen = await readJson(path("seen.json"), Seen);
      return seen?.guard === guard ? seen : null;
    },
    writeSeen: (seen) => writeJson(path("seen.json"), seen),
    readApprovals: async (executor) => {
      const seen = await readJson(path("approvals.json"), SeenApprovals);
      return seen?.executor === executor ? seen : null;
    },
    writeApprovals: (seen) => writeJson(path("approvals.json"), seen),
  };
}

/** @param warn told once what cannot be written */
export function bestEffort(records: Records, warn: (line: string) => void) {
  let lost = false;
  const tried = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      if (!lost) warn(`WARNING  ${error.message} Continuing without a record: keep this output.`);
      lost = true;
      return otherwise;
    }
  };
  const trying = (from: Records): Records => ({
    ...from,
    at: (pace) => trying(from.at(pace)),
    createPending: (pending) => tried(() => from.createPending(pending), true),
    writePending: (pending) => tried(() => from.writePending(pending), undefined),
    clearPending: () => tried(() => from.clearPending(), undefined),
    appendHistory: (entry) => tried(() => from.appendHistory(entry), undefined),
    historyHas: (entry) => tried(() => from.historyHas(entry), false),
  });
  // Whether something could not be written, so that the files do not tell all.
  return { records: trying(records), hasLost: () => lost };
}

export const HistoryEntry = z.strictObject({
  /** ISO 8601, UTC: when the outcome was known. */
  at: z.string(),
  chainId: z.int(),
  network: z.string(),
  /** What was typed: `guard apply`. */
  command: z.string(),
  actor: z.string(),
  /** The commit of the working copy that sent it. */
  commit: z.string().nullable(),
  reason: z.string().nullable(),
  guard: Address,
  from: Address,
  /** `constructor` for a deployment. */
  call: z.strictObject({ name: z.string(), args: z.array(CallArgument) }),
  line: z.string(),
  nonce: z.int().nullable(),
  transaction: Bytes32.nullable(),
  /** `replaced`: another transaction of the account took its nonce. */
  outcome: z.enum(["confirmed", "reverted", "replaced"]),
  block: z.int().nullable(),
  gasUsed: z.string().nullable(),
  events: z.array(z.strictObject({ name: z.string(), args: z.record(z.string(), CallArgument) })),
  /** What the guard's views said after it. */
  readBack: z.array(z.strictObject({ what: z.string(), value: z.string(), asSent: z.boolean() })),
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;
