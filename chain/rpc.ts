/** The JSON-RPC connection, with time-outs and one kind of error for everything that is the node's fault. */
import { FetchRequest, isCallException, isError, JsonRpcProvider, Network } from "ethers";
import { UpstreamUnavailable } from "./chainErrors.ts";

/**
 * @param url the node's JSON-RPC address
 * @param chainId the chain that this service was deployed for; never asked of the node, see `assertChain`
 * @param timeoutMs how long one request may take
 */
export function connectRpc(url: string, chainId: number, timeoutMs: number): JsonRpcProvider {
  const request = new FetchRequest(url);
  request.timeout = timeoutMs;
  const network = Network.from(chainId);
  return new JsonRpcProvider(request, network, {
    staticNetwork: network,
    // One request a call: waiting to fill a batch costs more than it saves on a near node.
    batchMaxCount: 1,
    cacheTimeout: -1,
  });
}

/** Runs a call and gives every fault of the node or the way there one name. A revert stays what it is. */
export async function upstream<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof UpstreamUnavailable || isCallException(error)) throw error;
    // The cause goes to the log; its text may name the node, which is no business of a client's.
    throw new UpstreamUnavailable(`${what}: the chain's RPC does not answer.`, { cause: error });
  }
}

/** The value, or null where the contract reverts or is not there. */
export async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isCallException(error) || isError(error, "BAD_DATA")) return null;
    throw error;
  }
}

/**
 * Refuses a node of another chain.
 * @throws UpstreamUnavailable when the node does not answer or serves another chain
 */
export async function assertChain(provider: JsonRpcProvider, chainId: number): Promise<void> {
  const seen = await upstream("chain id", async () => BigInt(await provider.send("eth_chainId", [])));
  if (seen !== BigInt(chainId))
    throw new UpstreamUnavailable(`The RPC serves chain ${seen}, not ${chainId}.`);
}
