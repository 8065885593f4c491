import { createRequire } from "node:module";
import hardhatChaiMatchers from "@nomicfoundation/hardhat-ethers-chai-matchers";
import { type BaseContract, Contract, ContractFactory, type Signer } from "ethers";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { TradeGuard } from "../../../types/contracts/contracts/TradeGuard.ts";
import { AccessManager__factory } from "../../../types/contracts/factories/@openzeppelin/contracts/access/manager/AccessManager__factory.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { PlainToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/PlainToken__factory.ts";
import type { PlainToken } from "../../../types/contracts/test/support/contracts/tokens/PlainToken.ts";

const require = createRequire(import.meta.url);

const ARTIFACTS = {
  v2Factory: "@uniswap/v2-core/build/UniswapV2Factory.json",
  v2Router: "@uniswap/v2-periphery/build/UniswapV2Router02.json",
  weth: "@uniswap/v2-periphery/build/WETH9.json",
  v3Factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  v3Router: "@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json",
  v3Positions:
    "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
} as const;

const UNIT = 10n ** 18n;
export const FOREVER = 2n ** 64n - 1n;
export const V3_FEE = 3000n;

/** Deploys the bytecode that the package publishes, as it is. */
async function deployPublished(name: keyof typeof ARTIFACTS, signer: Signer, ...args: unknown[]) {
  const { abi, bytecode } = require(ARTIFACTS[name]);
  const code = bytecode.startsWith("0x") ? bytecode : `0x${bytecode}`;
  const deployed = await new ContractFactory(abi, code, signer).deploy(...args);
  return new Contract(await deployed.getAddress(), abi, signer);
}

const addressOf = (contract: BaseContract): Promise<string> => contract.getAddress();

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

  const weth = await deployPublished("weth", admin);
  const v2Factory = await deployPublished("v2Factory", admin, await admin.getAddress());
  const v2Router = await deployPublished(
    "v2Router",
    admin,
    await addressOf(v2Factory),
    await addressOf(weth),
  );
  const v3Factory = await deployPublished("v3Factory", admin);
  const v3Router = await deployPublished(
    "v3Router",
    admin,
    await addressOf(v3Factory),
    await addressOf(weth),
  );
  const v3Positions = await deployPublished(
    "v3Positions",
    admin,
    await addressOf(v3Factory),
    await addressOf(weth),
    ethers.ZeroAddress,
  );
  for (const token of [dollar, stock]) {
    for (const spender of [v2Router, v3Router, v3Positions]) {
      await token.connect(admin).approve(spender, ethers.MaxUint256);
      await token.connect(owner).approve(spender, ethers.MaxUint256);
    }
  }

  const [dollarAddress, stockAddress, adminAddress] = [
    await addressOf(dollar),
    await addressOf(stock),
    await admin.getAddress(),
  ];
  const depth = 1_000_000n * UNIT;
  await v2Router.getFunction("addLiquidity")(
    dollarAddress,
    stockAddress,
    depth,
    depth,
    0,
    0,
    adminAddress,
    FOREVER,
  );

  const [token0, token1] =
    dollarAddress.toLowerCase() < stockAddress.toLowerCase()
      ? [dollarAddress, stockAddress]
      : [stockAddress, dollarAddress];
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
    recipient: adminAddress,
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
