/** Mandates as a guard's module has them in the latest block. */
import type { Provider } from "ethers";
import type { Read } from "../../attestor/evm/reads.ts";
import { leftFor, type Mandate } from "../mandates/mandate.ts";
import { mandateOf, spentWithinDay } from "../mandates/reads.ts";
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
  { module, safe, agent }: { module: string; safe: string; agent: string },
): Promise<Granted> {
  const asked = <T>(read: Read<T>) =>
    upstream("mandate", async () => read.read(await provider.call({ to: read.to, data: read.data })));
  const mandate = await asked(mandateOf(module, safe, agent));
  if (mandate === null) return { mandate, spent: 0n };
  return { mandate, spent: await asked(spentWithinDay(module, safe, agent, mandate.settlementToken)) };
}

/** The most that the agent's next trade can count, raw units of the settlement token. */
export const leftOf = ({ mandate, spent }: Granted): bigint =>
  mandate === null ? 0n : BigInt(leftFor(mandate, String(spent)));
