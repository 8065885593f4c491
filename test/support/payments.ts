/** The paid phase for tests: a service on a world whose time is the real one, and buyers with the official client. */
import { join } from "node:path";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import type { Wallet } from "ethers";
import type { Overrides } from "../../api/open.ts";
import type { ManualClock } from "../../devnet/clock.ts";
import { localPayments } from "../../devnet/facilitator.ts";
import { rowsOf } from "./database.ts";
import { income } from "./dollars.ts";
import { type Answer, answerOf } from "./http.ts";
import { validateAnswer } from "./openapi.ts";
import { type Service, startService, walletOf } from "./service.ts";
import { ofSuite, standIn } from "./suite.ts";
import { createWorld, type TestWorld, testWorld, type WorldKind } from "./world.ts";
import { BY_EIP3009, encodeHeader, isBy, nonceOf, termsIn, type Way } from "./x402.ts";

/** Real time, which the x402 libraries take for their checks, and a shift of it. */
function realClock(): ManualClock {
  let shift = 0;
  return {
    now: () => Date.now() + shift,
    advance(milliseconds) {
      shift += milliseconds;
    },
    set(milliseconds) {
      shift = milliseconds - Date.now();
    },
  };
}

/** In the present; its market moves once before each suite. */
const PRESENT: WorldKind = {
  make: () => createWorld({ clock: realClock() }),
  async begin(world) {
    world.clock.set(Date.now());
    await world.tick(0);
  },
};

/** The process's world in the present, lent to the suite. Prices are fresh for each test, however long those before took. */
export function testPaidWorld(): TestWorld {
  const world = testWorld(PRESENT);
  beforeEach(() => world.tick(0));
  return world;
}

/** @param env such as FACILITATOR_URL; without it the local world's facilitator runs in the same process */
export function startPaidService(
  world: TestWorld,
  databaseUrl: string,
  env: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<Service> {
  const all = { payments: localPayments, ...overrides };
  return startService(world, databaseUrl, { PAYMENT_PHASE: "paid", ...env }, all);
}

/** A paid service of the suite's own, on a database in a file. @param env made when it starts */
export const testPaidService = (world: TestWorld, env: () => Record<string, string> = () => ({})): Service =>
  ofSuite(() => startPaidService(world, databaseIn(world), env()));

let files = 0;

/** Where a SQLite database of its own may stand; it goes with the world. */
export const databaseIn = (world: TestWorld): string => `sqlite:${join(world.dataDir, `paid-${++files}.db`)}`;

/** What a test buys: another body for each, since an open purchase of the same would be in the way. */
export function testPurchase(service: Service, way = BY_EIP3009) {
  let bodies = 0;
  const purchase = {
    body: {} as Record<string, unknown>,
    /** What the payee had before the test. */
    held: 0n,
    another: () => service.verifyBody({ amountInRaw: String(250_000_000 + ++bodies) }),
    challenge: () => service.verify(purchase.body),
    /** The first user of the world. */
    buyer: standIn(() => buyerOf(service, 0, way)),
    /** The buyer's payment for the body. */
    sign: async () => purchase.buyer.sign(await purchase.challenge()),
    charged: async () => (await income(service.world, way)) - purchase.held,
  };
  beforeEach(async () => {
    purchase.body = purchase.another();
    purchase.held = await income(service.world, way);
  });
  return purchase;
}

/** The same with a payment for it, which its buyer signed before the test. */
export function testSale(service: Service, way = BY_EIP3009) {
  const purchase = testPurchase(service, way);
  const sale = Object.assign(purchase, {
    signature: "",
    ask: (signature: string | undefined = sale.signature) => service.verify(purchase.body, signature),
    state: () => stateOf(service, sale.signature),
    /** How the ledger has the payment, and what was charged since the test began. */
    outcome: async () => [await sale.state(), await purchase.charged()],
  });
  beforeEach(async () => {
    sale.signature = await purchase.sign();
  });
  return sale;
}

/** How the ledger has a payment; undefined: not at all. */
export async function stateOf(service: Service, signature: string): Promise<string | undefined> {
  const rows = await rowsOf(service.server.service.db, "payments", { nonce: nonceOf(signature) });
  if (rows.length > 1) throw new Error("one authorization is in the ledger twice");
  return rows[0]?.state;
}

export interface Buyer {
  readonly wallet: Wallet;
  readonly client: x402Client;
  /** `fetch` of the official client: pays when it is asked to. The answer is checked by the OpenAPI document. */
  pay(path: string, init?: RequestInit): Promise<Answer>;
  /** The same at a whole URL, unchecked. */
  payAt(url: string | URL, init?: RequestInit): Promise<Answer>;
  /** Signs for a 402 answer: the header PAYMENT-SIGNATURE. */
  sign(challenge: Answer): Promise<string>;
}

/** A user of the world with the official client, allowed to spend one of the local dollars. */
export function buyerOf(service: Service, index = 0, way = BY_EIP3009): Buyer {
  const buyer = buyerOnChain(service.world, index, way);
  return {
    ...buyer,
    async pay(path, init = {}) {
      const answer = await buyer.payAt(new URL(path, service.url), init);
      validateAnswer(service.openapi, init.method ?? "GET", path, answer.status, answer.body, answer.headers);
      return answer;
    },
  };
}

/** The same, for a service anywhere. */
export const buyerOnChain = (world: TestWorld, index = 0, way = BY_EIP3009): Omit<Buyer, "pay"> =>
  buyerWith(walletOf(world, index), way);

/**
 * A buyer with any wallet.
 * @param signer what the official client is given beside the wallet's address and signature, such as `readContract`
 */
export function buyerWith(wallet: Wallet, way: Way) {
  const client = new x402Client();
  client.register(
    "eip155:*",
    new ExactEvmScheme({
      address: wallet.address as `0x${string}`,
      signTypedData: async ({ domain, types, message }) => {
        const { EIP712Domain: _, ...own } = types as any;
        return (await wallet.signTypedData(domain, own, message)) as `0x${string}`;
      },
    }),
  );
  client.setSpendControls({ allowedAssets: true });
  client.registerPolicy((_version, requirements) => requirements.filter(isBy(way)));
  const paying = wrapFetchWithPayment(fetch, client);
  return {
    wallet,
    client,
    payAt: async (url: string | URL, init: RequestInit = {}) => answerOf(await paying(url, init)),
    async sign(challenge: Answer): Promise<string> {
      return encodeHeader(await client.createPaymentPayload(termsIn(challenge)));
    },
  };
}
