/** Certified trades on the world's routers, hashed and signed by ethers from the types that the service states. */
import { type BytesLike, id, keccak256, type Signer, TypedDataEncoder } from "ethers";
import { CERTIFICATE_TYPES, TRADE_INTENT_TYPES } from "../../../attestor/certificate/certificate.ts";
import type {
  TradeIntentStruct,
  VerificationCertificateStruct,
} from "../../../types/contracts/contracts/TradeGuard.ts";
import { FOREVER, V3_FEE, type World } from "./world.ts";

export interface Trade {
  intent: TradeIntentStruct;
  certificate: VerificationCertificateStruct;
  certificateSignature: string;
  routeCallData: string;
}

export async function domainOf(world: World) {
  const { chainId } = await world.ethers.provider.getNetwork();
  return { name: "TradeGuard", version: "1", chainId, verifyingContract: await world.guard.getAddress() };
}

export const hashIntent = (intent: TradeIntentStruct): string =>
  TypedDataEncoder.hashStruct("TradeIntent", TRADE_INTENT_TYPES, intent as Record<string, any>);

export const hashCertificate = (certificate: VerificationCertificateStruct): string =>
  TypedDataEncoder.hashStruct(
    "VerificationCertificate",
    CERTIFICATE_TYPES,
    certificate as Record<string, any>,
  );

export async function signIntent(world: World, signer: Signer, intent: TradeIntentStruct): Promise<string> {
  return signer.signTypedData(await domainOf(world), TRADE_INTENT_TYPES, intent as Record<string, any>);
}

async function signCertificate(world: World, certificate: VerificationCertificateStruct): Promise<string> {
  const message = certificate as Record<string, any>;
  return world.attestor.signTypedData(await domainOf(world), CERTIFICATE_TYPES, message);
}

/** What `execute` takes. Without the owner's signature the caller has to be the owner. */
export const executeArgs = (trade: Trade, ownerSignature = "0x") =>
  [trade.intent, trade.certificate, trade.certificateSignature, ownerSignature, trade.routeCallData] as const;

export const execute = (world: World, caller: Signer, trade: Trade, ownerSignature?: string) =>
  world.guard.connect(caller).execute(...executeArgs(trade, ownerSignature));

/** The world's relayer sends a trade that its owner signs. */
export async function relay(world: World, trade: Trade, owner = world.owner) {
  return execute(world, world.relayer, trade, await signIntent(world, owner, trade.intent));
}

/** Call data that sells `amountIn` dollars for stock and pays the executor. */
export async function routeCallData(
  world: World,
  kind: "v2" | "v3",
  amountIn: bigint,
  to = world.executor,
  minimum = 0n,
  path?: readonly string[],
) {
  const [dollar, stock] = [await world.dollar.getAddress(), await world.stock.getAddress()];
  return kind === "v2"
    ? world.v2Router.interface.encodeFunctionData("swapExactTokensForTokens", [
        amountIn,
        minimum,
        path ?? [dollar, stock],
        to,
        FOREVER,
      ])
    : world.v3Router.interface.encodeFunctionData("exactInputSingle", [
        {
          tokenIn: dollar,
          tokenOut: stock,
          fee: V3_FEE,
          recipient: to,
          deadline: FOREVER,
          amountIn,
          amountOutMinimum: minimum,
          sqrtPriceLimitX96: 0,
        },
      ]);
}

/** A certified trade of the owner, dollars for stock, with a test's changes. */
export async function certifiedTrade(
  world: World,
  kind: "v2" | "v3",
  changes: Partial<TradeIntentStruct> & { callData?: BytesLike } = {},
): Promise<Trade> {
  const { callData, ...intentChanges } = changes;
  const amountIn = BigInt(intentChanges.amountIn ?? 1000n * 10n ** 18n);
  const data = (callData as string | undefined) ?? (await routeCallData(world, kind, amountIn));
  const owner = await world.owner.getAddress();
  const now = (await world.ethers.provider.getBlock("latest"))!.timestamp;
  const intent: TradeIntentStruct = {
    owner,
    recipient: owner,
    inputToken: await world.dollar.getAddress(),
    outputToken: await world.stock.getAddress(),
    amountIn,
    minAmountOut: 1n,
    route: await (kind === "v2" ? world.v2Router : world.v3Router).getAddress(),
    callDataHash: keccak256(data),
    policyHash: id("policy"),
    nonce: 0n,
    deadline: now + 600,
    ...intentChanges,
  };
  const certificate: VerificationCertificateStruct = {
    intentHash: hashIntent(intent),
    evidenceHash: id("evidence"),
    jobId: id("job"),
    reportVersion: 1n,
    issuedAt: now,
    expiresAt: now + 300,
  };
  const certificateSignature = await signCertificate(world, certificate);
  return { intent, certificate, certificateSignature, routeCallData: data };
}
