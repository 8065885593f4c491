/** Mandates as a guard's module has them in the latest block. */
import { getAddress, type Provider } from "ethers";
import { leftFor, type Mandate } from "../../attestor/mandates/mandate.ts";
import { secondOf } from "../../attestor/shares.ts";
import { MandateModule__factory } from "../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { upstream } from "../rpc.ts";

export interface Granted {
  /** What is left of it; null: there is none, or it was revoked. */
  readonly mandate: Mandate | null;
  /** Raw units of its settlement token that count within the day. */
  readonly spent: bigint;
}

/** @throws UpstreamUnavailable */
export async function readMandate(
  provider: Provider,
  { module: address, safe, agent }: { module: string; safe: string; agent: string },
): Promise<Granted> {
  const module = MandateModule__factory.connect(address, provider);
  const found = await upstream("mandate", () => module.mandateOf(safe, agent));
  if (found.expiresAt === 0n) return { mandate: null, spent: 0n };
  const mandate = mandateIn(found);
  const spent = await upstream("mandate", () => module.spentWithinDay(safe, agent, found.settlementToken));
  return { mandate, spent };
}

/** The most that the agent's next trade can count, raw units of the settlement token. */
export const leftOf = ({ mandate, spent }: Granted): bigint =>
  mandate === null ? 0n : BigInt(leftFor(mandate, String(spent)));

/** A mandate as ethers decodes it. */
export function mandateIn(granted: {
  readonly settlementToken: string;
  readonly expiresAt: bigint;
  readonly revoker: string;
  readonly perTrade: bigint;
  readonly perDay: bigint;
  readonly budget: bigint;
  readonly stocks: readonly { readonly token: string; readonly sellable: bigint }[];
  readonly policies: readonly string[];
}): Mandate {
  const { settlementToken, expiresAt, revoker, perTrade, perDay, budget, stocks, policies } = granted;
  return {
    settlementToken: getAddress(settlementToken),
    expiresAt: secondOf(expiresAt),
    revoker: getAddress(revoker),
    perTrade: String(perTrade),
    perDay: String(perDay),
    budget: String(budget),
    stocks: stocks.map(({ token, sellable }) => ({ token: getAddress(token), sellable: String(sellable) })),
    policies: [...policies],
  };
}
