/** What a buyer may pay with: tokens on EVM networks, how each is moved by a signature, and the price of each policy in it. */
import { z } from "zod";
import { Address, RawAmount, Text } from "../../attestor/values/primitives.ts";

const RpcUrl = z.string().regex(/^https?:\/\/\S+$/i, "must be an http or https URL");

/** How a signature moves a token: by the token itself (EIP-3009), or by Permit2 and x402's proxy for it. */
export type TransferMethod = "eip3009" | "permit2";

const DOMAIN_OF_EIP3009 =
  'is required with the transfer method "eip3009": name and version of the token\'s EIP-712 domain';
const NO_DOMAIN = 'goes with the transfer method "eip3009" alone';

const Price = RawAmount.refine((price) => price !== "0", "must be more than zero");

/** One way to pay. Times in seconds, prices in raw units of the token. */
const OptionFields = z.strictObject({
  /** CAIP-2. */
  network: z.string().regex(/^eip155:[1-9][0-9]{0,15}$/, "must be eip155:<chain id>"),
  /** The token's contract. */
  asset: Address,
  transferMethod: z.enum(["eip3009", "permit2"]).default("eip3009"),
  /** Name and version of the token's EIP-712 domain, as its contract has them; Permit2 needs neither. */
  name: Text.min(1).max(100).optional(),
  version: Text.min(1).max(20).optional(),
  /** Where the token is asked about authorizations; the service's own chain needs none. */
  rpcUrl: RpcUrl.optional(),
  /** By policy identifier; `*` for all that are not named. */
  prices: z
    .record(Text.min(1).max(64), Price)
    .refine((prices) => Object.keys(prices).length > 0, "must name a price"),
  /** How long a buyer's authorization is valid at most. */
  maxTimeoutSeconds: z.int().min(30).max(3_600).default(300),
  /** Blocks on top of nothing after which a transfer counts: 1 is its own block. */
  confirmations: z.int().min(1).max(1_000).default(1),
  /** The payee; the setting PAYMENT_PAY_TO otherwise. */
  payTo: Address.optional(),
});

export const PaymentOption = OptionFields.superRefine(({ transferMethod, name, version }, context) => {
  const isEip3009 = transferMethod === "eip3009";
  const message = isEip3009 ? DOMAIN_OF_EIP3009 : NO_DOMAIN;
  for (const key of ["name", "version"] as const) {
    const isGiven = { name, version }[key] !== undefined;
    if (isGiven !== isEip3009) context.addIssue({ code: "custom", path: [key], message });
  }
});
export type PaymentOption = z.infer<typeof PaymentOption>;

/** The content of `PAYMENT_OPTIONS_FILE`. */
export const PaymentOptions = z
  .strictObject({
    options: z.array(PaymentOption).min(1).max(8),
  })
  .refine(
    ({ options }) =>
      new Set(options.map(({ network, asset }) => `${network} ${asset}`)).size === options.length,
    "names the same token of a network twice",
  );
export type PaymentOptions = z.infer<typeof PaymentOptions>;

/** A way to pay with everything known. */
export interface Offer extends PaymentOption {
  readonly payTo: string;
  readonly chainId: number;
}

/** @throws never: a fault is a text in `faults` */
export function offersOf(options: readonly PaymentOption[], payTo: string | null, faults: string[]): Offer[] {
  return options.flatMap((option) => {
    const receiver = option.payTo ?? payTo;
    if (receiver === null) {
      faults.push(`PAYMENT_PAY_TO is missing: the option ${option.network} ${option.asset} names no payTo`);
      return [];
    }
    return [{ ...option, payTo: receiver, chainId: chainIdOf(option.network) }];
  });
}

/** Of a CAIP-2 name such as `eip155:56`. */
export const chainIdOf = (network: string): number => Number(network.slice("eip155:".length));

/** Raw units of an offer's token for a policy; null where it is not sold for it. */
export function priceOf(offer: PaymentOption, policyId: string): string | null {
  // Own members alone: a policy may not be called `constructor`.
  return Object.hasOwn(offer.prices, policyId)
    ? (offer.prices[policyId] ?? null)
    : Object.hasOwn(offer.prices, "*")
      ? (offer.prices["*"] ?? null)
      : null;
}
