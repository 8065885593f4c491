/**
 * Compiles the product's contracts and bundles what the pages run in the browser, side by side, each when something
 * changed since the last time. Asking Hardhat would do, too, but takes over a second at each start.
 */
import { buildOnce } from "./buildOnce.ts";
import { CONTRACTS } from "./contracts.ts";
import { WEB } from "./web.ts";

const built = await Promise.all([
  buildOnce(CONTRACTS, "2/3 Compiling contracts"),
  buildOnce(WEB, "3/3 Bundling pages"),
]);
process.exitCode = built.every(Boolean) ? 0 : 1;
