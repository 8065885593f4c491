/** A JSON-RPC connection that asks again when the node is slow, silent or overloaded. */
import { FetchRequest, type JsonRpcPayload, JsonRpcProvider, type JsonRpcResult, Network } from "ethers";
import { UpstreamUnavailable } from "./chainErrors.ts";

/** A person confirms these on a device, so they take long and must not be asked twice. */
const ASKS_A_PERSON = new Set(["eth_sendTransaction", "eth_signTransaction"]);
const PERSON_TIMEOUT_MS = 5 * 60_000;
/** EIP-1474: the node limits how often it may be asked. */
const LIMIT_EXCEEDED = -32005;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;

export interface Patience {
  /**
   * Whether to ask once more after so many failures in a row.
   * @param isRefused nothing listens there: it is not slow, but stopped or elsewhere
   */
  again(failures: number, isRefused: boolean): boolean;
  sleep(milliseconds: number): Promise<void>;
  /** Told before each new try. */
  onFailure?(failures: number): void;
}

/**
 * Like `connectRpc` of the service, with patience. Asking twice does no harm: a signed transaction can be mined once.
 * @param timeoutMs how long one try may take
 */
export function connectRetrying(
  url: string,
  chainId: number,
  timeoutMs: number,
  patience: Patience,
): JsonRpcProvider {
  const request = new FetchRequest(url);
  request.timeout = timeoutMs;
  // Too many requests: the library would silently wait for the whole timeout.
  request.setThrottleParams({ maxAttempts: 1 });
  return new RetryingProvider(request, Network.from(chainId), patience);
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ECONNREFUSED";

class RetryingProvider extends JsonRpcProvider {
  readonly #patience: Patience;

  constructor(request: FetchRequest, network: Network, patience: Patience) {
    super(request, network, { staticNetwork: network, batchMaxCount: 1, cacheTimeout: -1 });
    this.#patience = patience;
  }

  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<JsonRpcResult[]> {
    const calls = Array.isArray(payload) ? payload : [payload];
    if (calls.some(({ method }) => ASKS_A_PERSON.has(method))) return await this.#askPerson(payload);
    for (let failures = 1; ; failures++) {
      try {
        return await this.#exchange(payload);
      } catch (error) {
        if (this.destroyed || !this.#patience.again(failures, isRefused(error))) throw error;
        this.#patience.onFailure?.(failures);
        await this.#patience.sleep(Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS));
      }
    }
  }

  /** Nobody knows whether the signer heard it: the caller decides what to do about that. */
  async #askPerson(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<JsonRpcResult[]> {
    try {
      return await this.#exchange(payload, PERSON_TIMEOUT_MS);
    } catch (error) {
      throw new UpstreamUnavailable("The signer behind the RPC does not answer.", { cause: error });
    }
  }

  async #exchange(payload: JsonRpcPayload | JsonRpcPayload[], timeoutMs?: number): Promise<JsonRpcResult[]> {
    const request = this._getConnection();
    if (timeoutMs !== undefined) request.timeout = timeoutMs;
    request.body = JSON.stringify(payload);
    request.setHeader("content-type", "application/json");
    const response = await request.send();
    response.assertOk();
    const body: unknown = response.bodyJson;
    const results = (Array.isArray(body) ? body : [body]) as (JsonRpcResult & {
      error?: { code?: number };
    })[];
    if (results.some(({ error }) => error?.code === LIMIT_EXCEEDED)) throw new Error("asked too often");
    return results;
  }
}
