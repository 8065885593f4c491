/** The local world's second dollar: 18 decimals, no EIP-3009. Its address follows from its code. */
import { concat } from "ethers";
import { create2 } from "../chain/mandateContracts.ts";
import { LocalTether__factory } from "../types/contracts/factories/devnet/contracts/LocalTether__factory.ts";
import { localAccounts } from "./accounts.ts";
import { call, type Sender } from "./sender.ts";

/** As its contract says it. */
export const SECOND_DOLLAR = { symbol: "USDT", name: "Local Tether", decimals: 18 } as const;

/** A million. */
const USER_AMOUNT = 1_000_000n * 10n ** 18n;
const ABI = LocalTether__factory.createInterface();

const creation = () =>
  create2(concat([LocalTether__factory.bytecode, ABI.encodeDeploy([localAccounts().deployer.address])]));

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
  await deployer.send(call(secondDollar(), ABI, "mint", [holders, USER_AMOUNT]));
}
