/**
 * How the agent pays for reports: the client signs with the agent's own wallet, in tokens and up to an amount that its
 * user has allowed. The service never sees more than the signed authorization of one payment.
 */
import type { Wallet } from "ethers";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import {
  type Bought,
  PaymentNotAllowed,
  PaymentRequired,
  type PaymentRequirements,
  type PaymentSigner,
  signPayment,
} from "../../client/client.ts";
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

export interface PayerDeps {
  readonly wallet: Wallet;
  readonly purse: Purse;
  /** Whether the user has allowed payments at all. */
  readonly allowed: boolean;
  readonly log: (line: string) => void;
}

export function createPayer(deps: PayerDeps) {
  const { wallet, purse, log } = deps;
  const units = (raw: bigint) => `${wholeUnits(raw, purse.decimals)} ${purse.symbol}`;

  return {
    /**
     * Buys what a call asks payment for. It signs once, so the call may repeat its payment and is charged once all the same.
     * @throws Unpaid where the price may not be paid; the errors of the call
     */
    async buy<T extends Bought>(call: (paymentSignature?: object) => Promise<T>): Promise<T> {
      let asked: PaymentRequired;
      try {
        return await call();
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
      const bought = await call(await signedBy(wallet, asked, purse));
      const after = await balanceOf(wallet, purse.asset);
      if (bought.receipt !== null)
        log(
          before === after
            ? `   paid       before, in ${bought.receipt.transaction}: nothing more was charged`
            : `   paid       in ${bought.receipt.transaction}, balance ${units(before)} -> ${units(after)}`,
        );
      return bought;
    },
  };
}

async function signedBy(wallet: Wallet, { challenge }: PaymentRequired, purse: Purse): Promise<object> {
  const { network, asset, maxPrice: maxAmount } = purse;
  const signer: PaymentSigner = {
    address: wallet.address,
    // ethers makes the domain's own type itself, and wants no other beside what is signed.
    signTypedData: ({ domain, types: { EIP712Domain: _, ...types }, message }) =>
      wallet.signTypedData(domain, types, message),
  };
  try {
    return await signPayment(challenge, signer, { network, asset, maxAmount });
  } catch (error) {
    if (error instanceof PaymentNotAllowed) throw new Unpaid(error.message);
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
