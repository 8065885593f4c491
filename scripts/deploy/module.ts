/** The deployment as Hardhat Ignition takes it: one contract, which creates its executor itself. */
import { buildModule } from "@nomicfoundation/ignition-core";
import { GUARD_NAME } from "./build.ts";

export const MODULE_ID = "TradeGuard";

export const tradeGuardModule = buildModule(MODULE_ID, (m) => {
  const guard = m.contract(
    // By its full name in the artifacts, and by a short one in the journal.
    GUARD_NAME,
    [m.getParameter("admin"), m.getParameter("pauser"), m.getParameter("signer")],
    { id: "TradeGuard" },
  );
  return { guard };
});
