/** A whole trade: judged, checked, approved, sent and followed to its end. Keys stay in the wallet. */
import { z } from "zod";
import type { Confirmed, Execution, Job } from "../api/jobs/schemas.ts";
import { tradeIntentTypedData } from "../attestor/certificate/certificate.ts";
import { executeCallData, mandateTradeCallData } from "../attestor/certificate/guardCall.ts";
import { id } from "../attestor/evm/hash.ts";
import type { Verification } from "../attestor/verify/verification.ts";
import { type AskedTrade, checkedTrade, TradeRefused, type TradeTrust } from "./checkTrade.ts";
import { PaymentRequired } from "./clientErrors.ts";
import type { BoughtReport, PreparedExecution, ReportDocument } from "./document.ts";
import { jobCalls } from "./jobCalls.ts";
import type { OpenCalls } from "./openCalls.ts";
import type { Bought, Payable, PaymentChallenge } from "./payment.ts";
import type { PaymentLimit, PaymentSigner } from "./signPayment.ts";
import { createTransport, type TransportDeps } from "./transport.ts";
import { signerOf, type WalletProvider } from "./wallet.ts";

/** A transaction as far as the trade decides it. */
export interface TradeCall {
  readonly to: string;
  readonly data: string;
}

export interface TradeOptions extends TradeTrust {
  /** Holds the account of the owner. */
  readonly wallet: WalletProvider;
  /** Sends the trade, which the owner then only signs. @returns the transaction's hash */
  readonly relay?: (call: TradeCall) => Promise<string>;
  /**
   * Trades for a Safe, the owner, within the mandate that it granted to the account that `send` sends from. Nothing is
   * approved or signed by the owner.
   */
  readonly mandate?: MandateOptions;
  /**
   * What the report may cost where the service sells it: the account that trades pays, by `signPayment`. Without it the
   * trade ends with PaymentRequired.
   */
  readonly pay?: PaymentLimit;
  /** Receives each step as it is done. */
  readonly on?: (event: TradeEvent) => void;
}

export interface MandateOptions {
  /** The guard's mandate module, from your own settings. */
  readonly module: string;
  /** Sends the module's call from the agent's account. @returns the transaction's hash */
  send(call: TradeCall): Promise<string>;
}

export type TradeEvent =
  | { readonly step: "job"; readonly jobId: string }
  /** Judged, and certified where it is allowed: nothing is checked of it yet. */
  | { readonly step: "prepared"; readonly prepared: BoughtReport }
  | { readonly step: "checked"; readonly verification: Verification }
  /** Null: the guard may take the amount already. */
  | { readonly step: "approved"; readonly transactionHash: string | null }
  | { readonly step: "sent"; readonly transactionHash: string }
  | { readonly step: "submitted"; readonly executionId: string }
  | { readonly step: "confirmed"; readonly execution: Execution };

/** A trade that a block has, as the guard's own event and the service say. Save it: it can be verified at any time. */
export interface Traded extends ReportDocument, Bought {
  /** As it was signed. */
  readonly execution: PreparedExecution;
  readonly transactionHash: string;
  readonly confirmed: Confirmed;
}

/** A trade that was sent, and of which no good end is known. */
export class TradeFailed extends Error {
  /**
   * `reverted`: nothing was traded. `other_event`: the guard's event names other evidence. `not_confirmed`: no block has it in
   * time, or the service does not confirm what a block has.
   */
  readonly code: "reverted" | "other_event" | "not_confirmed";
  readonly transactionHash: string;

  constructor(code: TradeFailed["code"], message: string, transactionHash: string) {
    super(message);
    this.name = "TradeFailed";
    this.code = code;
    this.transactionHash = transactionHash;
  }
}

export interface TradeDeps {
  readonly transport: TransportDeps;
  readonly verify: OpenCalls["verify"];
  /** A name that no other job has. */
  newRequestId(): string;
  sign(challenge: PaymentChallenge, signer: PaymentSigner, limit: PaymentLimit): Promise<object>;
}

/** Calls again with a payment, where the service asks for one that the caller allows. */
type Buying = <T>(call: (payment: Payable) => Promise<T>) => Promise<T>;

