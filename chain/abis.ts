/** The guard, its AccessManager and its mandate module as they were compiled, and the views of the first two, typed. */
import { BaseContract, type ContractRunner, Interface } from "ethers";
import MANAGER from "../contracts/compiled/AccessManager.json" with { type: "json" };
import MODULE from "../contracts/compiled/MandateModule.json" with { type: "json" };
import GUARD from "../contracts/compiled/TradeGuard.json" with { type: "json" };

export const GUARD_ABI = new Interface(GUARD.abi);
export const MANAGER_ABI = new Interface(MANAGER.abi);
export const MODULE_ABI = new Interface(MODULE.abi);

/** The newest block, unless it says another. */
interface At {
  readonly blockTag?: number;
}

interface GuardViews {
  authority(at?: At): Promise<string>;
  executor(at?: At): Promise<string>;
  paused(at?: At): Promise<boolean>;
  signer(at?: At): Promise<string>;
  isNonceUsed(owner: string, nonce: bigint, at?: At): Promise<boolean>;
  isRouteAllowed(route: string, selector: string, at?: At): Promise<boolean>;
  isRecipientAllowed(recipient: string, at?: At): Promise<boolean>;
}

interface ManagerViews {
  hasRole(role: number, account: string, at?: At): Promise<[isMember: boolean, delay: bigint]>;
  getSchedule(operationId: string, at?: At): Promise<bigint>;
  getNonce(operationId: string, at?: At): Promise<bigint>;
}

export function guardAt(address: string, runner: ContractRunner) {
  return BaseContract.from<GuardViews>(address, GUARD_ABI, runner);
}

export function managerAt(address: string, runner: ContractRunner) {
  return BaseContract.from<ManagerViews>(address, MANAGER_ABI, runner);
}
