/**
 * `npm run build`: all that tests and the workshop's commands need of a checkout whose packages are installed. Beside
 * what the product needs that is the contracts of the tests.
 */
import { buildOnce, markBuilt } from "../build/buildOnce.ts";
import { ALL_CONTRACTS, CONTRACTS } from "../build/contracts.ts";
import { WEB } from "../build/web.ts";

async function compileAll(): Promise<boolean> {
  if (!(await buildOnce(ALL_CONTRACTS, "Compiling contracts"))) return false;
  markBuilt(CONTRACTS);
  return true;
}

const built = await Promise.all([compileAll(), buildOnce(WEB, "Bundling pages")]);
process.exitCode = built.every(Boolean) ? 0 : 1;
