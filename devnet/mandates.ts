/** Mandates on the local chain: Safe 1.4.1 at its addresses of every chain, and module and setup of the guard. */
import { create2, mandateContracts } from "../chain/mandateContracts.ts";
import { SAFE_CONTRACTS } from "./artifacts.ts";
import { SAFE_SINGLETON_FACTORY } from "./chain/genesis.ts";
import type { Sender } from "./sender.ts";

/** Creates all of them. @returns what the deployment says of them */
export async function deployMandates(
  deployer: Sender,
  guard: string,
): Promise<{ module: string; setup: string }> {
  const safe = Object.values(SAFE_CONTRACTS).map(({ bytecode }) => create2(bytecode, SAFE_SINGLETON_FACTORY));
  const { module, setup } = mandateContracts(guard);
  for (const call of [...safe, module, setup]) await deployer.send(call);
  return { module: module.address, setup: setup.address };
}
