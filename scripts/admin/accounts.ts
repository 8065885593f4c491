/** The accounts of a network: an encrypted keystore, the local chain's keys, or an external signer behind the RPC. */
import { type JsonRpcProvider, Transaction, type TransactionLike, toQuantity, Wallet } from "ethers";
import { z } from "zod";
import type { Secret } from "../../api/settings/secret.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { upstream } from "../../chain/rpc.ts";
import { Refused } from "../errors.ts";
import type { Connection } from "./connect.ts";
import { type AccountSource, accountIn } from "./network.ts";
import { rpcCode } from "./rpcErrors.ts";
import type { AdminWorld } from "./world.ts";

/** A transaction with everything that is signed; EIP-1559. */
export interface CallTransaction {
  readonly chainId: number;
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly nonce: number;
  readonly gasLimit: bigint;
  /** Wei. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface AdminAccount {
  /** EIP-55. */
  readonly address: string;
  /** Asks for the passphrase, where there is one: before time counts. @throws Refused */
  unlock(): Promise<void>;
  /**
   * The signed transaction, or null where the signer only signs what it sends itself.
   * @throws Refused when the signer says no or signs another transaction
   */
  sign(transaction: CallTransaction): Promise<string | null>;
  /** Has the signer sign and send. @returns the hash. @throws Refused */
  send(transaction: CallTransaction): Promise<string>;
}

const Addresses = z.array(Address);
const LONGEST_KEYSTORE = 4_096;

/** @throws Refused; UpstreamUnavailable when an external signer does not answer */
export async function openAccounts(
  { network, readText }: Pick<AdminWorld, "network" | "readText">,
  { provider }: Pick<Connection, "provider">,
): Promise<AdminAccount[]> {
  const source = network.accounts();
  const accounts = await accountsOf(source, provider, network.name, readText);
  if (accounts.length === 0) throw new Refused(`The network "${network.name}" has no account to sign with.`);
  return accounts;
}

async function accountsOf(
  source: AccountSource,
  provider: JsonRpcProvider,
  network: string,
  readText: AdminWorld["readText"],
): Promise<AdminAccount[]> {
  if (source.kind === "keystore") return [await keystoreAccount(provider, source, readText)];
  if (source.kind === "keys")
    return source.privateKeys.map((key) => {
      const wallet = walletOf(key, network);
      return signingAccount(provider, wallet.address, async () => wallet);
    });
  const addresses = await addressesBehind(provider, network);
  return addresses.map((address) => remoteAccount(provider, address));
}

/** The library's own error would show the key: one with a digit too few is still most of it. */
function walletOf(key: Secret, network: string): Wallet {
  try {
    return new Wallet(key.reveal());
  } catch {
    throw new Refused(
      `A key of the network "${network}" is not a private key: it must be 0x and 64 hexadecimal digits.`,
    );
  }
}

async function addressesBehind(provider: JsonRpcProvider, network: string): Promise<string[]> {
  const answer = Addresses.safeParse(await upstream("accounts", () => provider.send("eth_accounts", [])));
  if (answer.success) return answer.data;
  throw new Refused(`The signer of the network "${network}" names no accounts.`);
}

async function keystoreAccount(
  provider: JsonRpcProvider,
  { path, passphrase }: Extract<AccountSource, { kind: "keystore" }>,
  readText: AdminWorld["readText"],
): Promise<AdminAccount> {
  const refuse = (why: string): never => {
    throw new Refused(`${path} ${why}.`);
  };
  const json = await readText(path, LONGEST_KEYSTORE).catch((error: Error) =>
    refuse(`cannot be read: ${error.message}`),
  );
  const address = accountIn(json);
  if (address === null) return refuse("is no keystore of an account (assay keystore create makes one)");
  let opened: Promise<Wallet> | undefined;
  // The library also refuses a key that is not the named account's.
  const open = async (): Promise<Wallet> =>
    (await Wallet.fromEncryptedJson(json, await passphrase()).catch(() =>
      refuse(`does not open as ${address} with this passphrase`),
    )) as Wallet;
  return signingAccount(provider, address, () => {
    opened ??= open();
    return opened;
  });
}

/** @param open the wallet; asked when something is signed */
function signingAccount(
  provider: JsonRpcProvider,
  address: string,
  open: () => Promise<Wallet>,
): AdminAccount {
  const sign = async ({ from: _, ...transaction }: CallTransaction) =>
    (await open()).signTransaction({ type: 2, value: 0n, ...transaction });
  return {
    address,
    unlock: async () => void (await open()),
    sign,
    send: async (transaction) =>
      String(await provider.send("eth_sendRawTransaction", [await sign(transaction)])),
  };
}

function remoteAccount(provider: JsonRpcProvider, address: string): AdminAccount {
  const ask = async (method: string, transaction: CallTransaction) => {
    try {
      return (await provider.send(method, [rpcForm(transaction)])) as unknown;
    } catch (error) {
      if (saysNo(error)) throw new Refused(`The signer of ${address} refused to sign.`);
      throw error;
    }
  };
  return {
    address,
    unlock: async () => {},
    sign: async (transaction) => {
      let answer: unknown;
      try {
        answer = await ask("eth_signTransaction", transaction);
      } catch (error) {
        if (isUnknownMethod(error)) return null;
        throw error;
      }
      // geth and Clef answer {raw, tx}, others the bytes alone.
      const raw = typeof answer === "string" ? answer : (answer as { raw?: unknown } | null)?.raw;
      return checked(raw, transaction);
    },
    send: async (transaction) => String(await ask("eth_sendTransaction", transaction)),
  };
}

/** What came back signed is what was asked for: the signer is another program, perhaps on another machine. */
function checked(raw: unknown, asked: CallTransaction): string {
  let signed: TransactionLike | null = null;
  try {
    signed = Transaction.from(String(raw));
  } catch {
    // Told below.
  }
  const same =
    signed !== null &&
    signed.from === asked.from &&
    signed.to === asked.to &&
    signed.nonce === asked.nonce &&
    signed.data === asked.data &&
    BigInt(signed.value ?? 0) === 0n &&
    BigInt(signed.chainId ?? 0) === BigInt(asked.chainId);
  if (!same)
    throw new Refused(`The signer of ${asked.from} signed something other than it was asked to: not sent.`);
  return String(raw);
}

function rpcForm(transaction: CallTransaction): Record<string, string> {
  const { chainId, from, to, data, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  return {
    from,
    to,
    data,
    value: "0x0",
    chainId: toQuantity(chainId),
    nonce: toQuantity(nonce),
    gas: toQuantity(gasLimit),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
  };
}

function saysNo(error: unknown): boolean {
  return rpcCode(error) === 4001 || (error as { code?: unknown } | null)?.code === "ACTION_REJECTED";
}

/** JSON-RPC's own code for it, and EIP-1193's. */
function isUnknownMethod(error: unknown): boolean {
  const code = rpcCode(error);
  return (
    code === -32601 ||
    code === -32004 ||
    code === 4200 ||
    (error as { code?: unknown } | null)?.code === "UNSUPPORTED_OPERATION"
  );
}
