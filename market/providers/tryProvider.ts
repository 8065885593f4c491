/** One question to a provider, asked as the service will ask it. */
import { chainsOf } from "../../attestor/chains.ts";
import { loadRegistry } from "../registry/registry.ts";
import type { Provider, ProviderDeps } from "./provider.ts";
import { buying } from "./quotes.ts";

const DOLLARS = 10;

/**
 * Whether a provider answers, in its shapes, and takes the key. That it knows nothing of what was asked is an answer.
 * @throws ProviderFault
 */
export async function tryProvider({ name, connect, tryOut, exchange }: Provider, deps: ProviderDeps) {
  const api = connect(deps);
  if (tryOut) return await tryOut(api);
  const [chain] = chainsOf(name);
  const token = loadRegistry().find((listed) => listed.chain === chain);
  const [quote] = exchange?.(api).quotes ?? [];
  if (chain === undefined || token === undefined || quote === undefined)
    throw new Error(`${name} cannot be tried out`);
  return await quote(chain, buying(token, DOLLARS));
}
