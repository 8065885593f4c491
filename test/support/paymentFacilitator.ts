/** A facilitator over HTTP that fails on demand: around that of the local world, or any other. */
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { FacilitatorClient } from "../../api/payments/facilitator.ts";
import { createLocalFacilitator } from "../../devnet/facilitator.ts";
import { localServer } from "./ports.ts";
import { ofSuite } from "./suite.ts";
import type { TestWorld } from "./world.ts";

/** Words that no answer and no log of the service may repeat. */
export const FOREIGN_WORDS = "raw transaction 0x02f8b1827a69 by upstream-node-7";

export type VerifyFault =
  | "hang"
  /** 500 with words. */
  | "error"
  /** 200 with something else than an answer. */
  | "garbage"
  /** `isValid: true` unseen. */
  | "credulous"
  /** `isValid: false` with status 400 and words, as some do. */
  | "refuse";

export type SettleFault =
  /** Takes the request and never answers. */
  | "hang"
  /** 500 with words, nothing done. */
  | "error"
  /** Settles, then answers 500 with words. */
  | "settle-then-error"
  /** Settles, then answers `success: false` with words. */
  | "settle-then-refuse"
  /** Settles and never answers. */
  | "settle-then-hang"
  /** Settles, and answers after `lateMs`. */
  | "late"
  /** Waits `lateMs`, then settles: after the service has given up. */
  | "settle-late"
  /** `success: false`, nothing done. */
  | "refuse"
  /** `success: true` with `lie` as the transaction, nothing done. */
  | "lie";

/** One of a test's own is ended by `await using`. */
export interface TestFacilitator extends AsyncDisposable {
  readonly url: string;
  /** Faults of the next requests; a number says how many, otherwise until changed. */
  verifyFault: VerifyFault | null;
  settleFault: SettleFault | null;
  lateMs: number;
  /** The transaction of the fault "lie"; one that does not exist, unless a test names another. */
  lie: string;
  /** Whom the fault "credulous" calls the payer; null: the authorization's. */
  payer: string | null;
  /** Told before a payment is verified; a test can hold it up. */
  beforeVerify: () => Promise<unknown>;
  /** Told when a payment was verified, before the answer. */
  afterVerify: () => Promise<unknown>;
  /** Told before a settlement is begun; a test can hold it up. */
  beforeSettle: () => Promise<unknown>;
  /** Told after a settlement was mined, before the answer. */
  afterSettle: () => Promise<unknown>;
  readonly verifications: number;
  readonly settlements: number;
  /** What the service sent, to look at. */
  readonly requests: {
    path: string;
    body: any;
    authorization: string | undefined;
  }[];
  stop(): Promise<void>;
}

/** A facilitator of the suite's own; after each test it works again. */
export function testFacilitator(
  world: TestWorld,
  works?: (world: TestWorld) => FacilitatorClient,
): TestFacilitator {
  const facilitator = ofSuite(() => startFacilitator(world, works?.(world)));
  afterEach(() => {
    facilitator.verifyFault = facilitator.settleFault = facilitator.payer = null;
    for (const hook of ["beforeVerify", "afterVerify", "beforeSettle", "afterSettle"] as const)
      facilitator[hook] = async () => {};
  });
  return facilitator;
}

export async function startFacilitator(
  world: Pick<TestWorld, "provider" | "accounts" | "deployment">,
  works = createLocalFacilitator({
    provider: world.provider,
    privateKey: world.accounts.facilitator.privateKey,
    chainId: world.deployment.chainId,
  }) as FacilitatorClient,
): Promise<TestFacilitator> {
  const counts = { verifications: 0, settlements: 0 };
  const requests: TestFacilitator["requests"] = [];
  const closing = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: closing.signal, ref: false }).catch(() => {});

  async function verify(response: ServerResponse, { paymentPayload, paymentRequirements }: any) {
    counts.verifications++;
    const fault = state.verifyFault;
    const refused = { isValid: false, invalidReason: "invalid_exact_evm_insufficient_balance" };
    if (fault === "hang") return;
    if (fault === "error") return answer(response, 500, { error: FOREIGN_WORDS });
    if (fault === "garbage") return answer(response, 200, [FOREIGN_WORDS]);
    if (fault === "credulous")
      return answer(response, 200, { isValid: true, payer: state.payer ?? payerIn(paymentPayload) });
    if (fault === "refuse") return answer(response, 400, { ...refused, invalidMessage: FOREIGN_WORDS });
    await state.beforeVerify();
    const verified = await works.verify(paymentPayload, paymentRequirements);
    await state.afterVerify();
    answer(response, 200, verified);
  }

  async function settle(response: ServerResponse, { paymentPayload, paymentRequirements }: any) {
    counts.settlements++;
    const fault = state.settleFault;
    await state.beforeSettle();
    const network = paymentRequirements.network;
    const words = { errorReason: "unexpected", errorMessage: FOREIGN_WORDS };
    const failed = { success: false, transaction: "", network, ...words };
    if (fault === "hang") return;
    if (fault === "error") return answer(response, 500, { error: FOREIGN_WORDS });
    if (fault === "refuse") return answer(response, 200, failed);
    if (fault === "lie") return answer(response, 200, { success: true, transaction: state.lie, network });
    if (fault === "settle-late") await pause(state.lateMs);
    const settled = await works.settle(paymentPayload, paymentRequirements);
    await state.afterSettle();
    if (fault === "settle-then-hang") return;
    if (fault === "settle-then-error") return answer(response, 500, { error: FOREIGN_WORDS });
    if (fault === "settle-then-refuse") return answer(response, 200, failed);
    if (fault === "late") await pause(state.lateMs);
    return answer(response, 200, settled);
  }

  const server = await localServer(async (request, response) => {
    try {
      const { authorization } = request.headers;
      const body = JSON.parse((await text(request)) || "null");
      requests.push({ path: request.url ?? "", body, authorization });
      await (request.url === "/verify" ? verify : settle)(response, body);
    } catch (error) {
      answer(response, 500, { error: String(error) });
    }
  });
  const state: TestFacilitator = {
    url: server.url,
    verifyFault: null,
    settleFault: null,
    lateMs: 0,
    payer: null,
    lie: `0x${"ab".repeat(32)}`,
    beforeVerify: async () => {},
    afterVerify: async () => {},
    beforeSettle: async () => {},
    afterSettle: async () => {},
    get verifications() {
      return counts.verifications;
    },
    get settlements() {
      return counts.settlements;
    },
    requests,
    async stop() {
      closing.abort();
      await server.close();
    },
    [Symbol.asyncDispose]: () => state.stop(),
  };
  return state;
}

const payerIn = ({ payload }: any): string => (payload.authorization ?? payload.permit2Authorization).from;

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
