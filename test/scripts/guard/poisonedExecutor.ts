/**
 * What a thief with the admin key does to the executor. The thief rotates the signer to their own key and certifies a
 * trade of worthless tokens whose route is `approve` of a real one. Then the thief delists the route and restores the
 * signer, and the guard's views are as they were.
 */
import { Interface, id, keccak256, Wallet, ZeroHash } from "ethers";
import { CERTIFICATE_TYPES, guardDomain, hashIntent } from "../../../attestor/certificate/certificate.ts";
import { TradeIntent } from "../../../attestor/intent.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { FakeOutput__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/FakeTokens.sol/FakeOutput__factory.ts";
import { FreeToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/FakeTokens.sol/FreeToken__factory.ts";
import type { TestWorld } from "../../support/world.ts";

const APPROVE = new Interface(["function approve(address spender, uint256 amount) returns (bool)"]);
let nonce = 1n << 100n;

/** @param units what the executor then allows the spender to take of the token */
export async function poisonExecutor(
  world: Pick<TestWorld, "provider" | "deployment" | "accounts">,
  token: string,
  spender: string,
  units: bigint,
): Promise<void> {
  const { provider, accounts, deployment } = world;
  const thief = new Wallet(accounts.deployer.privateKey, provider);
  const own = new Wallet(id("a thief's attestation key"));
  const guard = TradeGuard__factory.connect(deployment.guard, thief);
  const free = await new FreeToken__factory(thief).deploy();
  await free.waitForDeployment();
  const fake = await new FakeOutput__factory(thief).deploy(token, deployment.executor, spender);
  await fake.waitForDeployment();
  const data = APPROVE.encodeFunctionData("approve", [spender, units]);
  const selector = data.slice(0, 10);
  const now = (await provider.getBlock("latest"))!.timestamp;
  const intent = TradeIntent.parse({
    owner: thief.address,
    recipient: thief.address,
    inputToken: await free.getAddress(),
    outputToken: await fake.getAddress(),
    amountIn: "1",
    minAmountOut: "1",
    route: token,
    callDataHash: keccak256(data),
    policyHash: ZeroHash,
    nonce: String(nonce++),
    deadline: String(now + 600),
  });
  const certificate = {
    intentHash: hashIntent(intent),
    evidenceHash: ZeroHash,
    jobId: ZeroHash,
    reportVersion: "1",
    issuedAt: String(now),
    expiresAt: String(now + 300),
  };
  const domain = guardDomain(deployment.chainId, deployment.guard);
  const signature = await own.signTypedData(domain, { ...CERTIFICATE_TYPES }, certificate);
  const signer: string = await guard.getFunction("signer")();
  await (await guard.rotateSigner(own.address)).wait();
  await (await guard.allowRoute(token, selector)).wait();
  await (await guard.execute(intent, certificate, signature, "0x", data)).wait();
  await (await guard.disallowRoute(token, selector)).wait();
  await (await guard.rotateSigner(signer)).wait();
}
