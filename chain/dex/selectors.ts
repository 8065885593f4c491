/** The functions of routers by their selectors. From the published ABIs; the selector is computed, never copied. */
import { FunctionFragment } from "ethers";

const V3_SINGLE =
  "(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)";
const V3_SINGLE_02 =
  "(address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)";

/** Signature, and whose function it is. */
const ROUTER_FUNCTIONS: readonly [string, string][] = [
  [
    "swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "Uniswap V2 router, PancakeSwap V2 router",
  ],
  [
    "swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)",
    "Uniswap V2 router, PancakeSwap V2 router",
  ],
  [
    "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
    "Uniswap V2 router, PancakeSwap V2 router",
  ],
  [`exactInputSingle(${V3_SINGLE} params)`, "Uniswap V3 SwapRouter, PancakeSwap V3 router"],
  [`exactInputSingle(${V3_SINGLE_02} params)`, "Uniswap SwapRouter02, PancakeSwap smart router"],
  [
    "exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params)",
    "Uniswap V3 SwapRouter, PancakeSwap V3 router",
  ],
  [
    "exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params)",
    "Uniswap SwapRouter02, PancakeSwap smart router",
  ],
  [
    "swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)",
    "Uniswap SwapRouter02, PancakeSwap smart router",
  ],
];

/** Functions that move tokens on somebody's word. None of them can be a trade. */
const TOKEN_FUNCTIONS: readonly string[] = [
  "transfer(address to, uint256 amount)",
  "transferFrom(address from, address to, uint256 amount)",
  "approve(address spender, uint256 amount)",
  "increaseAllowance(address spender, uint256 added)",
  "permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "mint(address to, uint256 amount)",
  "burn(uint256 amount)",
  "multicall(bytes[] data)",
];

export interface KnownFunction {
  /** `swapExactTokensForTokens(uint256,uint256,address[],address,uint256)` */
  readonly signature: string;
  /** Whose function it is; null for one of a token or a catch-all, which is never a trade. */
  readonly of: string | null;
}

const KNOWN = new Map<string, KnownFunction>([
  ...ROUTER_FUNCTIONS.map(([text, of]) => entry(text, of)),
  ...TOKEN_FUNCTIONS.map((text) => entry(text, null)),
]);

function entry(text: string, of: string | null): [string, KnownFunction] {
  const fragment = FunctionFragment.from(text);
  return [fragment.selector, { signature: fragment.format("sighash"), of }];
}

/** What function a selector stands for, where it is a known one. */
export function knownFunction(selector: string): KnownFunction | null {
  return KNOWN.get(selector) ?? null;
}

/** `0x38ed1739 swapExactTokensForTokens(…)`, or that the function is not known. */
export function describeSelector(selector: string): string {
  const known = knownFunction(selector);
  return known === null ? `${selector} (a function not known here)` : `${selector} ${known.signature}`;
}

/**
 * A selector from what an admin types: `0x38ed1739`, a whole signature, or the bare name of a known router function
 * that is the only one of its name.
 * @returns null when it is none of these
 */
export function selectorFrom(text: string): string | null {
  if (/^0x[0-9a-fA-F]{8}$/.test(text)) return text.toLowerCase();
  if (text.includes("(")) {
    try {
      return FunctionFragment.from(text).selector;
    } catch {
      return null;
    }
  }
  const named = [...KNOWN].filter(([, { signature, of }]) => of !== null && signature.startsWith(`${text}(`));
  return named.length === 1 ? named[0]![0] : null;
}
