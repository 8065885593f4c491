/** What the page asks of the chain, through the reader's wallet and nobody else. */
import * as z from "zod";
import type { PlainCall, Read } from "../../attestor/evm/reads.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { after } from "../browser.ts";
import { SignFault } from "./faults.ts";
import { Accounts, type Wallet } from "./wallet.ts";

/** A wallet with the account that the reader chose in it. */
export interface Connected {
  readonly wallet: Wallet;
  readonly account: string;
}

const Hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .max(200_000);
const Quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const Receipt = z.object({ status: z.enum(["0x0", "0x1"]) }).nullable();

/**
 * Before the wallet is asked for anything: it is on that chain, and there are contracts at those addresses.
 * @throws SignFault `wrongChain`, `noCode`
 */
export async function checkPlace(
  wallet: Wallet,
  chainId: number,
  addresses: readonly string[],
): Promise<void> {
  const is = await wallet.ask(Quantity, "eth_chainId");
  if (is !== BigInt(chainId)) throw new SignFault("wrongChain", { is: String(is), wanted: chainId });
  for (const address of addresses)
    if ((await codeOf(wallet, address)) === "0x") throw new SignFault("noCode", { address });
}

/** @throws SignFault */
export const switchChain = (wallet: Wallet, chainId: number) =>
  wallet.ask(z.unknown(), "wallet_switchEthereumChain", { chainId: `0x${chainId.toString(16)}` });

const codeOf = (wallet: Wallet, address: string) => wallet.ask(Hex, "eth_getCode", address, "latest");

export async function read<T>(wallet: Wallet, { to, data, read: reading }: Read<T>): Promise<T> {
  const answer = await wallet.ask(Hex, "eth_call", { to, data }, "latest");
  const said = orElse(() => ({ is: reading(answer) }), null);
  if (said === null) throw new SignFault("badAnswer", { method: "eth_call" });
  return said.is;
}

/** @param wanted if the wallet offers it; else the first @throws SignFault */
export async function accountOf(wallet: Wallet, wanted?: string): Promise<string> {
  const accounts = await wallet.ask(Accounts, "eth_requestAccounts");
  const account = accounts.find((each) => each === wanted) ?? accounts[0];
  if (account === undefined) throw new SignFault("refused");
  return account;
}

const POLL_MS = 1_000;
const MOST_POLLS = 600;

/** @throws SignFault */
async function checkAccount({ wallet, account }: Connected): Promise<void> {
  if (!(await wallet.ask(Accounts, "eth_accounts")).includes(account))
    throw new SignFault("otherAccount", { account });
}

/** The call as the account would send it, tried on the wallet's node. @throws SignFault `wouldFail` */
async function tried({ wallet, account }: Connected, { to, data }: PlainCall) {
  const transaction = { from: account, to, data, value: "0x0" };
  await wallet.ask(Hex, "eth_call", transaction, "latest").catch((error: Error) => {
    throw new SignFault("wouldFail", { message: error.message });
  });
  return transaction;
}

/**
 * Has the wallet send a call, and waits until it is mined.
 * @param check what has to hold still @param onSent told of the transaction's hash
 * @returns `isDone` false: it reverted
 * @throws SignFault also where the chain or the account of the wallet changed, and `wouldFail` before the wallet is asked
 */
export async function sendCall(
  by: Connected,
  check: () => Promise<void>,
  call: PlainCall,
  onSent: (hash: string) => void = () => {},
) {
  const { wallet } = by;
  await check();
  await checkAccount(by);
  const hash = await wallet.ask(Bytes32, "eth_sendTransaction", await tried(by, call));
  onSent(hash);
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    const receipt = await wallet.ask(Receipt, "eth_getTransactionReceipt", hash);
    if (receipt !== null) return { hash, isDone: receipt.status === "0x1" };
    await new Promise<void>((resolve) => after(POLL_MS, resolve));
  }
  throw new SignFault("notMined", { hash });
}
