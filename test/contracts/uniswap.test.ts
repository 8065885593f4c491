import { expect } from "chai";
import { id, type Signer } from "ethers";
import {
  certifiedTrade,
  execute,
  hashIntent,
  relay,
  routeCallData,
  type Trade,
} from "../support/contracts/trades.ts";
import { createWorld, FOREVER, V3_FEE, type World } from "../support/contracts/world.ts";

const AMOUNT = 1_000n * 10n ** 18n;
const KINDS = ["v2", "v3"] as const;

/** Both senders, so that each test of a swap runs both. */
const SENDERS = {
  "sent by the owner": (world: World, trade: Trade) => execute(world, world.owner, trade),
  "relayed by anyone": (world: World, trade: Trade) => relay(world, trade),
};

describe("the guard on published Uniswap routers", () => {
  let world: World;
  let untouched: unknown;

  const remember = async () => {
    untouched = await world.provider.request({ method: "evm_snapshot", params: [] });
  };
  before(async () => {
    world = await createWorld();
    await remember();
  });
  afterEach(async () => {
    await world.provider.request({ method: "evm_revert", params: [untouched] });
    await remember();
  });

  async function quote(kind: (typeof KINDS)[number], amountIn: bigint): Promise<bigint> {
    const data = await routeCallData(world, kind, amountIn, await world.owner.getAddress());
    const router = kind === "v2" ? world.v2Router : world.v3Router;
    const result = await world.owner.call({ to: await router.getAddress(), data });
    const name = kind === "v2" ? "swapExactTokensForTokens" : "exactInputSingle";
    const [decoded] = router.interface.decodeFunctionResult(name, result);
    return kind === "v2" ? decoded[1] : decoded;
  }

  async function balances(account: Signer) {
    const address = await account.getAddress();
    return [await world.dollar.balanceOf(address), await world.stock.balanceOf(address)] as const;
  }

  async function expectNothingLeft() {
    for (const token of [world.dollar, world.stock]) {
      expect(await token.balanceOf(world.guard)).to.equal(0n);
      expect(await token.balanceOf(world.executor)).to.equal(0n);
      for (const router of [world.v2Router, world.v3Router]) {
        expect(await token.allowance(world.executor, router)).to.equal(0n);
      }
    }
  }

  for (const kind of KINDS) {
    for (const [sender, send] of Object.entries(SENDERS)) {
      it(`${kind}: an exact input, ${sender}, pays the owner what the pool gives`, async () => {
        const expected = await quote(kind, AMOUNT);
        const [dollars, stocks] = await balances(world.owner);
        const trade = await certifiedTrade(world, kind, { minAmountOut: expected });

        await expect(send(world, trade))
          .to.emit(world.guard, "TradeExecuted")
          .withArgs(
            id("job"),
            await world.owner.getAddress(),
            id("evidence"),
            hashIntent(trade.intent),
            AMOUNT,
            expected,
          );

        expect(await balances(world.owner)).to.deep.equal([dollars - AMOUNT, stocks + expected]);
        await expectNothingLeft();
      });

      it(`${kind}: an exact output, ${sender}, refunds what the pool did not need`, async () => {
        const wanted = 500n * 10n ** 18n;
        const [dollar, stock] = [await world.dollar.getAddress(), await world.stock.getAddress()];
        const callData =
          kind === "v2"
            ? world.v2Router.interface.encodeFunctionData("swapTokensForExactTokens", [
                wanted,
                AMOUNT,
                [dollar, stock],
                world.executor,
                FOREVER,
              ])
            : world.v3Router.interface.encodeFunctionData("exactOutputSingle", [
                {
                  tokenIn: dollar,
                  tokenOut: stock,
                  fee: V3_FEE,
                  recipient: world.executor,
                  deadline: FOREVER,
                  amountOut: wanted,
                  amountInMaximum: AMOUNT,
                  sqrtPriceLimitX96: 0,
                },
              ]);
        const [dollars, stocks] = await balances(world.owner);

        await send(world, await certifiedTrade(world, kind, { callData, minAmountOut: wanted }));

        const [dollarsAfter, stocksAfter] = await balances(world.owner);
        expect(stocksAfter - stocks).to.equal(wanted);
        expect(dollars - dollarsAfter)
          .to.be.greaterThan(wanted)
          .and.to.be.lessThan((wanted * 101n) / 100n);
        await expectNothingLeft();
      });
    }

    it(`${kind}: a price that moved below the minimum reverts`, async () => {
      const expected = await quote(kind, AMOUNT);
      const trade = await certifiedTrade(world, kind, { minAmountOut: expected });
      const other = await routeCallData(world, kind, AMOUNT, await world.owner.getAddress());
      const router = await (kind === "v2" ? world.v2Router : world.v3Router).getAddress();
      await world.owner.sendTransaction({ to: router, data: other });

      await expect(relay(world, trade)).to.be.revertedWithCustomError(world.guard, "OutputBelowMinimum");
    });

    it(`${kind}: output that the router sends past the executor does not count`, async () => {
      const callData = await routeCallData(world, kind, AMOUNT, await world.owner.getAddress());
      const trade = await certifiedTrade(world, kind, { callData });

      await expect(execute(world, world.owner, trade))
        .to.be.revertedWithCustomError(world.guard, "OutputBelowMinimum")
        .withArgs(0n, 1n);
    });
  }

  it("names the router and its reason when the router refuses", async () => {
    const callData = world.v2Router.interface.encodeFunctionData("swapExactTokensForTokens", [
      AMOUNT,
      0,
      [await world.dollar.getAddress(), await world.stock.getAddress()],
      world.executor,
      1,
    ]);
    const reason =
      world.ethers.id("Error(string)").slice(0, 10) +
      world.ethers.AbiCoder.defaultAbiCoder().encode(["string"], ["UniswapV2Router: EXPIRED"]).slice(2);

    await expect(execute(world, world.owner, await certifiedTrade(world, "v2", { callData })))
      .to.be.revertedWithCustomError(world.guard, "RouteFailed")
      .withArgs(await world.v2Router.getAddress(), reason);
  });

  it("leaves a unit that lies in the executor where it lies", async () => {
    await world.dollar.mint(world.executor, 1n);
    await world.stock.mint(world.executor, 1n);

    await execute(world, world.owner, await certifiedTrade(world, "v2"));

    expect(await world.dollar.balanceOf(world.executor)).to.equal(1n);
    expect(await world.stock.balanceOf(world.executor)).to.equal(1n);
  });
});
