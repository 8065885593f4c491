/** For tests of commands that refund nothing. */
import type { PaymentsCommandDeps } from "../../scripts/payments/run.ts";

export const NO_REFUNDS: PaymentsCommandDeps["refunds"] = {
  confirmationsOf: () => 1,
  actor: "somebody@somewhere",
  writeFile: async () => {},
};
