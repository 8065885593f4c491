/** `guard market-file`: holds a market's file against the chain before the service trades by it. */
import { ZeroAddress } from "ethers";
import { z } from "zod";
import { Deployment } from "../chain/deployment.ts";
import { upstream } from "../chain/rpc.ts";
import { createLimits } from "../market/providers/limits.ts";
import { PYTH } from "../market/providers/pyth.ts";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import { assetLine, type Line, routeLine } from "./market/contracts.ts";
import { feedLines, gapLines, type MarketReading, tokenLines } from "./market/facts.ts";
import { parseJson, readJson } from "./records/files.ts";
import { openRecords } from "./records/records.ts";
import { type Connection, withConnection } from "./session/connect.ts";
import type { AdminContext } from "./session/context.ts";
import { inWords } from "./session/session.ts";

const MARKS: Readonly<Record<Line["outcome"], string>> = { ok: "  ok   ", fault: "  FAULT", note: "  note " };

/**
 * Sends nothing and needs no guard.
 * @param args.file the market's file; `<chainId>.market.json` of the records without it
 * @returns the exit code: 1 where there is a fault
 */
export async function marketFile(
  world: AdminContext,
  args: { file?: string | undefined },
): Promise<ExitCode> {
  return await inWords(world, async () => {
    return await withConnection(world, async (connection) => {
      const file = args.file ?? openRecords(world.deploymentsDir, connection.chainId).path("market.json");
      const deployment = await readMarketFile(file, connection.chainId);
      const lines = await linesOf(world, connection, deployment);
      for (const { outcome, text } of lines) world.print(`${MARKS[outcome]} ${text}`);
      const faults = lines.filter(({ outcome }) => outcome === "fault").length;
      world.print(
        faults === 0
          ? `${file} agrees with the chain.`
          : `${faults} fault(s) in ${file}: the service must not trade with it.`,
      );
      return faults === 0 ? EXIT.ok : EXIT.failed;
    });
  });
}

/** As the service would read it. The guard is none of the file's matters. */
async function readMarketFile(file: string, chainId: number): Promise<Deployment> {
  const market = await readJson(file, z.record(z.string(), z.unknown()));
  if (market === null)
    throw new AdminError(
      "unreadable_file",
      `There is no ${file}; deployments/56.market.example.json shows one.`,
    );
  const guardless = { chainId, guard: ZeroAddress, executor: ZeroAddress, deployedAtBlock: 0 };
  return parseJson(file, JSON.stringify({ ...market, ...guardless }), Deployment);
}

async function linesOf(
  world: AdminContext,
  { provider }: Connection,
  deployment: Deployment,
): Promise<Line[]> {
  const block = await upstream("block", () => provider.getBlock("latest"));
  if (block === null) throw new AdminError("wrong_chain", "The chain has no block yet.");
  const reading: MarketReading = { provider, deployment, block, feedIds: catalogueOf(world) };
  const { assets, routes } = deployment.registry;
  const lines: Line[] = [];
  // One after the other: public nodes count requests.
  for (const asset of assets) {
    lines.push(await assetLine(provider, asset), ...(await feedLines(reading, asset)));
    if (asset.kind === "stock") lines.push(...(await tokenLines(reading, asset)));
  }
  for (const route of routes) lines.push(await routeLine(provider, route, assets));
  return [...lines, ...gapLines(deployment)];
}

/** Pyth's catalog, which needs no key; each name is requested once. */
function catalogueOf(world: AdminContext): MarketReading["feedIds"] {
  const pyth = PYTH.connect({ ...world, limits: createLimits(), lane: "jobs" });
  const asked = new Map<string, ReadonlySet<string> | null>();
  return async (name) => {
    let ids = asked.get(name);
    if (ids === undefined) {
      ids = await pyth.feedIds(name).catch(() => null);
      asked.set(name, ids);
    }
    return ids;
  };
}
