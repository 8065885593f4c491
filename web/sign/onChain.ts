/** What the page asks of the chain, through the reader's wallet and nobody else. */
import * as z from "zod";
import type { MandateName } from "../../attestor/intent.ts";
import type { MandateContracts, PlainCall } from "../../attestor/mandates/calls.ts";
import type { Mandate } from "../../attestor/mandates/mandate.ts";
import {
  guardOf,
  isEnabled,
  mandateOf,
  ownersOf,
  type Read,
  spentWithinDay,
  thresholdOf,
} from "../../attestor/mandates/reads.ts";
import type { Asset } from "../../attestor/registry.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { after } from "../browser.ts";
import { Accounts, type Wallet } from "./wallet.ts";
import { SignFault } from "./words.ts";

/** What the page says of the service's chain. */
export interface Terms extends MandateContracts {
  readonly chainId: number;
  readonly guard: string;
  readonly tokens: readonly Pick<Asset, "symbol" | "address" | "decimals" | "kind">[];
  readonly policies: readonly { readonly name: string; readonly hash: string }[];
}

export const tokenOf = ({ tokens }: Terms, address: string) =>
  tokens.find((token) => token.address === address);
export const tokensOf = ({ tokens }: Terms, kind: Asset["kind"]) =>
  tokens.filter((token) => token.kind === kind);

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
const Block = z.object({ timestamp: Quantity });

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

/**
 * Holds the wallet's chain against what the page says of it, before the wallet is asked for anything.
 * @throws SignFault `wrongChain`, `noCode`, `otherGuard`
 */
export async function checkContracts(wallet: Wallet, terms: Terms): Promise<void> {
  await checkPlace(wallet, terms.chainId, [terms.module, terms.setup]);
  const guard = await read(wallet, guardOf(terms.module));
  if (guard !== terms.guard) throw new SignFault("otherGuard", { guard, wanted: terms.guard });
}

const codeOf = (wallet: Wallet, address: string) => wallet.ask(Hex, "eth_getCode", address, "latest");

export async function read<T>(wallet: Wallet, { to, data, read: reading }: Read<T>): Promise<T> {
  const answer = await wallet.ask(Hex, "eth_call", { to, data }, "latest");
  const said = orElse(() => ({ is: reading(answer) }), null);
  if (said === null) throw new SignFault("badAnswer", { method: "eth_call" });
  return said.is;
}

/** @throws SignFault of the chain, or of the wallet */
export async function connect(wallet: Wallet, terms: Terms): Promise<Connected> {
  await checkContracts(wallet, terms);
  return { wallet, account: await accountOf(wallet) };
}

/** @param wanted if the wallet offers it; else the first @throws SignFault */
export async function accountOf(wallet: Wallet, wanted?: string): Promise<string> {
  const accounts = await wallet.ask(Accounts, "eth_requestAccounts");
  const account = accounts.find((each) => each === wanted) ?? accounts[0];
  if (account === undefined) throw new SignFault("refused");
  return account;
}

export type SafeState = Awaited<ReturnType<typeof safeState>>;

/** A Safe as it stands; `enabled`: whether it lets the module act. @throws SignFault `noSafe` */
export async function safeState(wallet: Wallet, { module }: Terms, safe: string) {
  if ((await codeOf(wallet, safe)) === "0x") throw new SignFault("noSafe", { safe });
  const [owners, threshold, enabled] = await Promise.all([
    read(wallet, ownersOf(safe)),
    read(wallet, thresholdOf(safe)),
    read(wallet, isEnabled(safe, module)),
  ]);
  return { owners, threshold, enabled };
}

/** A mandate as it stands: its budget and what can be sold are what is left. */
export interface Standing extends MandateName {
  /** null: there is none, or it was revoked. */
  readonly mandate: Mandate | null;
  /** What counts against the most of a day, raw units. */
  readonly spent: bigint;
  readonly isExpired: boolean;
}

export async function standing(
  wallet: Wallet,
  { module }: Terms,
  { safe, agent }: MandateName,
): Promise<Standing> {
  const name = { safe, agent };
  const mandate = await read(wallet, mandateOf(module, safe, agent));
  if (mandate === null) return { ...name, mandate, spent: 0n, isExpired: false };
  const spent = await read(wallet, spentWithinDay(module, safe, agent, mandate.settlementToken));
  const { timestamp } = await wallet.ask(Block, "eth_getBlockByNumber", "latest", false);
  return { ...name, mandate, spent, isExpired: timestamp > BigInt(mandate.expiresAt) };
}

const POLL_MS = 1_000;
const MOST_POLLS = 600;

/** @throws SignFault */
export async function checkAccount({ wallet, account }: Connected): Promise<void> {
  if (!(await wallet.ask(Accounts, "eth_accounts")).includes(account))
    throw new SignFault("otherAccount", { account });
}

/** The call as the account would send it, tried on the wallet's node. @throws SignFault `wouldFail` */
export async function tried({ wallet, account }: Connected, { to, data }: PlainCall) {
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
