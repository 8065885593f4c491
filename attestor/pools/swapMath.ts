/** One step of a V3 trade, between two ticks, with the rounding of the core contracts (`SwapMath`, `SqrtPriceMath`). */

const Q96 = 1n << 96n;
const MAX_UINT256 = (1n << 256n) - 1n;
const FEE_UNIT = 1_000_000n;

const roundedUp = (numerator: bigint, denominator: bigint): bigint =>
  (numerator + denominator - 1n) / denominator;

/** Token0 between two prices, raw units. @param up how to round: what comes in up, what goes out down */
function amount0Between(a: bigint, b: bigint, liquidity: bigint, up: boolean): bigint {
  const [lower, upper] = a < b ? [a, b] : [b, a];
  const product = (liquidity << 96n) * (upper - lower);
  return up ? roundedUp(roundedUp(product, upper), lower) : product / upper / lower;
}

/** Token1 between two prices, raw units. */
function amount1Between(a: bigint, b: bigint, liquidity: bigint, up: boolean): bigint {
  const product = liquidity * (a < b ? b - a : a - b);
  return up ? roundedUp(product, Q96) : product / Q96;
}

/** The price after so much of an input, the input's fee already taken off. */
function priceAfterInput(price: bigint, liquidity: bigint, amount: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return price + (amount << 96n) / liquidity;
  const shifted = liquidity << 96n;
  const denominator = shifted + amount * price;
  // The contract counts in 256 bits, and where these do not hold the exact sum it takes a rounder way.
  return denominator <= MAX_UINT256
    ? roundedUp(shifted * price, denominator)
    : roundedUp(shifted, shifted / price + amount);
}

export interface SwapStep {
  /** Square root of the price after the step, times 2^96. */
  readonly price: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

/**
 * @param price square roots of prices, times 2^96; `target` is where the step ends at the latest
 * @param remaining raw units of the input, the fee contained
 * @param fee hundredths of a bip
 */
export function swapStep(
  price: bigint,
  target: bigint,
  liquidity: bigint,
  remaining: bigint,
  fee: bigint,
): SwapStep {
  const zeroForOne = price >= target;
  const between = (end: bigint) =>
    zeroForOne ? amount0Between(end, price, liquidity, true) : amount1Between(price, end, liquidity, true);
  const spendable = (remaining * (FEE_UNIT - fee)) / FEE_UNIT;
  const toTarget = between(target);
  const isReached = spendable >= toTarget;
  const next = isReached ? target : priceAfterInput(price, liquidity, spendable, zeroForOne);
  const amountIn = next === target ? toTarget : between(next);
  const amountOut = zeroForOne
    ? amount1Between(next, price, liquidity, false)
    : amount0Between(price, next, liquidity, false);
  const taken = next === target ? roundedUp(amountIn * fee, FEE_UNIT - fee) : remaining - amountIn;
  return { price: next, amountIn, amountOut, fee: taken };
}
