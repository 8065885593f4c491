/** The faults that are rehearsed, in the order of the table in docs/operations.md. A new one is one more entry. */
import { endUnderLoad, hugeBody, manyProbes, randomKeys, randomTokens } from "./faults/clients.ts";
import { fullLog, unreadLog } from "./faults/log.ts";
import { killedSettling, lostAnswer, strangeFacilitator } from "./faults/payments.ts";
import { frozenPostgres, silentPostgres } from "./faults/postgres.ts";
import { oldJobs } from "./faults/retention.ts";
import { fullSqlite, lockedSqlite, movedSqlite, readOnlySqlite } from "./faults/sqlite.ts";
import { bogusHashes, failingHash } from "./faults/submissions.ts";
import type { Rehearsal } from "./rehearsal.ts";

export const REHEARSALS: readonly Rehearsal[] = [
  silentPostgres,
  frozenPostgres,
  fullSqlite,
  lockedSqlite,
  readOnlySqlite,
  movedSqlite,
  fullLog,
  unreadLog,
  randomTokens,
  randomKeys,
  manyProbes,
  hugeBody,
  endUnderLoad,
  bogusHashes,
  failingHash,
  lostAnswer,
  killedSettling,
  strangeFacilitator,
  oldJobs,
];
