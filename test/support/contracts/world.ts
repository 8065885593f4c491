import hardhatChaiMatchers from "@nomicfoundation/hardhat-ethers-chai-matchers";
import { Contract, ContractFactory, type Signer } from "ethers";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import {
  type Published,
  V2_FACTORY,
  V2_ROUTER,
  V3_FACTORY,
  V3_POSITIONS,
  V3_ROUTER,
  WETH,
} from "../../../devnet/artifacts.ts";
import type { TradeGuard } from "../../../types/contracts/contracts/TradeGuard.ts";
import { AccessManager__factory } from "../../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { PlainToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/PlainToken__factory.ts";
import type { PlainToken } from "../../../types/contracts/test/support/contracts/tokens/PlainToken.ts";

const UNIT = 10n ** 18n;
export const FOREVER = 2n ** 64n - 1n;
export const V3_FEE = 3000n;

/** Deploys the bytecode that its maker publishes, as it is. */
export async function deployPublished({ abi, bytecode }: Published, signer: Signer, ...args: unknown[]) {
  const deployed = await new ContractFactory(abi, bytecode, signer).deploy(...args);
  return new Contract(await deployed.getAddress(), abi, signer);
}

/** Both ways to trade on each router: of an exact input, and for an exact output. */
export async function allowRouters(guard: TradeGuard, v2Router: Contract, v3Router: Contract): Promise<void> {
  const routes = [
    [v2Router, "swapExactTokensForTokens"],
    [v2Router, "swapTokensForExactTokens"],
    [v3Router, "exactInputSingle"],
    [v3Router, "exactOutputSingle"],
  ] as const;
  for (const [router, name] of routes) {
    await guard.allowRoute(router, router.interface.getFunction(name)!.selector);
  }
}

/**
 * A chain with two plain tokens at price 1, published Uniswap V2 and V3 pools of them that have traded before, and a
 * guard that allows both routers. The owner holds and has approved everything.
 */
export async function createWorld() {
  const { network } = await createHardhatRuntimeEnvironment({ plugins: [hardhatChaiMatchers] });
  const connection = await network.create();
  const { ethers } = connection;
  const [admin, attestor, owner, relayer, stranger, recipient] = (await ethers.getSigners()) as unknown as [
    Signer,
    Signer,
    Signer,
    Signer,
    Signer,
    Signer,
  ];

  const manager = await new AccessManager__factory(admin).deploy(admin);
  const guard = await new TradeGuard__factory(admin).deploy(manager, attestor);
  const executor = await guard.executor();

  const dollar = await new PlainToken__factory(admin).deploy("USD", 18);
  const stock = await new PlainToken__factory(admin).deploy("STOCKx", 18);
  for (const token of [dollar, stock]) {
    await token.mint(admin, 10_000_000n * UNIT);
    await token.mint(owner, 1_000_000n * UNIT);
    await token.connect(owner).approve(guard, ethers.MaxUint256);
  }

  const weth = await deployPublished(WETH, admin);
  const v2Factory = await deployPublished(V2_FACTORY, admin, admin);
  const v2Router = await deployPublished(V2_ROUTER, admin, v2Factory, weth);
  const v3Factory = await deployPublished(V3_FACTORY, admin);
  const v3Router = await deployPublished(V3_ROUTER, admin, v3Factory, weth);
  const v3Positions = await deployPublished(V3_POSITIONS, admin, v3Factory, weth, ethers.ZeroAddress);
  for (const token of [dollar, stock]) {
    for (const spender of [v2Router, v3Router, v3Positions]) {
      await token.connect(admin).approve(spender, ethers.MaxUint256);
      await token.connect(owner).approve(spender, ethers.MaxUint256);
    }
  }

  const depth = 1_000_000n * UNIT;
  await v2Router.getFunction("addLiquidity")(dollar, stock, depth, depth, 0, 0, admin, FOREVER);

  const addresses = [await dollar.getAddress(), await stock.getAddress()];
  const [token0, token1] = addresses.sort((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1));
  await v3Positions.getFunction("createAndInitializePoolIfNecessary")(token0, token1, V3_FEE, 2n ** 96n);
  await v3Positions.getFunction("mint")({
    token0,
    token1,
    fee: V3_FEE,
    tickLower: -887220,
    tickUpper: 887220,
    amount0Desired: depth,
    amount1Desired: depth,
    amount0Min: 0,
    amount1Min: 0,
    recipient: admin,
    deadline: FOREVER,
  });

  await allowRouters(guard, v2Router, v3Router);

  return {
    connection,
    ethers,
    provider: connection.provider,
    admin,
    attestor,
    owner,
    relayer,
    stranger,
    recipient,
    manager,
    guard,
    executor,
    dollar: dollar as PlainToken,
    stock: stock as PlainToken,
    v2Router,
    v3Router,
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
