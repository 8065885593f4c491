/** Every provider, a line each. */
export { BINANCE } from "./binance.ts";
export { BINANCE_RWA } from "./binanceRwa.ts";
export { CHAINLINK_STREAMS } from "./chainlinkStreams.ts";
export { DEXSCREENER } from "./dexscreener.ts";
export { FINNHUB } from "./finnhub.ts";
export { HYPERLIQUID } from "./hyperliquid.ts";
export { JUPITER } from "./jupiter.ts";
export { KYBERSWAP } from "./kyberswap.ts";
export { PANCAKESWAP } from "./pancakeswap.ts";
export { PYTH } from "./pyth.ts";
export { SOLANA } from "./solana.ts";
export { XSTOCKS } from "./xstocks.ts";
