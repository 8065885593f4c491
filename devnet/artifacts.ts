/**
 * Contracts as they are deployed: those of the DEXes and of Safe as their makers published them, straight from the npm
 * packages; Permit2's code; and ours as they are committed compiled.
 */
import { createRequire } from "node:module";
import { ContractFactory, Interface, type InterfaceAbi, TypedDataEncoder } from "ethers";
import permit2 from "./permit2.json" with { type: "json" };

export interface Published {
  readonly abi: Interface;
  readonly bytecode: string;
}

const load = createRequire(import.meta.url);

function published(path: string): Published {
  const { abi, bytecode } = load(path) as { abi: InterfaceAbi; bytecode: string };
  return { abi: new Interface(abi), bytecode: bytecode.startsWith("0x") ? bytecode : `0x${bytecode}` };
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

const SAFE = "@safe-global/safe-contracts/build/artifacts/contracts";

/** Safe 1.4.1. */
export const SAFE_CONTRACTS = {
  factory: published(`${SAFE}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json`),
  singleton: published(`${SAFE}/SafeL2.sol/SafeL2.json`),
  fallbackHandler: published(
    `${SAFE}/handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json`,
  ),
  multiSend: published(`${SAFE}/libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json`),
};

const ours = (name: string) => published(`../contracts/compiled/${name}.json`);

export const GUARD_DEPLOYMENT = ours("GuardDeployment");
export const LOCAL_AGGREGATOR = ours("LocalAggregator");
export const LOCAL_BATCH = ours("LocalBatch");
export const LOCAL_DOLLAR = ours("LocalDollar");
export const LOCAL_EXACT_PERMIT2_PROXY = ours("LocalExactPermit2Proxy");
export const LOCAL_STOCK = ours("LocalStock");
export const LOCAL_TETHER = ours("LocalTether");

/** What its constructor left in Permit2's code: the chain's id, and the EIP-712 domain of another address there. */
const CACHED_CHAIN = 31_337;
const CACHED_DOMAIN = "d5a17abc3865df5c1400c0299bd4ce2eefc8114aec5f9d3dded1745783e57b98";

/**
 * Permit2's runtime code. The only package that has it is 82 MB, as a constant of a deployment script, so it is kept
 * beside this file, with its source and license. It caches the domain of another address on chain 31337. This replaces it
 * with the address's own, as the constructor would. On any other chain the code computes it anew.
 * @param address where it will be
 */
export function permit2Code(address: string): string {
  const domain = { name: "Permit2", chainId: CACHED_CHAIN, verifyingContract: address };
  return permit2.runtimeCode.replace(CACHED_DOMAIN, TypedDataEncoder.hashDomain(domain).slice(2));
}

/** The transaction that creates a published contract. */
export function creation({ abi, bytecode }: Published, args: readonly unknown[] = []) {
  return new ContractFactory(abi, bytecode).getDeployTransaction(...args);
}
