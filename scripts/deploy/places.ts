/** Where a guard stands follows from its code and its roles: it is created by CREATE2, so a second run makes no second one. */
import { AbiCoder, concat, getCreateAddress, toBeHex, ZeroAddress, zeroPadValue } from "ethers";
import { type Create2Contract, create2 } from "../../chain/mandateContracts.ts";
import type { Build } from "./build.ts";
import type { Roles } from "./checks.ts";

export interface Places {
  /** The contract whose constructor creates manager and guard. */
  readonly deployment: Create2Contract;
  readonly manager: string;
  readonly guard: string;
}

/** As the constructor takes them. */
export const constructorArguments = ({ admin, pauser, signer, delay }: Roles) => ({
  initialAdmin: admin,
  initialPauser: pauser ?? ZeroAddress,
  initialSigner: signer,
  delaySeconds: delay,
});

/** @param salt tells guards of the same code and roles apart */
export function placesOf(
  { deployment: { bytecode } }: Pick<Build, "deployment">,
  roles: Roles,
  salt: bigint,
): Places {
  const values = Object.values(constructorArguments(roles));
  const args = AbiCoder.defaultAbiCoder().encode(["address", "address", "address", "uint32"], values);
  const deployment = create2(concat([bytecode, args]), zeroPadValue(toBeHex(salt), 32));
  return { deployment, ...createdBy(deployment.address) };
}

/** What a deployment created, from its own address. */
function createdBy(deployment: string): { readonly manager: string; readonly guard: string } {
  const at = (nonce: number) => getCreateAddress({ from: deployment, nonce });
  return { manager: at(1), guard: at(2) };
}
