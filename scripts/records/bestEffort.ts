/** Records for a pause: a full disk or a folder that is not ours must not keep trading on. */
import { AdminError } from "../adminErrors.ts";
import type { Records } from "./records.ts";

export interface BestEffortRecords {
  readonly records: Records;
  /** Whether something could not be written, so that the files do not tell all. */
  hasLost(): boolean;
}

/** @param warn told once what cannot be written */
export function bestEffort(records: Records, warn: (line: string) => void): BestEffortRecords {
  let lost = false;
  const tried = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AdminError) || error.code !== "unreadable_file") throw error;
      if (!lost) warn(`WARNING  ${error.message} Continuing without a record: keep this output.`);
      lost = true;
      return otherwise;
    }
  };
  return {
    hasLost: () => lost,
    records: {
      ...records,
      createPending: (pending) => tried(() => records.createPending(pending), true),
      writePending: (pending) => tried(() => records.writePending(pending), undefined),
      clearPending: () => tried(() => records.clearPending(), undefined),
      appendHistory: (entry) => tried(() => records.appendHistory(entry), undefined),
      historyHas: (entry) => tried(() => records.historyHas(entry), false),
    },
  };
}
