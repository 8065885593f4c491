/**
 * What tests and the workshop's commands need of a checkout whose packages are installed: all contracts compiled, and the
 * committed builds up to date with their sources. Where CI is set nothing committed is changed: it fails instead.
 */
import { environment } from "../api/settings/environment.ts";
import { buildContracts, buildPages } from "../build/build.ts";
import { buildOnce, ROOT } from "../build/buildOnce.ts";
import { CONTRACTS } from "../build/contracts.ts";
import { outdated } from "../build/sources.mjs";

async function prepare(): Promise<boolean> {
  const { contracts, pages } = outdated(ROOT);
  if (!environment().CI) {
    const compiled = contracts === null ? buildOnce(CONTRACTS, "Compiling contracts") : buildContracts();
    return (await Promise.all([compiled, pages === null || buildPages()])).every(Boolean);
  }
  const reasons = [contracts, pages].filter((reason) => reason !== null);
  for (const reason of reasons) console.error(reason);
  return reasons.length === 0 && (await buildOnce(CONTRACTS, "Compiling contracts"));
}

process.exitCode = (await prepare()) ? 0 : 1;
