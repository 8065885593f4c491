/** The JSON-RPC connection, with time-outs and one kind of error for everything that is the node's fault. */
import {
  FetchRequest,
  isCallException,
  isError,
  type JsonRpcPayload,
  JsonRpcProvider,
  type JsonRpcResult,
  Network,
} from "ethers";
import { UpstreamUnavailable } from "./chainErrors.ts";

/** Looks on while requests to the node run: how long, how they end, in which trace. */
export interface RpcWatch {
  /** Runs the request: what it returns and throws is its own. */
  request<T>(method: string, run: () => Promise<T>): Promise<T>;
  /** Headers that the request in `run` takes along; null: none. */
  headers(): Readonly<Record<string, string>> | null;
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
  /**
   * By a request's parameters, the object itself: ethers sends from a timer, which is set by whoever asked first, and
   * what goes with a request is known only where it is made.
   */
  readonly #headers = new WeakMap<object, Readonly<Record<string, string>>>();

  constructor(watch: RpcWatch, ...rest: ConstructorParameters<typeof JsonRpcProvider>) {
    super(...rest);
    this.#watch = watch;
  }

  override send(method: string, params: unknown[] | Record<string, unknown>): Promise<unknown> {
    return this.#watch.request(method, () => {
      const headers = this.#watch.headers();
      if (headers !== null) this.#headers.set(params, headers);
      return super.send(method, params);
    });
  }

  /** As the parent's, with the headers of the one request that it is called with. */
  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<JsonRpcResult[]> {
    const request = this._getConnection();
    request.body = JSON.stringify(payload);
    request.setHeader("content-type", "application/json");
    const headers = Array.isArray(payload) ? undefined : this.#headers.get(payload.params);
    for (const [name, value] of Object.entries(headers ?? {})) request.setHeader(name, value);
    const response = await request.send();
    response.assertOk();
    const answer = response.bodyJson;
    return Array.isArray(answer) ? answer : [answer];
  }
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
