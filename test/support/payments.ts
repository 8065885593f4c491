/** The paid phase for tests: a service on a world whose time is the real one, and buyers with the official client. */
import { join } from "node:path";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import {
  type BaseWallet,
  Contract,
  hexlify,
  MaxUint256,
  randomBytes,
  Signature,
  toBigInt,
  type Wallet,
} from "ethers";
import { createLogger } from "../../api/metrics/logger.ts";
import { authorizationOf } from "../../api/payments/authorization.ts";
import { readPayment } from "../../api/payments/payload.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2, PERMIT2_ABI } from "../../api/payments/permit2Contracts.ts";
import type { Overrides } from "../../api/server.ts";
import type { TransferMethod } from "../../api/settings/paymentOptions.ts";
import type { ManualClock } from "../../devnet/clock.ts";
import { localPayments } from "../../devnet/facilitator.ts";
import { type Answer, answerOf, json } from "./http.ts";
import { validateAnswer } from "./openapi.ts";
import { type Service, startService, walletOf } from "./service.ts";
import { ofSuite } from "./suite.ts";
import { createWorld, type TestWorld, testWorld } from "./world.ts";

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

/** One of the suite's own. */
export const testPaidWorld = (): TestWorld => testWorld(createPaidWorld);

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

/** A logger that writes everything it is given to `lines`. */
export const loggerTo = (lines: string[]) =>
  createLogger({ level: "debug", destination: { write: (line: string) => void lines.push(line) } });

/** What a test buys: another body for each, since an open purchase of the same would be in the way. */
export function testPurchase(service: Service, way = BY_EIP3009) {
  let bodies = 0;
  const purchase = {
    body: {} as Record<string, unknown>,
    /** What the payee had before the test. */
    held: 0n,
    another: () => verifyBody(service, { amountInRaw: String(250_000_000 + ++bodies) }),
    challenge: () => verify(service, purchase.body),
    charged: async () => (await income(service.world, way)) - purchase.held,
  };
  beforeEach(async () => {
    purchase.body = purchase.another();
    purchase.held = await income(service.world, way);
  });
  return purchase;
}

