/** A look at what is configured, in the background of the start: a wrong token or network would refuse every buyer. */

import type { Offer } from "../settings/paymentOptions.ts";
import type { FacilitatorClient } from "./facilitator.ts";
import type { TokenReader } from "./token.ts";

const NOBODY = "0x0000000000000000000000000000000000000001";
const NONCE = `0x${"00".repeat(32)}`;

/**
 * Warns of networks that the facilitator does not settle on and of contracts that know no authorizations. Never
 * throws: what is away now may be there when the first buyer comes.
 */
export async function checkOffers(
  offers: readonly Offer[],
  client: FacilitatorClient,
  readerOf: (network: string) => TokenReader | null,
  warn: (details: object, message: string) => void,
): Promise<void> {
  const supported = await client.getSupported().then(
    ({ kinds }) =>
      new Set(kinds.map(({ scheme, network, x402Version }) => `${x402Version} ${scheme} ${network}`)),
    () => null,
  );
  if (supported === null) warn({}, "the facilitator does not say what it supports; buyers may have to wait");
  for (const { network, asset } of offers) {
    const all = network.replace(/:.*/, ":*");
    if (supported !== null && !supported.has(`2 exact ${network}`) && !supported.has(`2 exact ${all}`))
      warn({ network }, "the facilitator does not settle on this network");
    await readerOf(network)
      ?.unusedAt(asset, NOBODY, NONCE)
      .catch(() => warn({ network, asset }, "the token does not answer about authorizations (EIP-3009)"));
  }
}
