/** The router functions that the service calls, read from their call data; without any ABI but these three. */
import { id } from "../evm/hash.ts";
import { WordReader } from "../evm/words.ts";

const selectorOf = (signature: string) => id(signature).slice(0, 10);

const V2_ARGUMENTS = ["uint256", "uint256", "address[]", "address", "uint256"];
const V3_ARGUMENTS = "(address,address,uint24,address,uint256,uint256,uint256,uint160)";
const V3_ARGUMENTS_02 = "(address,address,uint24,address,uint256,uint256,uint160)";

/** `swapExactTokensForTokens` of V2 routers: any path, fees that the pools fix. */
const V2_SELECTOR = selectorOf(`swapExactTokensForTokens(${V2_ARGUMENTS.join(",")})`);
/** `exactInputSingle` of V3 routers, with and without a deadline: one pool, whose fee tier the call names. */
const V3_SELECTOR = selectorOf(`exactInputSingle(${V3_ARGUMENTS})`);
const V3_SELECTOR_02 = selectorOf(`exactInputSingle(${V3_ARGUMENTS_02})`);

/** What pools of V2 take for good, in hundredths of a bip: PancakeSwap's and Uniswap's. */
const V2_FEES = [2_500, 3_000];

export interface RouteCall {
  /** Tokens from input to output, EIP-55. */
  readonly path: readonly string[];
  /** Fee tiers that the call names; null where the pools fix them. */
  readonly fees: readonly number[] | null;
  /** Raw units, decimal. */
  readonly amountIn: string;
  /** The address that receives the output. */
  readonly recipient: string;
}

/** @returns null for another function, or for call data that does not decode */
export function decodeRouteCall(data: string): RouteCall | null {
  const selector = data.slice(0, 10);
  const body = `0x${data.slice(10)}`;
  try {
    if (selector === V2_SELECTOR) {
      const reader = new WordReader(body);
      const [amountIn, path, recipient] = [reader.uint(0), reader.addresses(2), reader.address(3)];
      reader.uint(V2_ARGUMENTS.length - 1);
      return { path, fees: null, amountIn: String(amountIn), recipient };
    }
    if (selector === V3_SELECTOR || selector === V3_SELECTOR_02) {
      const reader = new WordReader(body);
      const after = selector === V3_SELECTOR ? 5 : 4; // The deadline stands before the amounts.
      const path = [reader.address(0), reader.address(1)];
      const fee = Number(BigInt.asUintN(24, reader.uint(2)));
      const [recipient, amountIn] = [reader.address(3), reader.uint(after)];
      reader.uint(after + 2);
      return { path, fees: [fee], amountIn: String(amountIn), recipient };
    }
  } catch {
    // Call data that ends too early, or names no address where one belongs.
  }
  return null;
}

/**
 * Whether a path and its fees are such as a function of this selector trades.
 * @param fees hundredths of a bip, one a hop; empty where the pools fix them
 */
export function fitsRoute(selector: string, path: readonly string[], fees: readonly number[]): boolean {
  const hops = path.length - 1;
  if (new Set(path).size !== path.length) return false;
  if (selector === V3_SELECTOR || selector === V3_SELECTOR_02)
    return hops === 1 && fees.length === 1 && fees.every((fee) => fee > 0);
  if (fees.length !== 0 && fees.length !== hops) return false;
  return selector !== V2_SELECTOR || fees.every((fee) => V2_FEES.includes(fee));
}
