/** The faults of the whole shape, in the order of the table in docs/operations.md. A new one is one more entry. */
import { DATABASES } from "./databases.ts";
import { EDGES, OUTSIDE } from "./edges.ts";
import type { WholeFault } from "./fault.ts";
import { OPERATOR } from "./operator.ts";
import { PROCESSES, rolled } from "./processes.ts";

export const WHOLE_FAULTS: readonly WholeFault[] = [
  ...PROCESSES,
  ...EDGES,
  ...DATABASES,
  ...OUTSIDE,
  ...OPERATOR,
  rolled,
];
