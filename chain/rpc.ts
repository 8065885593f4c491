/** The JSON-RPC connection, with timeouts and one kind of error for everything that is the node's fault. */
import {
  FetchRequest,
  isCallException,
  isError,
  type JsonRpcError,
  type JsonRpcPayload,
  JsonRpcProvider,
  type JsonRpcResult,
  Network,
} from "ethers";
import { UpstreamUnavailable } from "./chainErrors.ts";
import { isContractFault } from "./reverts.ts";

export type RpcOutcome = "ok" | "reverted" | "refused";

/** Looks on while requests to the node run: how long, and how they end. */
export interface RpcWatch {
  /**
   * Runs one request over HTTP: what it returns and throws is its own.
   * @param methods of its calls, one of each
   * @param outcomesOf how the calls ended, in the same order; not asked where there is no answer
   */
  request<T>(
    methods: readonly string[],
    run: () => Promise<T>,
    outcomesOf: (answer: T) => readonly RpcOutcome[],
  ): Promise<T>;
}

/**
 * @param url the node's JSON-RPC address
 * @param chainId the chain that this service was deployed for; never asked of the node, see `assertChain`
 * @param timeoutMs how long one request may take
 */
export function connectRpc(
  url: string,
  chainId: number,
  timeoutMs: number,
  watch?: RpcWatch,
): JsonRpcProvider {
  const request = new FetchRequest(url);
  request.timeout = timeoutMs;
  const network = Network.from(chainId);
  const options = {
    staticNetwork: network,
    // One request a call: waiting to fill a batch costs more than it saves on a near node.
    batchMaxCount: 1,
    cacheTimeout: -1,
  };
  return watch
    ? new WatchedProvider(watch, request, network, options)
    : new JsonRpcProvider(request, network, options);
}

class WatchedProvider extends JsonRpcProvider {
  readonly #watch: RpcWatch;

  constructor(watch: RpcWatch, ...rest: ConstructorParameters<typeof JsonRpcProvider>) {
    super(...rest);
    this.#watch = watch;
  }

  override _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<JsonRpcResult[]> {
    const all = [payload].flat();
    const methods = all.map(({ method }) => method);
    const run = () => super._send(payload) as Promise<JsonRpcResult[]>;
    return this.#watch.request(methods, run, (answer) => outcomesOf(all, answer));
  }
}

/** What a node answers is looked at as it came; who asked judges whether it will do. */
function outcomesOf(payloads: readonly JsonRpcPayload[], answer: readonly unknown[]): RpcOutcome[] {
  const byId = new Map((answer as readonly Partial<JsonRpcError>[]).map((one) => [one?.id, one]));
  return payloads.map(({ id }) => {
    const found = byId.get(id);
    if (found === undefined) return "refused";
    if (found.error === undefined) return "ok";
    return isContractFault(found.error) ? "reverted" : "refused";
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
