/**
 * The addresses of a guard's mandate module and setup. On every chain they follow from their code and the guard:
 * anyone can create them through the well-known CREATE2 deployer with salt zero.
 */
import { concat, getCreate2Address, keccak256, ZeroHash, zeroPadValue } from "ethers";
import MODULE from "../contracts/compiled/MandateModule.json" with { type: "json" };
import SETUP from "../contracts/compiled/MandateSetup.json" with { type: "json" };

/** Takes 32 bytes of salt and creation code, and runs CREATE2 with them. */
export const CREATE2_DEPLOYER = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

/** A contract that is not there yet, or is: the call that creates it, and its address. */
export interface Create2Contract {
  /** EIP-55. */
  readonly address: string;
  /** The deployer. */
  readonly to: string;
  readonly data: string;
}

/**
 * What creates a contract, and where.
 * @param creationCode bytecode with the constructor's arguments
 * @param salt 32 bytes; zero by default
 * @param to the deployer
 */
export function create2(creationCode: string, salt = ZeroHash, to = CREATE2_DEPLOYER): Create2Contract {
  return {
    address: getCreate2Address(to, salt, keccak256(creationCode)),
    to,
    data: concat([salt, creationCode]),
  };
}

/** The module of a guard, and the setup that all modules share. */
export function mandateContracts(guard: string): { module: Create2Contract; setup: Create2Contract } {
  return {
    // The guard is the one argument of the module's constructor.
    module: create2(concat([MODULE.bytecode, zeroPadValue(guard, 32)])),
    setup: create2(SETUP.bytecode),
  };
}
