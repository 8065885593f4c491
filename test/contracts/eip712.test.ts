import { expect } from "chai";
import { getBytes, TypedDataEncoder, Wallet, ZeroAddress } from "ethers";
import fc from "fast-check";
import { certificate as certificates, tradeIntent as intents } from "../support/arbitraries.ts";
import {
  CERTIFICATE_TYPES,
  certifiedTrade,
  domainOf,
  hashIntent,
  signIntent,
} from "../support/contracts/trades.ts";
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
        expect(await world.guard.hashCertificate(certificate)).to.equal(
          TypedDataEncoder.hashStruct(
            "VerificationCertificate",
            CERTIFICATE_TYPES,
            certificate as Record<string, any>,
          ),
        );
      }),
      { numRuns: 100 },
    );
  });

  it("has the domain that wallets are shown", async () => {
    const domain = await domainOf(world);
    expect(await world.guard.domainSeparator()).to.equal(TypedDataEncoder.hashDomain(domain));

    const told = await world.guard.eip712Domain();
    expect(told.fields).to.equal("0x0f");
    expect(told.name).to.equal("TradeGuard");
    expect(told.version).to.equal("1");
    expect(told.chainId).to.equal(domain.chainId);
    expect(told.verifyingContract).to.equal(domain.verifyingContract);
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
    const { intent, certificate, certificateSignature, routeCallData } = trade;
    await world.guard
      .connect(world.relayer)
      .executeFor(
        intent,
        certificate,
        certificateSignature,
        await signIntent(world, owner, intent),
        routeCallData,
      );

    expect(await world.stock.balanceOf(owner.address)).to.be.greaterThan(0n);
  });
});
