import { type BytesLike, keccak256, type Signer, TypedDataEncoder, toUtf8Bytes } from "ethers";
import type {
  TradeIntentStruct,
  VerificationCertificateStruct,
} from "../../../types/contracts/contracts/TradeGuard.ts";
import TYPES from "./typedData.json" with { type: "json" };
import { FOREVER, V3_FEE, type World } from "./world.ts";

/** The types as the off-chain code states them; the guard's hashes have to agree. */
export const INTENT_TYPES = { TradeIntent: TYPES.TradeIntent };
export const CERTIFICATE_TYPES = { VerificationCertificate: TYPES.VerificationCertificate };

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
  TypedDataEncoder.hashStruct("TradeIntent", INTENT_TYPES, intent as Record<string, any>);

export async function signIntent(world: World, signer: Signer, intent: TradeIntentStruct): Promise<string> {
  return signer.signTypedData(await domainOf(world), INTENT_TYPES, intent as Record<string, any>);
}

async function signCertificate(world: World, signer: Signer, certificate: VerificationCertificateStruct) {
  return signer.signTypedData(await domainOf(world), CERTIFICATE_TYPES, certificate as Record<string, any>);
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
    selector: data.slice(0, 10),
    callDataHash: keccak256(data),
    nonce: 0n,
    deadline: now + 600,
    ...intentChanges,
  };
  const certificate: VerificationCertificateStruct = {
    intentHash: hashIntent(intent),
    evidenceHash: keccak256(toUtf8Bytes("evidence")),
    policyHash: keccak256(toUtf8Bytes("policy")),
    jobId: keccak256(toUtf8Bytes("job")),
    reportVersion: 1n,
    issuedAt: now,
    expiresAt: now + 300,
  };
  return {
    intent,
    certificate,
    certificateSignature: await signCertificate(world, world.attestor, certificate),
    routeCallData: data,
  };
}
