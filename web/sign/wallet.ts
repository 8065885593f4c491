/**
 * Wallets of the reader's browser, which announce themselves by EIP-6963 and are asked by EIP-1193. What they say comes
 * from outside, like anything else. Through them, and through nobody else, the page asks the chain.
 */
import { requestProviders } from "mipd";
import * as z from "zod";
import type { PlainCall, Read } from "../../attestor/evm/reads.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Address, Bytes32 } from "../../attestor/values/primitives.ts";
import { printable } from "../../attestor/view/printable.ts";
import { after } from "../browser.ts";
import { SignFault } from "./faults.ts";

interface Provider {
  request(asked: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
}

const Announced = z.object({
  info: z.object({ uuid: z.string().min(1).max(100), name: z.string().min(1).max(100) }),
  provider: z.custom<Provider>((value) => typeof (value as Provider | null)?.request === "function"),
});

export interface Wallet {
  readonly name: string;
  /** @throws SignFault where the wallet refuses, fails, or answers something else */
  ask<T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]): Promise<T>;
}

/** Tells of each wallet once, also of those that come later. @returns ends it */
export function discoverWallets(onWallet: (wallet: Wallet) => void): () => void {
  const known = new Set<string>();
  const end = requestProviders((announced: unknown) => {
    const { data } = Announced.safeParse(announced);
    if (data === undefined || known.has(data.info.uuid)) return;
    known.add(data.info.uuid);
    onWallet(walletOf(data));
  });
  return () => end?.();
}

function walletOf({ info, provider }: z.infer<typeof Announced>): Wallet {
  return {
    name: printable(info.name),
    async ask(schema, method, ...params) {
      const answer = schema.safeParse(await provider.request({ method, params }).catch(rejected));
      if (!answer.success) throw new SignFault("badAnswer", { method });
      return answer.data;
    },
  };
}

const Rejection = z.object({ code: z.number().optional(), message: z.string().optional() });
const REFUSED = 4001;

function rejected(error: unknown): never {
  const { code, message = "" } = Rejection.safeParse(error).data ?? {};
  if (code === REFUSED) throw new SignFault("refused");
  throw new SignFault("walletFailed", { message: printable(message).slice(0, 300) });
}

const Accounts = z.array(Address).max(1_000);
const Hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .max(200_000);
const Quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const Receipt = z.object({ status: z.enum(["0x0", "0x1"]) }).nullable();

/** The wallet is on that chain, and there is a contract at the address. @throws SignFault */
export async function checkPlace(wallet: Wallet, chainId: number, address: string): Promise<void> {
  const is = await wallet.ask(Quantity, "eth_chainId");
  if (is !== BigInt(chainId)) throw new SignFault("wrongChain", { is: String(is), wanted: chainId });
  const code = await wallet.ask(Hex, "eth_getCode", address, "latest");
  if (code === "0x") throw new SignFault("noCode", { address });
}

/** @throws SignFault */
export const switchChain = (wallet: Wallet, chainId: number) =>
  wallet.ask(z.unknown(), "wallet_switchEthereumChain", { chainId: `0x${chainId.toString(16)}` });

/** @throws SignFault */
export async function read<T>(wallet: Wallet, { to, data, read: reading }: Read<T>): Promise<T> {
  const answer = await wallet.ask(Hex, "eth_call", { to, data }, "latest");
  const result = orElse(() => ({ value: reading(answer) }), null);
  if (result === null) throw new SignFault("badAnswer", { method: "eth_call" });
  return result.value;
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

/**
 * Has the wallet send a call, and waits until it is mined.
 * @param onSent told of the transaction's hash
 * @throws SignFault `otherAccount`, and `wouldFail` before the wallet is asked; `reverted`, `notMined`
 */
export async function sendCall(
  wallet: Wallet,
  account: string,
  { to, data }: PlainCall,
  onSent: (hash: string) => void = () => {},
): Promise<void> {
  const accounts = await wallet.ask(Accounts, "eth_accounts");
  if (!accounts.includes(account)) throw new SignFault("otherAccount", { account });
  const transaction = { from: account, to, data, value: "0x0" };
  await wallet.ask(Hex, "eth_call", transaction, "latest").catch((error: Error) => {
    throw new SignFault("wouldFail", { message: error.message });
  });
  const hash = await wallet.ask(Bytes32, "eth_sendTransaction", transaction);
  onSent(hash);
  for (let poll = 0; poll < MOST_POLLS; poll++) {
    const receipt = await wallet.ask(Receipt, "eth_getTransactionReceipt", hash);
    if (receipt?.status === "0x0") throw new SignFault("reverted", { hash });
    if (receipt !== null) return;
    await new Promise<void>((resolve) => after(POLL_MS, resolve));
  }
  throw new SignFault("notMined", { hash });
}
