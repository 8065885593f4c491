/** Mandates as a guard's module has them in the latest block. */
import type { Provider } from "ethers";
import { Mandate } from "../../attestor/mandates/mandate.ts";
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
  const { settlementToken, expiresAt, revoker, perTrade, perDay, budget, stocks, policies } = found;
  const mandate = Mandate.parse({
    ...{ settlementToken, expiresAt: Number(expiresAt), revoker },
    ...{ perTrade: String(perTrade), perDay: String(perDay), budget: String(budget) },
    stocks: stocks.map(({ token, sellable }) => ({ token, sellable: String(sellable) })),
    policies: [...policies],
  });
  const spent = await upstream("mandate", () => module.spentWithinDay(safe, agent, settlementToken));
  return { mandate, spent };
}

/** The most that the agent's next trade can count, raw units of the settlement token. */
export function leftOf({ mandate, spent }: Granted): bigint {
  if (mandate === null) return 0n;
  const { perTrade, perDay, budget } = mandate;
  const caps = [BigInt(perTrade), BigInt(perDay) - spent, BigInt(budget)];
  const least = caps.reduce((a, b) => (a < b ? a : b));
  return least > 0n ? least : 0n;
}
