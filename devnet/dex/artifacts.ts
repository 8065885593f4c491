/** The DEX contracts as their makers published them: bytecode and ABI straight from the npm packages. */
import { createRequire } from "node:module";
import { ContractFactory, Interface, type InterfaceAbi } from "ethers";

export interface Published {
  readonly abi: Interface;
  readonly bytecode: string;
}

const load = createRequire(import.meta.url);

function published(path: string): Published {
  const { abi, bytecode } = load(path) as { abi: InterfaceAbi; bytecode: string };
  return { abi: new Interface(abi), bytecode: bytecode.startsWith("0x") ? bytecode : `0x${bytecode}` };
}

function abiOf(path: string): Interface {
  return new Interface((load(path) as { abi: InterfaceAbi }).abi);
}

const V3_PERIPHERY = "@uniswap/v3-periphery/artifacts/contracts";

export const V2_FACTORY = published("@uniswap/v2-core/build/UniswapV2Factory.json");
export const V2_ROUTER = published("@uniswap/v2-periphery/build/UniswapV2Router02.json");
/** A plain token whose maker gets all of it. */
export const TEST_TOKEN = published("@uniswap/v2-core/build/ERC20.json");
export const WETH = published("@uniswap/v2-periphery/build/WETH9.json");
export const V3_FACTORY = published(
  "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
);
export const V3_ROUTER = published(`${V3_PERIPHERY}/SwapRouter.sol/SwapRouter.json`);
export const ROUTER_02 = published(
  "@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json",
);
export const V3_QUOTER = published(`${V3_PERIPHERY}/lens/QuoterV2.sol/QuoterV2.json`);
export const V3_POSITIONS = published(
  `${V3_PERIPHERY}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`,
);
export const V2_PAIR = published("@uniswap/v2-core/build/UniswapV2Pair.json");
export const V3_POOL = published("@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json");
export const V2_PAIR_ABI = abiOf("@uniswap/v2-core/build/IUniswapV2Pair.json");
export const V3_POOL_ABI = abiOf("@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json");

/** The transaction that creates a published contract. */
export function creation({ abi, bytecode }: Published, args: readonly unknown[] = []) {
  return new ContractFactory(abi, bytecode).getDeployTransaction(...args);
}
