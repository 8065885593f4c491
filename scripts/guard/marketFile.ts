/** `assay guard market-file`: holds a market's file against the chain before the service trades by it. */
import { ZeroAddress } from "ethers";
import { z } from "zod";
import { Deployment } from "../../chain/deployment.ts";
import { upstream } from "../../chain/rpc.ts";
import { createLimits } from "../../market/providers/limits.ts";
import { PYTH } from "../../market/providers/pyth.ts";
import { type Connection, withConnection } from "../admin/connect.ts";
import { openRecords } from "../admin/records.ts";
import { ADMIN_OPTIONS, type AdminWorld, adminWorld } from "../admin/world.ts";
import { command, text } from "../command.ts";
import { EXIT, Refused, Unusable } from "../errors.ts";
import { parseJson, readJson } from "../files.ts";
import {
  assetLine,
  feedLines,
  gapLines,
  type Line,
  type MarketReading,
  routeLine,
  tokenLines,
} from "./market.ts";

const MARKS: Readonly<Record<Line["outcome"], string>> = { ok: "  ok   ", fault: "  FAULT", note: "  note " };

export const marketFile = command({
  summary: "Compare a market's file with the chain before the service trades by it; needs no guard",
  options: {
    ...ADMIN_OPTIONS,
    file: text("FILE", "the file; by default <chainId>.market.json of the records"),
  },
  notes: ["Exit code 1 where there is a fault."],
  run: (given, outside) => {
    const world = adminWorld(outside, given);
    return withConnection(world, async (connection) => {
      const file = given.file ?? openRecords(world.deploymentsDir, connection.chainId).path("market.json");
      const deployment = await readMarketFile(file, connection.chainId);
      const lines = await linesOf(world, connection, deployment);
      for (const { outcome, text: line } of lines) world.out(`${MARKS[outcome]} ${line}`);
      const faults = lines.filter(({ outcome }) => outcome === "fault").length;
      world.out(
        faults === 0
          ? `${file} agrees with the chain.`
          : `${faults} fault(s) in ${file}: the service must not trade with it.`,
      );
      return faults === 0 ? EXIT.ok : EXIT.failed;
    });
  },
});

/** As the service would read it. The guard is none of the file's matters. */
async function readMarketFile(file: string, chainId: number): Promise<Deployment> {
  const market = await readJson(file, z.record(z.string(), z.unknown()));
  if (market === null)
    throw new Unusable(`There is no ${file}; deployments/56.market.example.json shows one.`);
  const guardless = { chainId, guard: ZeroAddress, executor: ZeroAddress, deployedAtBlock: 0 };
  return parseJson(file, JSON.stringify({ ...market, ...guardless }), Deployment);
}

async function linesOf(world: AdminWorld, { provider }: Connection, deployment: Deployment): Promise<Line[]> {
  const block = await upstream("block", () => provider.getBlock("latest"));
  if (block === null) throw new Refused("The chain has no block yet.");
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
function catalogueOf(world: AdminWorld): MarketReading["feedIds"] {
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