const POLL_MS = 500;
const PATIENCE_MS = 120_000;
const WAIT_SECONDS = 30;
const EXECUTED = id("TradeExecuted(bytes32,address,bytes32,bytes32,uint256,uint256)");

const Hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const Receipt = z.object({
  status: z.string(),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()) })),
});
type Receipt = z.infer<typeof Receipt>;

const SIGNER_UNKNOWN = id("CertificateSignerUnknown(address)").slice(0, 10);
/** How many errors a wallet and its library may have put around the node's own. */
const MAX_ERROR_DEPTH = 4;

export async function carriedOut(deps: TradeDeps, asked: AskedTrade, options: TradeOptions): Promise<Traded> {
  const { transport } = deps;
  const { wallet, guard, on = () => {} } = options;
  const owner = asked.ownerAddress;
  const buying = buyingBy(deps, signerOf(wallet, owner), options.pay);
  const { jobId, calls } = await begin(deps, asked, buying);
  on({ step: "job", jobId });
  const prepared = await buying((payment) => calls.prepare(jobId, payment));
  on({ step: "prepared", prepared });
  const now = Math.floor(transport.now() / 1000);
  const { execution, verification } = checkedTrade(prepared, asked, options, now);
  on({ step: "checked", verification });

  const approved = options.mandate === undefined ? await approve(transport, wallet, execution) : null;
  on({ step: "approved", transactionHash: approved });
  const transactionHash = await sendTrade(execution, verification, options);
  on({ step: "sent", transactionHash });
  const { executionId } = await calls.submit(jobId, transactionHash);
  on({ step: "submitted", executionId });

  const { logs } = await mined(transport, wallet, transactionHash);
  const isOurs = ({ address, topics }: Receipt["logs"][number]) =>
    address.toLowerCase() === guard.address.toLowerCase() &&
    topics[0] === EXECUTED &&
    topics[3] === verification.evidenceHash;
  if (!logs.some(isOurs))
    throw new TradeFailed(
      "other_event",
      "The guard's event does not name the evidence that was checked.",
      transactionHash,
    );
  const [ended, confirmed] = await confirmation(
    transport,
    () => calls.job(jobId, { wait: WAIT_SECONDS }),
    transactionHash,
  );
  on({ step: "confirmed", execution: ended });
  const { hints: _, ...document } = prepared;
  return { ...document, execution, transactionHash, confirmed };
}

/** With a key a job, else one shot, whose token opens the calls of its job. */
async function begin({ transport, verify, newRequestId }: TradeDeps, asked: AskedTrade, buying: Buying) {
  const { recipientAddress, ...trade } = asked;
  const body = { ...trade, ...(recipientAddress === asked.ownerAddress ? {} : { recipientAddress }) };
  const calls = jobCalls(createTransport(transport));
  if (transport.apiKey !== undefined)
    return { calls, jobId: (await calls.createJob({ clientRequestId: newRequestId(), ...body })).jobId };
  const { jobId, jobToken } = await buying((payment) => verify(body, payment));
  return { calls: jobCalls(createTransport({ ...transport, jobToken })), jobId };
}

/** The limit is for the whole trade: a second request for payment is refused. */
function buyingBy({ sign }: TradeDeps, signer: PaymentSigner, limit: PaymentLimit | undefined): Buying {
  let isSigned = false;
  return async (call) => {
    try {
      return await call({});
    } catch (error) {
      if (limit === undefined || isSigned || !(error instanceof PaymentRequired)) throw error;
      isSigned = true;
      return call({ paymentSignature: await sign(error.challenge, signer, limit) });
    }
  };
}

/**
 * Has the owner sign a checked trade, for anybody to send.
 * @returns the call of the guard
 */
export async function relayedCall(execution: PreparedExecution, wallet: WalletProvider): Promise<TradeCall> {
  const { to, args } = execution.relayedCall;
  const { domain, message } = execution.tradeIntent;
  // Wallets that hash typed data as it stands need the domain's type, which a document may lack.
  const typed = { ...tradeIntentTypedData(domain, message), domain: { ...domain } };
  const ownerSignature = await signerOf(wallet, message.owner).signTypedData(typed);
  return { to, data: executeCallData({ ...args, ownerSignature }) };
}

