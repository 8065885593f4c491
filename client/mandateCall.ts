/** A trade within a Safe's mandate: what the agent sends to the guard's mandate module instead of the owner's own call. */
import { mandateTradeCallData } from "../attestor/certificate/guardCall.ts";
import type { PreparedExecution } from "./document.ts";
import type { TradeCall } from "./trade.ts";

/**
 * The call by which an agent makes a prepared trade within its mandate. No approval is needed before it.
 * @param execution that `checkTrade` answered, of a trade whose owner and recipient are the Safe
 * @param module the guard's mandate module, from your own settings
 */
export function mandateCall(execution: PreparedExecution, module: string): TradeCall {
  return { to: module, data: mandateTradeCallData(execution.guardCall.args) };
}
