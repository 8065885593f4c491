/** One question to a provider, asked as the service will ask it. */
import { CHAINS, chainsOf } from "../../attestor/chains.ts";
import type { ProviderDeps } from "../providers/http.ts";
import type { Provider } from "../providers/provider.ts";
import { loadRegistry } from "../registry/registry.ts";

/**
 * Whether a provider answers, in its shapes, and takes the key. That it knows nothing of what was asked is an answer.
 * @throws ProviderFault
 */
export async function tryProvider({ name, connect, tryOut, serves }: Provider, deps: ProviderDeps) {
  const api = connect(deps);
  if (tryOut) return await tryOut(api);
  if (serves?.perps) return await serves.perps(api)();
  const [chain] = chainsOf(name);
  const token = loadRegistry().find((listed) => listed.chain === chain)?.address;
  if (chain === undefined || token === undefined) throw new Error(`${name} cannot be tried out`);
  const { address: dollar, decimals } = CHAINS[chain].dollar;
  const request = { inputToken: dollar, outputToken: token, amountIn: `1${"0".repeat(decimals + 1)}` };
  return await serves?.quotes?.(api).endpoints[0]?.(chain, request);
}