/** @throws TradeRefused `signer_rotated` */
async function sendTrade(
  execution: PreparedExecution,
  verification: Verification,
  { wallet, relay, mandate }: TradeOptions,
): Promise<string> {
  const { tradeIntent, guardCall } = execution;
  try {
    if (mandate !== undefined) {
      const call = { to: mandate.module, data: mandateTradeCallData(guardCall.args) };
      return Hash.parse(await mandate.send(call));
    }
    if (relay === undefined) return await send(wallet, tradeIntent.message.owner, guardCall);
    return Hash.parse(await relay(await relayedCall(execution, wallet)));
  } catch (error) {
    if (!isSignerUnknown(error)) throw error;
    throw new TradeRefused(
      "signer_rotated",
      "The guard's attestation key was rotated after the trade was prepared, so the guard refuses its certificate: prepare the trade again.",
      verification,
    );
  }
}

/**
 * Whether the guard refused the certificate's key. Nodes answer the revert data as `data` of their error; wallets and their
 * libraries hand that error on as it is, or as `data`, `cause` or `originalError` of their own.
 */
function isSignerUnknown(error: unknown, depth = 0): boolean {
  if (typeof error === "string") return error.toLowerCase().startsWith(SIGNER_UNKNOWN);
  if (typeof error !== "object" || error === null || depth > MAX_ERROR_DEPTH) return false;
  const { data, cause, originalError } = error as Record<string, unknown>;
  return [data, cause, originalError].some((inner) => isSignerUnknown(inner, depth + 1));
}

/** Tried on the node first, so that a refusal costs nothing. */
async function send(wallet: WalletProvider, from: string, { to, data }: TradeCall): Promise<string> {
  await wallet.request({ method: "eth_call", params: [{ from, to, data }, "latest"] });
  return Hash.parse(await wallet.request({ method: "eth_sendTransaction", params: [{ from, to, data }] }));
}

/** @returns the last transaction; null where the guard may take the amount already */
async function approve(deps: TransportDeps, wallet: WalletProvider, execution: PreparedExecution) {
  const { approval, tradeIntent } = execution;
  let hash: string | null = null;
  for (const call of approval.calls) {
    hash = await send(wallet, tradeIntent.message.owner, call);
    await mined(deps, wallet, hash);
  }
  return hash;
}

async function mined({ sleep }: TransportDeps, wallet: WalletProvider, hash: string): Promise<Receipt> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const receipt = await wallet.request({ method: "eth_getTransactionReceipt", params: [hash] });
    if (receipt == null) {
      await sleep(POLL_MS);
      continue;
    }
    const read = Receipt.parse(receipt);
    if (BigInt(read.status) === 1n) return read;
    throw new TradeFailed("reverted", `The transaction ${hash} reverted.`, hash);
  }
  throw new TradeFailed("not_confirmed", `No block has the transaction ${hash} yet.`, hash);
}

async function confirmation(
  { sleep, now }: TransportDeps,
  look: () => Promise<Job>,
  hash: string,
): Promise<[Execution, Confirmed]> {
  const began = now();
  // A service of which much is asked may answer without waiting.
  for (let slept = 0; slept + now() - began < PATIENCE_MS; slept += POLL_MS) {
    const { executions } = await look();
    const execution = executions.find(({ transactionHash }) => transactionHash === hash);
    if (execution?.confirmed) return [execution, execution.confirmed];
    // The wallet's node has shown the trade: a service that says otherwise has not undone it.
    if (execution !== undefined && execution.state !== "submitted")
      throw new TradeFailed(
        "not_confirmed",
        `The guard's event names the trade, and the service says ${execution.state}: ${execution.reason ?? "no reason"}`,
        hash,
      );
    await sleep(POLL_MS);
  }
  throw new TradeFailed("not_confirmed", `The service has not confirmed ${hash} yet.`, hash);
}
