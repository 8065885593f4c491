/**
 * The JSON-RPC connection: time-outs, another try where the caller wants one, and one kind of error for everything that is the
 * node's fault.
 */
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

/** When a node that is slow, silent or overloaded is asked again. */
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
 * A connection that asks each question once.
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
  return new NodeProvider(request, chainId, watch ?? null, null);
}

/**
 * A connection that asks again. Asking twice does no harm: a signed transaction can be mined once.
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
  return new NodeProvider(request, chainId, null, patience);
}

/** A person confirms these on a device, so they take long and must not be asked twice. */
const ASKS_A_PERSON = new Set(["eth_sendTransaction", "eth_signTransaction"]);
const PERSON_TIMEOUT_MS = 5 * 60_000;
/** EIP-1474: the node limits how often it may be asked. */
const LIMIT_EXCEEDED = -32005;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;

type Payload = JsonRpcPayload | JsonRpcPayload[];

class NodeProvider extends JsonRpcProvider {
  readonly #watch: RpcWatch | null;
  readonly #patience: Patience | null;

  constructor(request: FetchRequest, chainId: number, watch: RpcWatch | null, patience: Patience | null) {
    const network = Network.from(chainId);
    // One request a call: waiting to fill a batch costs more than it saves on a near node.
    super(request, network, { staticNetwork: network, batchMaxCount: 1, cacheTimeout: -1 });
    this.#watch = watch;
    this.#patience = patience;
  }

  override async _send(payload: Payload): Promise<JsonRpcResult[]> {
    const all = [payload].flat();
    const methods = all.map(({ method }) => method);
    if (this.#patience !== null) {
      const isForPerson = methods.some((method) => ASKS_A_PERSON.has(method));
      return isForPerson ? await this.#askPerson(payload) : await this.#askAgain(payload, this.#patience);
    }
    const run = () => this.#exchange(payload);
    return this.#watch
      ? await this.#watch.request(methods, run, (answer) => outcomesOf(all, answer))
      : await run();
  }

  async #askAgain(payload: Payload, patience: Patience): Promise<JsonRpcResult[]> {
    for (let failures = 1; ; failures++) {
      try {
        return unlimited(await this.#exchange(payload));
      } catch (error) {
        if (this.destroyed || !patience.again(failures, isRefused(error))) throw error;
        patience.onFailure?.(failures);
        await patience.sleep(Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS));
      }
    }
  }

  /** Nobody knows whether the signer heard it: the caller decides what to do about that. */
  async #askPerson(payload: Payload): Promise<JsonRpcResult[]> {
    try {
      return unlimited(await this.#exchange(payload, PERSON_TIMEOUT_MS));
    } catch (error) {
      throw new UpstreamUnavailable("The signer behind the RPC does not answer.", { cause: error });
    }
  }

  async #exchange(payload: Payload, timeoutMs?: number): Promise<JsonRpcResult[]> {
    const request = this._getConnection();
    if (timeoutMs !== undefined) request.timeout = timeoutMs;
    request.body = JSON.stringify(payload);
    request.setHeader("content-type", "application/json");
    const response = await request.send();
    response.assertOk();
    return [response.bodyJson].flat();
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ECONNREFUSED";

/** @throws Error where the node says that it is asked too often */
function unlimited(results: JsonRpcResult[]): JsonRpcResult[] {
  const answers: (JsonRpcResult | JsonRpcError)[] = results;
  if (answers.some((answer) => "error" in answer && answer.error.code === LIMIT_EXCEEDED))
    throw new Error("asked too often");
  return results;
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
