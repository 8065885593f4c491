/** A look at what is configured, in the background of the start: a wrong token or network would refuse every buyer. */
import type { Offer } from "../settings/paymentOptions.ts";
import type { ChainReader } from "./chainReader.ts";
import type { FacilitatorClient } from "./facilitator.ts";
import { EIP2612_GAS_SPONSORING } from "./gasSponsoring.ts";

/**
 * Warns of networks that the facilitator does not settle on, and of permits that it does not hand in. Also warns where
 * token or chain lack what an option claims. Never throws: what is away now may be back for the first buyer.
 */
export async function checkOffers(
  offers: readonly Offer[],
  client: FacilitatorClient,
  readerOf: (network: string) => ChainReader | null,
  warn: (details: object, message: string) => void,
): Promise<void> {
  const supported = await client.getSupported().then(
    ({ kinds, extensions }) => ({
      kinds: new Set(kinds.map(({ scheme, network, x402Version }) => `${x402Version} ${scheme} ${network}`)),
      extensions: new Set<unknown>(Array.isArray(extensions) ? extensions : []),
    }),
    () => null,
  );
  if (supported === null) warn({}, "the facilitator does not say what it supports; buyers may have to wait");
  for (const offer of offers) {
    const { network, asset, transferMethod, name } = offer;
    const all = network.replace(/:.*/, ":*");
    if (supported && !supported.kinds.has(`2 exact ${network}`) && !supported.kinds.has(`2 exact ${all}`))
      warn({ network }, "the facilitator does not settle on this network");
    const needsSponsoring = transferMethod === "permit2" && name !== undefined;
    if (supported && needsSponsoring && !supported.extensions.has(EIP2612_GAS_SPONSORING))
      warn({ network, asset }, "the facilitator does not say that it hands in EIP-2612 permits");
    const faults = await readerOf(network)
      ?.faultsOf(offer)
      .catch(() => ["the chain could not be asked about the token"]);
    for (const fault of faults ?? []) warn({ network, asset, transferMethod }, fault);
  }
}
