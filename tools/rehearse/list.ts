/** The faults that are rehearsed, in the order of the table in docs/operations.md. A new one is one more entry. */
import { endUnderLoad, hugeBody, manyProbes, randomTokens } from "./faults/clients.ts";
import { fullLog, unreadLog } from "./faults/log.ts";
import { frozenPostgres, silentPostgres } from "./faults/postgres.ts";
import { fullSqlite, lockedSqlite, movedSqlite } from "./faults/sqlite.ts";
import type { Rehearsal } from "./rehearsal.ts";

export const REHEARSALS: readonly Rehearsal[] = [
  silentPostgres,
  frozenPostgres,
  fullSqlite,
  lockedSqlite,
  movedSqlite,
  fullLog,
  unreadLog,
  randomTokens,
  manyProbes,
  hugeBody,
  endUnderLoad,
];
