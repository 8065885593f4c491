/**
 * The client's batch of a prepared trade, carried out as a wallet would that takes EIP-5792's wallet_sendCalls: by an account
 * with delegated code (EIP-7702) on the local chain, through viem.
 */

import { expect } from "chai";
import { id, MaxUint256 } from "ethers";
import { createPublicClient, createWalletClient, type Hex, http, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { erc7821Actions } from "viem/experimental/erc7821";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { walletCallsOf } from "../../client/walletCalls.ts";
import { LocalBatchAccount__factory } from "../../types/contracts/factories/test/support/contracts/LocalBatchAccount__factory.ts";
import { tokenOf } from "../support/dollars.ts";
import { flakyRpc } from "../support/flakyRpc.ts";
import { expectStatus } from "../support/http.ts";
import { startService, walletOf } from "../support/service.ts";
import { ofSuite } from "../support/suite.ts";
import { testWorld } from "../support/world.ts";

describe("the client's calls of a prepared trade for wallets", () => {
  const world = testWorld();
  const service = ofSuite(() => startService(world, "sqlite::memory:"));
  /** Code for accounts to delegate to, as a wallet's maker would offer it. */
  let code: Hex;

  before(async () => {
    const deployed = await new LocalBatchAccount__factory(walletOf(world, 8)).deploy();
    await deployed.waitForDeployment();
    code = (await deployed.getAddress()) as Hex;
  });
  beforeEach(async () => {
    await world.tick();
    await service.recordLiquidity();
  });

  const ownerOf = (user: number) => world.accounts.users[user]!;
  const dollar = () => tokenOf(world, "USDL");
  const allowanceOf = (user: number): Promise<bigint> =>
    dollar().getFunction("allowance")(ownerOf(user).address, world.deployment.guard);

  async function prepare(user: number, changes: Record<string, unknown> = {}) {
    const { jobId } = await service.newJob({ ownerAddress: ownerOf(user).address, ...changes });
    const { body } = expectStatus(await service.prepare(jobId, { deadlineSeconds: 60 }), 200);
    expect(verifyReport(body, { signer: world.accounts.attestation.address }).verdict).to.equal("VALID");
    return body;
  }

  /** A wallet around one key that counts what the key signs. Its account has delegated code already. */
  async function walletWith(user: number) {
    const account = privateKeyToAccount(ownerOf(user).privateKey as Hex);
    const signed: string[] = [];
    const counted = { ...account };
    for (const name of [
      "sign",
      "signAuthorization",
      "signMessage",
      "signTransaction",
      "signTypedData",
    ] as const)
      Object.assign(counted, {
        [name]: (...values: never[]) => {
          signed.push(name);
          return (account[name] as (...given: never[]) => unknown)(...values);
        },
      });
    const client = createWalletClient({
      account: counted,
      chain: hardhat,
      transport: http(world.url),
    }).extend(erc7821Actions());
    const reading = createPublicClient({ chain: hardhat, transport: http(world.url) });
    const authorization = await client.signAuthorization({ contractAddress: code, executor: "self" });
    const delegation = await client.sendTransaction({
      to: account.address,
      authorizationList: [authorization],
      gas: 100_000n,
    });
    await reading.waitForTransactionReceipt({ hash: delegation, pollingInterval: 20 });
    const delegated = `0xef0100${code.slice(2).toLowerCase()}`;
    expect(await reading.getCode({ address: account.address })).to.equal(delegated);
    signed.length = 0;
    return {
      signed,
      /** Takes the parameter as `wallet_sendCalls` does. */
      async sendCalls({ version, from, chainId, atomicRequired, calls }: any, gas?: bigint) {
        expect({ version, from, chainId, atomicRequired }).to.deep.equal({
          version: "2.0.0",
          from: account.address,
          chainId: numberToHex(hardhat.id),
          atomicRequired: true,
        });
        const hash = await client.execute({
          address: account.address,
          ...(gas === undefined ? {} : { gas }),
          calls: calls.map(({ to, data, value }: any) => ({ to, data, value: BigInt(value) })),
        });
        return reading.waitForTransactionReceipt({ hash, pollingInterval: 20 });
      },
    };
  }

  it("buy by one signature in one transaction, and leave no allowance behind", async () => {
    const wallet = await walletWith(0);
    const { jobId, execution, report } = await prepare(0);
    const to = walletCallsOf(execution).calls.map((call: any) => call.to);
    expect(to).to.deep.equal([world.token("USDL"), world.deployment.guard]);
    expect(await allowanceOf(0)).to.equal(0n);
    const nonce = await world.provider.getTransactionCount(ownerOf(0).address);
    const stock = tokenOf(world, "AAPLx");
    const before: bigint = await stock.getFunction("balanceOf")(ownerOf(0).address);

    const receipt = await wallet.sendCalls(walletCallsOf(execution));

    expect(receipt.status).to.equal("success");
    expect(wallet.signed).to.deep.equal(["signTransaction"]);
    expect(await world.provider.getTransactionCount(ownerOf(0).address)).to.equal(nonce + 1);
    expect(await allowanceOf(0)).to.equal(0n);
    const gained = (await stock.getFunction("balanceOf")(ownerOf(0).address)) - before;
    expect(gained >= BigInt(execution.tradeIntent.message.minAmountOut)).to.equal(true);
    // The service finds the trade in a transaction that is none to the guard.
    await service.submit(jobId, receipt.transactionHash);
    const job = await service.jobWhen(jobId, ({ executions }) => executions[0].state === "confirmed");
    const { evidenceHash } = report;
    expect(job.executions[0].confirmed).to.include({ amountOutRaw: gained.toString(), evidenceHash });
  });

  it("sell stock by the same two wallet calls", async () => {
    const wallet = await walletWith(1);
    const { execution } = await prepare(1, {
      inputAssetKey: world.assetKey("AAPLx"),
      outputAssetKey: world.assetKey("USDL"),
      amountInRaw: (10n ** 18n).toString(),
    });
    const before: bigint = await dollar().getFunction("balanceOf")(ownerOf(1).address);
    const receipt = await wallet.sendCalls(walletCallsOf(execution));
    expect(receipt.status).to.equal("success");
    expect(wallet.signed).to.deep.equal(["signTransaction"]);
    const stock = tokenOf(world, "AAPLx");
    expect(await stock.getFunction("allowance")(ownerOf(1).address, world.deployment.guard)).to.equal(0n);
    const gained = (await dollar().getFunction("balanceOf")(ownerOf(1).address)) - before;
    expect(gained >= BigInt(execution.tradeIntent.message.minAmountOut)).to.equal(true);
  });

  it("leave the approval out where the allowance at the evidence's block suffices, and take a smaller one back first", async () => {
    const owner = walletOf(world, 2);
    const token = tokenOf(world, "USDL", owner);
    const callsWith = async (allowance: bigint) => {
      await (await token.getFunction("approve").send(world.deployment.guard, allowance)).wait();
      const { execution } = await prepare(2);
      expect(execution.approval.currentAllowance).to.equal(allowance.toString());
      return walletCallsOf(execution).calls;
    };
    const amount = 250_000_000n;
    for (const enough of [amount, MaxUint256]) {
      const calls = await callsWith(enough);
      expect(calls).to.have.length(1);
      expect(calls[0]!.to).to.equal(world.deployment.guard);
    }
    expect(await callsWith(0n)).to.have.length(2);
    // Some tokens refuse to change an allowance that is not zero, so it is taken back first.
    expect(await callsWith(amount - 1n)).to.have.length(3);
  });

  it("the calls of a prepared trade for wallets are made from the allowance at the very block of the evidence", async () => {
    await using rpc = await flakyRpc(world.url);
    await using watched = await startService(world, "sqlite::memory:", { RPC_URL: rpc.url });
    const { prepared } = await watched.newPrepared({ ownerAddress: ownerOf(4).address });
    const asked = rpc.requests.flat().filter(({ method, params: [call] }) => {
      const { data = "" } = (call ?? {}) as { data?: string };
      return method === "eth_call" && data.startsWith(id("allowance(address,address)").slice(0, 10));
    });
    const { blockHash } = prepared.report.evidence.chain;
    const blocks = asked.map(({ params: [, block] }) => block);
    expect(blocks).to.deep.equal([{ blockHash, requireCanonical: true }]);
  });

  it("do nothing at all where the guard refuses the trade: the approval is undone with it", async () => {
    const wallet = await walletWith(3);
    const { jobId, execution } = await prepare(3);
    world.clock.advance(61_000);
    await world.mine();
    const refused = await wallet.sendCalls(walletCallsOf(execution)).then(
      (receipt) => receipt.status,
      () => "refused",
    );
    expect(refused).to.not.equal("success");
    expect(await allowanceOf(3)).to.equal(0n);
    // Sent all the same, it fails on the chain, and the service says so.
    const receipt = await wallet.sendCalls(walletCallsOf(execution), 1_000_000n);
    expect(receipt.status).to.equal("reverted");
    expect(await allowanceOf(3)).to.equal(0n);
    await service.submit(jobId, receipt.transactionHash);
    const job = await service.jobWhen(jobId, ({ executions }) => executions[0].state !== "submitted");
    expect(job.executions[0].state).to.equal("mismatched");
    expect(job.executions[0].reason).to.match(/^The transaction failed, so nothing was traded in it; /);
  });
});
