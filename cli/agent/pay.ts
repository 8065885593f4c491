/**
 * How the agent pays for reports: with the official x402 client, from its own wallet, in tokens and up to an amount
 * that its user has allowed. The service never sees more than the signed authorization of one payment.
 */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { Wallet } from "ethers";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { PaymentRequired, type PaymentRequirements, type Receipt } from "../../client/client.ts";
import { balanceOf } from "./wallet.ts";

export interface Purse {
  /** CAIP-2. */
  readonly network: `eip155:${number}`;
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Raw units that one payment may cost at most. */
  readonly maxPrice: bigint;
}

/** The service wants money, and the agent may not pay. */
export class Unpaid extends Error {
  override name = "Unpaid";
}

export type Payer = ReturnType<typeof createPayer>;

interface Bought {
  readonly receipt: Receipt | null;
}

export interface PayerDeps {
  readonly wallet: Wallet;
  readonly purse: Purse;
  /** Whether the user has allowed payments at all. */
  readonly allowed: boolean;
  readonly log: (line: string) => void;
}

/** Every function throws Unpaid where the price may not be paid, and the errors of the call. */
export function createPayer(deps: PayerDeps) {
  const { wallet, purse, log } = deps;
  const client = x402ClientOf(wallet, purse);
  const units = (raw: bigint) => `${wholeUnits(raw, purse.decimals)} ${purse.symbol}`;

  async function buy<T extends Bought>(ask: () => Promise<T>, pay: (asked: PaymentRequired) => Promise<T>) {
    let asked: PaymentRequired;
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PaymentRequired)) throw error;
      asked = error;
    }
    const terms = payable(asked.challenge.accepts, purse);
    const price = BigInt(terms.amount);
    log(`   price      ${units(price)} (${terms.amount} raw units of ${terms.asset} on ${terms.network})`);
    if (!deps.allowed)
      throw new Unpaid(
        `The report costs ${units(price)}. Nothing was paid; --pay buys it, up to --max-price ${units(purse.maxPrice)}.`,
      );
    if (price > purse.maxPrice)
      throw new Unpaid(
        `The report costs ${units(price)}, more than --max-price ${units(purse.maxPrice)}. Nothing was paid.`,
      );
    const before = await balanceOf(wallet, purse.asset);
    const bought = await pay(asked);
    const after = await balanceOf(wallet, purse.asset);
    if (bought.receipt !== null)
      log(
        before === after
          ? `   paid       before, in ${bought.receipt.transaction}: nothing more was charged`
          : `   paid       in ${bought.receipt.transaction}, balance ${units(before)} -> ${units(after)}`,
      );
    return bought;
  }

  return {
    /** Buys what a call asks payment for. The call gets a `fetch` that pays when it meets a 402. */
    withFetch: <T extends Bought>(call: (fetch: typeof globalThis.fetch | undefined) => Promise<T>) =>
      buy(
        () => call(undefined),
        () => within(() => call(wrapFetchWithPayment(fetch, client) as typeof fetch)),
      ),
    /** As `withFetch`, but signs once, so that the call may repeat its payment and is charged once all the same. */
    withSignature: <T extends Bought>(call: (paymentSignature: object | undefined) => Promise<T>) =>
      buy(
        () => call(undefined),
        async ({ challenge }) =>
          call(
            await client.createPaymentPayload(challenge as Parameters<typeof client.createPaymentPayload>[0]),
          ),
      ),
  };
}

/** The official client: pays in one token of one network, up to a limit, with the wallet's signature. */
function x402ClientOf(
  wallet: Pick<Wallet, "address" | "signTypedData">,
  { network, asset, maxPrice }: Pick<Purse, "network" | "asset" | "maxPrice">,
): x402Client {
  const client = new x402Client();
  const signer: ConstructorParameters<typeof ExactEvmScheme>[0] = {
    address: wallet.address as `0x${string}`,
    signTypedData: async ({ domain, types, primaryType, message }) => {
      // ethers makes the domain's own type itself, and wants no other beside what is signed.
      const { EIP712Domain: _, ...own } = types as Record<string, { name: string; type: string }[]>;
      if (!(primaryType in own)) throw new Error(`${primaryType} has no type`);
      return (await wallet.signTypedData(domain, own, message)) as `0x${string}`;
    },
  };
  client.register(network, new ExactEvmScheme(signer));
  // The client's own rule allows a few well-known dollars up to 1 USD: here it is this token, up to the user's limit.
  return client.setSpendControls({
    maxAmountPerPayment: "$0",
    allowedAssets: [{ network, asset, maxAmountPerPayment: maxPrice.toString() }],
  });
}

/** The limits hold for what is signed in the end, too: a service could ask for more than it said at first. */
async function within<T>(pay: () => Promise<T>): Promise<T> {
  try {
    return await pay();
  } catch (error) {
    if (error instanceof Error && /spendControls/.test(error.message))
      throw new Unpaid("The service asks for more than it said, or for another token. Nothing was paid.");
    throw error;
  }
}

function payable(accepts: readonly PaymentRequirements[], { network, asset }: Purse): PaymentRequirements {
  const terms = accepts.find(
    (offer) =>
      offer.scheme === "exact" &&
      offer.network === network &&
      offer.asset.toLowerCase() === asset.toLowerCase() &&
      /^[0-9]{1,78}$/.test(offer.amount),
  );
  if (terms === undefined)
    throw new Unpaid(`The service takes no payment in ${asset} on ${network}. Nothing was paid.`);
  return terms;
}
