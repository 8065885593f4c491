/**
 * The facilitator of the local world, in this process: verifies payments and sends them, with an account of its own that
 * pays the gas. Beside it, what a buyer may pay with there: local dollars, by EIP-3009 or by Permit2.
 */
import { Interface, type JsonRpcProvider, Signature, type TransactionRequest, Wallet } from "ethers";
import { ZodError } from "zod";
import { createPaymentChain } from "../api/payments/chain.ts";
import { blockOf } from "../api/payments/chainEvents.ts";
import type { PaymentSetup } from "../api/payments/open.ts";
import { assertUsable, authorizationOf, Payment } from "../api/payments/payload.ts";
import { PROXY_ABI } from "../api/payments/permit2.ts";
import { PaymentRefused } from "../api/payments/refusals.ts";
import { Requirements } from "../api/payments/requirements.ts";
import { type SignedBy, signedIn } from "../api/payments/signature.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../api/payments/typedData.ts";
import type { PaymentOption } from "../api/settings/paymentOptions.ts";
import type { Deployment } from "../chain/deployment.ts";
import { localAccounts } from "./accounts.ts";
import { secondDollar } from "./secondDollar.ts";

/** One cent, in raw units of the local dollar and of the second one. */
const PRICE = "10000";
const SECOND_PRICE = "10000000000000000";
const RECEIPT_TIMEOUT_MS = 10_000;

/** For a service in the local world. */
export function localPayments(context: { deployment: Deployment; provider: JsonRpcProvider }): PaymentSetup {
  const { facilitator, payee } = localAccounts();
  return {
    options: localOptions(context.deployment),
    payTo: payee.address,
    facilitator: createLocalFacilitator({
      provider: context.provider,
      privateKey: facilitator.privateKey,
      chainId: context.deployment.chainId,
    }),
  };
}

/** A cent of a local dollar for every policy, or one of the second dollar. */
export function localOptions({ chainId, registry }: Deployment): PaymentOption[] {
  const dollar = registry.assets.find(({ kind }) => kind === "settlement");
  if (dollar === undefined) throw new Error("the local world has no settlement token");
  const common = { network: `eip155:${chainId}`, maxTimeoutSeconds: 300, confirmations: 1 };
  return [
    {
      ...common,
      asset: dollar.address,
      transferMethod: "eip3009",
      // As the token's EIP-712 domain says.
      name: "Local Dollar",
      version: "1",
      prices: { "*": PRICE },
    },
    {
      ...common,
      asset: secondDollar(),
      transferMethod: "permit2",
      prices: { "*": SECOND_PRICE },
    },
  ];
}

/** A facilitator of the paid phase on one chain, in this process. */
export interface LocalFacilitator {
  verify(payment: unknown, terms: unknown): Promise<Verdict>;
  settle(payment: unknown, terms: unknown): Promise<Settled>;
}

/** As x402's facilitators answer /verify. */
type Verdict =
  | { readonly isValid: true; readonly payer: string }
  | { readonly isValid: false; readonly invalidReason: string };

/** As they answer /settle; `transaction` is empty where none was sent. */
interface Settled {
  readonly success: boolean;
  readonly transaction: string;
  readonly network: string;
  readonly errorReason?: string;
}

/** Why a payment is not taken, in a word of x402's. */
class Refused extends Error {
  override name = "Refused";
}

/** @param deps `privateKey` of the account that sends the settlements */
export function createLocalFacilitator(deps: {
  provider: JsonRpcProvider;
  privateKey: string;
  chainId: number;
}): LocalFacilitator {
  const { provider, chainId } = deps;
  const wallet = new Wallet(deps.privateKey, provider);
  const chain = createPaymentChain({ provider, chainId, confirmations: 1 });
  const network = `eip155:${chainId}`;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, so that each takes the nonce after the one before: this chain mines what it is sent at once. */
  function send(transfer: TransactionRequest): Promise<string> {
    const sent = last.then(async () => (await wallet.sendTransaction(transfer)).hash);
    last = sent.catch(() => {});
    return sent;
  }

  /** @returns the transaction that makes the payment, and the payer @throws Refused, PaymentRefused, the node's errors */
  async function transferOf(givenPayment: unknown, givenTerms: unknown) {
    const payment = Payment.parse(givenPayment);
    const terms = Requirements.parse(givenTerms);
    if (terms.network !== network) throw new Refused("network_mismatch");
    const authorization = authorizationOf(payment);
    // The token goes by block time.
    assertUsable(authorization, terms, (await blockOf(provider, "latest")).timestamp * 1000);
    const { payer, nonce, method } = authorization;
    const { asset } = terms;
    const signedBy = await chain.signerKindOf(signedIn(payment, terms));
    if (signedBy === null) throw new Refused("invalid_signature");
    if ((await chain.unusedAt(asset, payer, nonce)) === null) throw new Refused("nonce_already_used");
    const price = BigInt(terms.amount);
    if ((await chain.balanceOf(asset, payer)) < price) throw new Refused("insufficient_balance");
    if (method === "permit2" && (await chain.allowanceOf(asset, payer, PERMIT2)) < price)
      throw new Refused("permit2_allowance_required");
    const transfer = settlementOf(payment, asset, signedBy);
    // What the token would say; the service looks at the chain itself.
    await wallet.call(transfer).catch(() => {
      throw new Refused("transaction_simulation_failed");
    });
    return { transfer, payer };
  }

  return {
    async verify(payment, terms) {
      try {
        const { payer } = await transferOf(payment, terms);
        return { isValid: true, payer };
      } catch (error) {
        return { isValid: false, invalidReason: reasonOf(error) };
      }
    },
    async settle(payment, terms) {
      let transaction = "";
      try {
        const { transfer } = await transferOf(payment, terms);
        transaction = await send(transfer);
        const receipt = await provider.waitForTransaction(transaction, 1, RECEIPT_TIMEOUT_MS);
        if (receipt?.status === 1) return { success: true, transaction, network };
        return { success: false, transaction, network, errorReason: "transaction_failed" };
      } catch (error) {
        return { success: false, transaction, network, errorReason: reasonOf(error) };
      }
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof PaymentRefused) return error.refusal;
  if (error instanceof Refused) return error.message;
  if (error instanceof ZodError) return "invalid_payload";
  throw error;
}

const TRANSFER =
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, ";
const BY_KEY = new Interface([`${TRANSFER}uint8 v, bytes32 r, bytes32 s)`]);
/** For contract wallets (ERC-1271), in tokens that take their signatures. */
const BY_CONTRACT = new Interface([`${TRANSFER}bytes signature)`]);

/** The call of the token, or of x402's proxy for Permit2, that moves what was signed. */
function settlementOf({ payload }: Payment, asset: string, signedBy: SignedBy): { to: string; data: string } {
  const { signature } = payload;
  if ("permit2Authorization" in payload) {
    const { from, permitted, nonce, deadline, witness } = payload.permit2Authorization;
    const args = [{ permitted, nonce, deadline }, from, witness, signature];
    return { to: EXACT_PERMIT2_PROXY, data: PROXY_ABI.encodeFunctionData("settle", args) };
  }
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const signed = [from, to, value, validAfter, validBefore, nonce];
  if (signedBy === "contract") {
    const data = BY_CONTRACT.encodeFunctionData("transferWithAuthorization", [...signed, signature]);
    return { to: asset, data };
  }
  const { v, r, s } = Signature.from(signature);
  return { to: asset, data: BY_KEY.encodeFunctionData("transferWithAuthorization", [...signed, v, r, s]) };
}