/** How the ledger has a payment; undefined: not at all. */
export async function stateOf(service: Service, signature: string): Promise<string | undefined> {
  const rows = await service.server.db
    .selectFrom("payments")
    .select("state")
    .where("nonce", "=", nonceOf(signature))
    .execute();
  if (rows.length > 1) throw new Error("one authorization stands in the ledger twice");
  return rows[0]?.state;
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

/** A way of paying in the local world. */
export interface Way {
  readonly method: TransferMethod;
  readonly title: string;
  /** Of its token. */
  readonly symbol: "USDL" | "USDT";
  /** A cent, in raw units. */
  readonly price: bigint;
}

export const BY_EIP3009: Way = { method: "eip3009", title: "EIP-3009", symbol: "USDL", price: 10_000n };
export const BY_PERMIT2: Way = { method: "permit2", title: "Permit2", symbol: "USDT", price: 10n ** 16n };
/** Both ways; users of the world pay by Permit2 once they have approved it: `approvePermit2`. */
export const WAYS: readonly Way[] = [BY_EIP3009, BY_PERMIT2];

/** Lets Permit2 take the second dollar from users of the world, by transactions of their own. */
export async function approvePermit2(
  world: TestWorld,
  wallets: readonly Wallet[] = world.accounts.users.map((_, index) => walletOf(world, index)),
  amount: bigint = MaxUint256,
): Promise<void> {
  for (const wallet of wallets) await mined(tokenOf(world, "USDT", wallet), "approve", PERMIT2, amount);
}

/** A token of the world, as a wallet sees it. */
export const tokenOf = (world: TestWorld, symbol: string, wallet?: Wallet): Contract =>
  new Contract(world.token(symbol), ERC20, wallet ?? world.provider);

const ERC20 = [
  "function allowance(address,address) view returns (uint256)",
  "function approve(address,uint256) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address,uint256) returns (bool)",
  "function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)",
  "function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
];

/** Resolves when the transaction that calls a contract is mined. */
export async function mined(contract: Contract, name: string, ...args: unknown[]): Promise<void> {
  await (await contract.getFunction(name).send(...args)).wait();
}

/** A user of the world with the official client, allowed to spend one of the local dollars. */
export function buyerOf(service: Service, index = 0, way = BY_EIP3009): Buyer {
  const buyer = buyerOnChain(service.world, index, way);
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
export const buyerOnChain = (world: TestWorld, index = 0, way = BY_EIP3009): Omit<Buyer, "pay"> =>
  buyerWith(walletOf(world, index), way);

/**
 * A buyer with any wallet.
 * @param signer what the official client is given beside the wallet's address and signature, such as `readContract`
 */
export function buyerWith(wallet: Wallet, way: Way, signer: object = {}) {
  const client = new x402Client();
  client.register(
    "eip155:*",
    new ExactEvmScheme({
      address: wallet.address as `0x${string}`,
      signTypedData: async ({ domain, types, message }) => {
        const { EIP712Domain: _, ...own } = types as any;
        return (await wallet.signTypedData(domain, own, message)) as `0x${string}`;
      },
      ...signer,
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
      const required = decodeHeader(challenge.headers.get("payment-required"));
      return encodeHeader(await client.createPaymentPayload(required));
    },
  };
}

const isBy =
  ({ method }: Way) =>
  ({ extra }: { extra?: Record<string, unknown> }): boolean =>
    (extra?.assetTransferMethod ?? "eip3009") === method;

/** What the official client reads of a chain, to find out whether it needs a permit. */
export const reading = (world: TestWorld) => ({
  readContract: ({ address, abi, functionName, args = [] }: any) =>
    new Contract(address, abi, world.provider).getFunction(functionName).staticCall(...args),
});

/**
 * A payment for a challenge with another authorization than the official client's, rightly signed by its payer.
 * @param changes over an authorization that is valid for five minutes of the world's time
 */
export async function signByHand(
  world: TestWorld,
  challenge: Answer,
  payer: BaseWallet,
  changes: object = {},
  way = BY_EIP3009,
): Promise<string> {
  const { accepts, resource } = decodeHeader(challenge.headers.get("payment-required"));
  const accepted = accepts.find(isBy(way));
  const payload =
    way.method === "permit2"
      ? await permit2ByHand(world, accepted, payer, changes)
      : await eip3009ByHand(world, accepted, payer, changes);
  return encodeHeader({ x402Version: 2, resource, accepted, payload });
}

async function eip3009ByHand(world: TestWorld, accepted: any, payer: BaseWallet, changes: object) {
  const authorization = {
    from: payer.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(Math.floor(world.clock.now() / 1000) + 300),
    nonce: hexlify(randomBytes(32)),
    ...changes,
  };
  const domain = { ...dollarDomain(world), verifyingContract: accepted.asset };
  return {
    signature: await payer.signTypedData(domain, TRANSFER_AUTHORIZATION, authorization),
    authorization,
  };
}

async function permit2ByHand(world: TestWorld, accepted: any, payer: BaseWallet, changes: object) {
  const permit2Authorization = {
    from: payer.address,
    permitted: { token: accepted.asset, amount: accepted.amount },
    spender: EXACT_PERMIT2_PROXY,
    nonce: toBigInt(randomBytes(32)).toString(),
    deadline: String(Math.floor(world.clock.now() / 1000) + 300),
    witness: { to: accepted.payTo, validAfter: "0" },
    ...changes,
  };
  const { from: _, ...signed } = permit2Authorization;
  return {
    signature: await payer.signTypedData(permit2Domain(world), PERMIT_WITNESS_TRANSFER, signed),
    permit2Authorization,
  };
}

/** The payer takes an authorization back, by a transaction of their own. */
export async function cancelAuthorization(world: TestWorld, payer: Wallet, signature: string): Promise<void> {
  const { payload } = readPayment(signature);
  if ("permit2Authorization" in payload) {
    const nonce = BigInt(payload.permit2Authorization.nonce);
    const permit2 = new Contract(PERMIT2, ["function invalidateUnorderedNonces(uint256,uint256)"], payer);
    return mined(permit2, "invalidateUnorderedNonces", nonce >> 8n, 1n << (nonce & 255n));
  }
  const { from, nonce } = payload.authorization;
  const { r, s, v } = Signature.from(
    await payer.signTypedData(dollarDomain(world), CANCEL_AUTHORIZATION, { authorizer: from, nonce }),
  );
  await mined(tokenOf(world, "USDL", payer), "cancelAuthorization", from, nonce, v, r, s);
}

/** How calls begin by which the service asks whether an authorization is used. */
export const STATE_SELECTORS: Record<TransferMethod, string> = {
  eip3009: "0xe94a0102",
  permit2: PERMIT2_ABI.getFunction("nonceBitmap")!.selector,
};

/** The nonce of a payment as the ledger has it. */
export const nonceOf = (signature: string): string => authorizationOf(readPayment(signature)).nonce;

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

/** Raw units of local dollars, or of the second one. */
export const dollarsOf = (world: TestWorld, account: string, symbol = "USDL"): Promise<bigint> =>
  tokenOf(world, symbol).getFunction("balanceOf").staticCall(account);

/** What the service has been paid on the chain, raw units. */
export const income = (world: TestWorld, { symbol } = BY_EIP3009): Promise<bigint> =>
  dollarsOf(world, world.accounts.payee.address, symbol);

/** A cent, in raw units of the local dollar. */
export const PRICE = BY_EIP3009.price;

/** EIP-712 of the local dollar. */
export const dollarDomain = (world: TestWorld) => ({
  name: "Local Dollar",
  version: "1",
  chainId: world.deployment.chainId,
  verifyingContract: world.token("USDL"),
});

/** EIP-712 of Permit2. */
export const permit2Domain = (world: TestWorld) => ({
  name: "Permit2",
  chainId: world.deployment.chainId,
  verifyingContract: PERMIT2,
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
const CANCEL_AUTHORIZATION = {
  CancelAuthorization: fields(["authorizer", "address"], ["nonce", "bytes32"]),
};
export const PERMIT_WITNESS_TRANSFER = {
  PermitWitnessTransferFrom: fields(
    ["permitted", "TokenPermissions"],
    ["spender", "address"],
    ["nonce", "uint256"],
    ["deadline", "uint256"],
    ["witness", "Witness"],
  ),
  TokenPermissions: fields(["token", "address"], ["amount", "uint256"]),
  Witness: fields(["to", "address"], ["validAfter", "uint256"]),
};
