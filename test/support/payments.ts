/** The paid phase for tests: a service on a world whose time is the real one, and buyers with the official client. */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { type BaseWallet, Contract, hexlify, randomBytes, type Wallet } from "ethers";
import type { ManualClock } from "../../devnet/clock.ts";
import { localPayments } from "../../devnet/facilitator.ts";
import { type Answer, answerOf, json } from "./http.ts";
import { validateAnswer } from "./openapi.ts";
import { type Service, startService, walletOf } from "./service.ts";
import { createWorld, type TestWorld } from "./world.ts";

/** Real time, which the x402 libraries take for their checks, and a shift of it. */
export function realClock(): ManualClock {
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

/** A world in the present, its market moved once so that prices are fresh. */
export async function createPaidWorld(): Promise<TestWorld> {
  const world = await createWorld({ clock: realClock() });
  await world.tick(0);
  return world;
}

/** @param env such as FACILITATOR_URL; without it the local world's facilitator runs in the same process */
export function startPaidService(
  world: TestWorld,
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<Service> {
  return startService(world, databaseUrl, { PAYMENT_PHASE: "paid", ...env }, { payments: localPayments });
}

export interface Buyer {
  readonly wallet: Wallet;
  readonly client: x402Client;
  /** `fetch` of the official client: pays when it is asked to. The answer is held against the OpenAPI document. */
  pay(path: string, init?: RequestInit): Promise<Answer>;
  /** The same at a whole URL, held against nothing. */
  payAt(url: string | URL, init?: RequestInit): Promise<Answer>;
  /** Signs for a 402 answer: the header PAYMENT-SIGNATURE. */
  sign(challenge: Answer): Promise<string>;
}

/** A user of the world with the official client, allowed to spend local dollars. */
export function buyerOf(service: Service, index = 0): Buyer {
  const buyer = buyerOnChain(service.world, index);
  return {
    ...buyer,
    async pay(path, init = {}) {
      const answer = await buyer.payAt(new URL(path, service.url), init);
      validateAnswer(service.openapi, init.method ?? "GET", path, answer.status, answer.body);
      return answer;
    },
  };
}

/** The same, for a service anywhere. */
export function buyerOnChain(world: TestWorld, index = 0): Omit<Buyer, "pay"> {
  const wallet = walletOf(world, index);
  const client = new x402Client();
  client.register(
    "eip155:*",
    new ExactEvmScheme({
      address: wallet.address as `0x${string}`,
      signTypedData: async ({ domain, types, primaryType, message }) =>
        (await wallet.signTypedData(
          domain,
          { [primaryType]: (types as any)[primaryType] },
          message,
        )) as `0x${string}`,
    }),
  );
  client.setSpendControls({ allowedAssets: true });
  const paying = wrapFetchWithPayment(fetch, client);
  return {
    wallet,
    client,
    payAt: async (url, init = {}) => answerOf(await paying(url, init)),
    async sign(challenge) {
      const required = decodeHeader(challenge.headers.get("payment-required"));
      return encodeHeader(await client.createPaymentPayload(required));
    },
  };
}

/**
 * A payment for a challenge with another authorization than the official client's, rightly signed by its payer.
 * @param changes over an authorization that is valid for five minutes of the world's time
 */
export async function signByHand(
  world: TestWorld,
  challenge: Answer,
  payer: BaseWallet,
  changes: object = {},
): Promise<string> {
  const { accepts, resource } = decodeHeader(challenge.headers.get("payment-required"));
  const authorization = {
    from: payer.address,
    to: accepts[0].payTo,
    value: accepts[0].amount,
    validAfter: "0",
    validBefore: String(Math.floor(world.clock.now() / 1000) + 300),
    nonce: hexlify(randomBytes(32)),
    ...changes,
  };
  const domain = { ...dollarDomain(world), verifyingContract: accepts[0].asset };
  const signature = await payer.signTypedData(domain, TRANSFER_AUTHORIZATION, authorization);
  return encodeHeader({
    x402Version: 2,
    resource,
    accepted: accepts[0],
    payload: { signature, authorization },
  });
}

/** The JSON of one of x402's headers. */
export function decodeHeader(header: string | null): any {
  if (header === null) throw new Error("the answer has no such header");
  return JSON.parse(Buffer.from(header, "base64").toString("utf8"));
}

export const encodeHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

/** A request with a payment, or with none. */
export function paidWith(signature: string | undefined, init: RequestInit = {}): RequestInit {
  if (signature === undefined) return init;
  return {
    ...init,
    headers: { ...(init.headers as Record<string, string>), "payment-signature": signature },
  };
}

/** POST /a2mcp/verify without a key. */
export const verify = (service: Service, body: unknown, signature?: string): Promise<Answer> =>
  service.call("/a2mcp/verify", { ...paidWith(signature, json(body)), key: null });

/** A body for POST /a2mcp/verify. */
export function verifyBody(service: Service, changes: object = {}): Record<string, unknown> {
  const { clientRequestId: _, ...body } = service.jobBody(changes as Record<string, unknown>);
  return body;
}

/** Raw units of local dollars. */
export async function dollarsOf(world: TestWorld, account: string): Promise<bigint> {
  const token = new Contract(
    world.token("USDL"),
    ["function balanceOf(address) view returns (uint256)"],
    world.provider,
  );
  return token.getFunction("balanceOf").staticCall(account);
}

/** What the service has been paid on the chain, raw units. */
export const income = (world: TestWorld): Promise<bigint> => dollarsOf(world, world.accounts.payee.address);

/** A cent, in raw units of the local dollar. */
export const PRICE = 10_000n;

/** EIP-712 of the local dollar. */
export const dollarDomain = (world: TestWorld) => ({
  name: "Local Dollar",
  version: "1",
  chainId: world.deployment.chainId,
  verifyingContract: world.token("USDL"),
});

const fields = (...pairs: [string, string][]) => pairs.map(([name, type]) => ({ name, type }));

export const TRANSFER_AUTHORIZATION = {
  TransferWithAuthorization: fields(
    ["from", "address"],
    ["to", "address"],
    ["value", "uint256"],
    ["validAfter", "uint256"],
    ["validBefore", "uint256"],
    ["nonce", "bytes32"],
  ),
};
export const CANCEL_AUTHORIZATION = {
  CancelAuthorization: fields(["authorizer", "address"], ["nonce", "bytes32"]),
};
