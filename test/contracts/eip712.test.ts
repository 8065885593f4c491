import { expect } from "chai";
import { getBytes, Wallet, ZeroAddress, ZeroHash } from "ethers";
import fc from "fast-check";
import { certificate as certificates, tradeIntent as intents } from "../support/arbitraries.ts";
import { certifiedTrade, domainOf, hashCertificate, hashIntent, relay } from "../support/contracts/trades.ts";
import { createWorld } from "../support/contracts/world.ts";
import { readyFor } from "../support/suite.ts";

describe("EIP-712 of the guard", () => {
  const world = readyFor(createWorld);

  it("hashes every intent as ethers does", async () => {
    await fc.assert(
      fc.asyncProperty(intents, async (intent) => {
        expect(await world.guard.hashIntent(intent)).to.equal(hashIntent(intent));
      }),
      { numRuns: 100 },
    );
  });

  it("hashes every certificate as ethers does", async () => {
    await fc.assert(
      fc.asyncProperty(certificates, async (certificate) => {
        expect(await world.guard.hashCertificate(certificate)).to.equal(hashCertificate(certificate));
      }),
      { numRuns: 100 },
    );
  });

  it("states the domain that wallets show and certificates are signed in (EIP-5267)", async () => {
    const { chainId, verifyingContract } = await domainOf(world);
    // 0x0f: name, version, chain and contract count; salt and extensions do not.
    const stated = ["0x0f", "TradeGuard", "1", chainId, verifyingContract, ZeroHash, []];
    expect([...(await world.guard.eip712Domain())]).to.deep.equal(stated);
    const trade = await certifiedTrade(world, "v2");
    await expect(relay(world, trade)).to.emit(world.guard, "TradeExecuted");
  });
});

describe("an owner whose account has delegated code (EIP-7702)", () => {
  it("signs with the key all the same", async () => {
    const world = await createWorld();
    const { ethers } = world;
    const owner = new Wallet(`0x${"51".repeat(32)}`, ethers.provider);
    await world.admin.sendTransaction({ to: owner.address, value: ethers.parseEther("1") });
    await world.dollar.mint(owner.address, 10n ** 24n);
    await (await world.dollar.connect(owner).approve(world.guard, ethers.MaxUint256)).wait();

    // The delegate is a contract that answers no ERC-1271 question.
    const nonce = await owner.getNonce();
    const authorization = await owner.authorize({
      address: await world.dollar.getAddress(),
      nonce: nonce + 1,
    });
    await (
      await owner.sendTransaction({ type: 4, to: ZeroAddress, nonce, authorizationList: [authorization] })
    ).wait();
    expect(getBytes(await ethers.provider.getCode(owner.address)).length).to.equal(23);

    const trade = await certifiedTrade(world, "v2", { owner: owner.address, recipient: owner.address });
    await relay(world, trade, owner);

    expect(await world.stock.balanceOf(owner.address)).to.be.greaterThan(0n);
  });
});
