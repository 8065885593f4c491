/** The local world's second dollar: 18 decimals, no EIP-3009. Its address follows from its code. */
import { concat } from "ethers";
import { create2 } from "../chain/mandateContracts.ts";
import { localAccounts } from "./accounts.ts";
import { LOCAL_TETHER } from "./artifacts.ts";
import { call, type Sender } from "./sender.ts";

/** As its contract says it. */
export const SECOND_DOLLAR = { symbol: "USDT", name: "Local Tether", decimals: 18 } as const;

/** A million. */
const USER_AMOUNT = 1_000_000n * 10n ** 18n;

function creation() {
  const { abi, bytecode } = LOCAL_TETHER;
  return create2(concat([bytecode, abi.encodeDeploy([localAccounts().deployer.address])]));
}

let knownAddress: string | undefined;

/** EIP-55. */
export function secondDollar(): string {
  knownAddress ??= creation().address;
  return knownAddress;
}

/** Creates it, and gives each holder as much. */
export async function deploySecondDollar(deployer: Sender, holders: readonly string[]): Promise<void> {
  const { to, data } = creation();
  await deployer.send({ to, data });
  await deployer.send(call(secondDollar(), LOCAL_TETHER.abi, "mint", [holders, USER_AMOUNT]));
}
