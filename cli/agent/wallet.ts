/** The agent's own wallet: approves, signs and sends. The service sees none of its keys. */
import { JsonRpcProvider, type TransactionReceipt, type TransactionResponse, Wallet } from "ethers";
import { executeCallData } from "../../attestor/certificate/guardCall.ts";
import { balanceOf as balanceIn, type Read } from "../../attestor/evm/reads.ts";
import type { PreparedExecution } from "../../client/client.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";

const guardInterface = TradeGuard__factory.createInterface();

/** @param rpcUrl the agent's own node; it need not be the service's */
export function connectWallet(rpcUrl: string, privateKey: string): Wallet {
  return new Wallet(
    privateKey,
    new JsonRpcProvider(rpcUrl, undefined, { batchMaxCount: 1, pollingInterval: 250, cacheTimeout: -1 }),
  );
}

/** Raw balance of a token. */
export const balanceOf = (wallet: Wallet, token: string): Promise<bigint> =>
  ask(wallet, balanceIn(token, wallet.address));

const ask = async <T>(wallet: Wallet, read: Read<T>): Promise<T> => read.read(await wallet.call(read));

/**
 * Sends what the trade needs to be approved, and waits for each.
 * @returns the last transaction; null where none was needed
 */
export async function approve(
  wallet: Wallet,
  calls: PreparedExecution["approval"]["calls"],
): Promise<TransactionReceipt | null> {
  let receipt: TransactionReceipt | null = null;
  for (const { to, data } of calls) receipt = await (await wallet.sendTransaction({ to, data })).wait();
  return receipt;
}

/** A transaction as far as the trade decides it. */
export interface Call {
  readonly to: string;
  readonly data: string;
}

/** The owner's own transaction, as the service made it. */
export function ownCall({ guardCall: { to, data } }: PreparedExecution): Call {
  return { to, data };
}

/** The same trade for anyone to send: the owner signs the trade intent, nothing else. */
export async function relayedCall(owner: Wallet, execution: PreparedExecution): Promise<Call> {
  const { tradeIntent, relayedCall: call } = execution;
  const { domain, types, message } = tradeIntent;
  // ethers adds the domain's type itself.
  const ownerSignature = await owner.signTypedData(domain, { TradeIntent: types.TradeIntent }, message);
  return { to: call.to, data: executeCallData({ ...call.args, ownerSignature }) };
}

/**
 * Tries the call on the node first, so that a refusal costs nothing and has a name.
 * @throws Error with the guard's own error
 */
export async function send(wallet: Wallet, call: Call): Promise<TransactionResponse> {
  try {
    await wallet.call(call);
  } catch (error) {
    throw new Error(`The guard refuses the call: ${refusalOf(error)}`);
  }
  return wallet.sendTransaction(call);
}

function refusalOf(error: unknown): string {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : null;
  const parsed = typeof data === "string" ? guardInterface.parseError(data) : null;
  if (parsed?.name === "CertificateSignerUnknown")
    return `its attestation key was rotated, and the certificate is of ${parsed.args[0]}. Prepare the trade again.`;
  if (parsed) return `${parsed.name}(${parsed.args.join(", ")})`;
  return error instanceof Error ? error.message : String(error);
}

/** The evidence hash that the guard's own event states in a receipt; null without that event. */
export function eventEvidenceHash(receipt: TransactionReceipt, guard: string): string | null {
  for (const log of receipt.logs) {
    if (log.address !== guard) continue;
    const event = guardInterface.parseLog(log);
    if (event?.name === "TradeExecuted") return event.args.evidenceHash;
  }
  return null;
}
