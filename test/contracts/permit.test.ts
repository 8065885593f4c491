/** The guard takes no permits. An owner who can sign one gives it to the token, and the guard finds an allowance. */
import { expect } from "chai";
import { Signature, type Signer } from "ethers";
import { PermitToken__factory } from "../../types/contracts/factories/test/support/contracts/tokens/PermitToken__factory.ts";
import type { PermitToken } from "../../types/contracts/test/support/contracts/tokens/PermitToken.ts";
import { certifiedTrade, relay, type Trade } from "../support/contracts/trades.ts";
import { createWorld, FOREVER, type World } from "../support/contracts/world.ts";

const AMOUNT = 1000n * 10n ** 18n;
const DEPTH = 1_000_000n * 10n ** 18n;

describe("a token with permit (EIP-2612)", () => {
  let world: World;
  let token: PermitToken;
  let owner: Signer;
  let nonce = 0n;

  before(async () => {
    world = await createWorld();
    const { admin, stock, v2Router } = world;
    token = await new PermitToken__factory(admin).deploy("PERMIT");
    // An account that has never sent a transaction, and has no coin to pay for one.
    owner = world.ethers.Wallet.createRandom(world.ethers.provider);
    await token.mint(owner, 10n * AMOUNT);
    await token.mint(admin, DEPTH);
    await token.approve(v2Router, DEPTH);
    const pair = [await token.getAddress(), await stock.getAddress()];
    const to = await admin.getAddress();
    await v2Router.getFunction("addLiquidity")(...pair, DEPTH, DEPTH, 0, 0, to, FOREVER);
  });

  async function tradeOfOwner(): Promise<Trade> {
    const callData = world.v2Router.interface.encodeFunctionData("swapExactTokensForTokens", [
      AMOUNT,
      0,
      [await token.getAddress(), await world.stock.getAddress()],
      world.executor,
      FOREVER,
    ]);
    const address = await owner.getAddress();
    return certifiedTrade(world, "v2", {
      owner: address,
      recipient: address,
      inputToken: await token.getAddress(),
      amountIn: AMOUNT,
      nonce: nonce++,
      callData,
    });
  }

  /** The arguments of the token's `permit`, for the guard and exactly the amount. */
  async function signedPermit() {
    const { chainId } = await world.ethers.provider.getNetwork();
    const [holder, spender] = [await owner.getAddress(), await world.guard.getAddress()];
    const domain = { name: "PERMIT", version: "1", chainId, verifyingContract: await token.getAddress() };
    const types = {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    };
    const message = {
      owner: holder,
      spender,
      value: AMOUNT,
      nonce: await token.nonces(holder),
      deadline: FOREVER,
    };
    const { v, r, s } = Signature.from(await owner.signTypedData(domain, types, message));
    return [holder, spender, AMOUNT, FOREVER, v, r, s] as const;
  }

  async function expectTraded(trade: Trade): Promise<void> {
    const { guard, stock } = world;
    const before = await stock.balanceOf(owner);
    await relay(world, trade, owner);
    expect((await stock.balanceOf(owner)) > before).to.equal(true);
    expect(await token.allowance(owner, guard)).to.equal(0n);
    expect(await world.ethers.provider.getTransactionCount(owner)).to.equal(0);
  }

  it("is sold by two signatures and no transaction of the owner: a relayer gives the permit to the token first", async () => {
    await token.connect(world.relayer).permit(...(await signedPermit()));
    await expectTraded(await tradeOfOwner());
  });

  it("is sold all the same when a stranger gives the permit to the token before the relayer does", async () => {
    const permit = await signedPermit();
    await token.connect(world.stranger).permit(...permit);
    await expect(token.connect(world.relayer).permit(...permit)).to.be.revertedWithCustomError(
      token,
      "ERC2612InvalidSigner",
    );
    await expectTraded(await tradeOfOwner());
  });

  it("has no way into the guard itself: no function of it takes a permit, and Permit2 can never be a route", async () => {
    const names = world.guard.interface.fragments.map((fragment) => fragment.format("minimal"));
    expect(names.filter((name) => /permit/i.test(name))).to.deep.equal([]);
    const permit2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
    await expect(world.guard.allowRoute(permit2, "0x38ed1739"))
      .to.be.revertedWithCustomError(world.guard, "InvalidRoute")
      .withArgs(permit2, "0x38ed1739");
  });
});
