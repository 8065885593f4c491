/** Prints the OpenAPI document of the checkout that this file stands in: a service without chain, key and market serves it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../api/metrics/logger.ts";
import { startServer } from "../../api/server.ts";
import type { Services } from "../../api/services.ts";
import { parseConfig } from "../../api/settings/config.ts";
import type { Registry } from "../../attestor/registry.ts";
import { assetKeyOf } from "../../attestor/values/primitives.ts";

const CHAIN_ID = 31337;
const at = (digit: string) => `0x${digit.repeat(40)}`;

const asset = (address: string, symbol: string, kind: "stock" | "settlement") => ({
  assetKey: assetKeyOf(CHAIN_ID, address),
  symbol,
  name: symbol,
  kind,
  underlying: kind === "stock" ? "AAPL" : null,
  issuer: "xstocks",
  chainId: CHAIN_ID,
  address,
  decimals: 18,
});

const registry: Registry = {
  version: "openapi",
  chainId: CHAIN_ID,
  assets: [asset(at("1"), "AAPLx", "stock"), asset(at("2"), "USDL", "settlement")],
  routes: [],
};

function servicesWithoutChain(): Services {
  const deployment = { registry, source: "simulated", guard: at("3") };
  return {
    deployment,
    assets: [],
    chain: { deployment, probe: async () => {} },
    // In the paid phase, which has every route.
    jobs: { chain: { deployment }, payments: { challengeProbe: () => ({ members: {} }) } },
    resolveJobToken: async () => null,
    stop: async () => {},
  } as unknown as Services;
}

const folder = mkdtempSync(join(tmpdir(), "assay-openapi-"));
const server = await startServer(
  parseConfig({ DATABASE_URL: `sqlite:${join(folder, "assay.db")}`, DATA_DIR: folder, PORT: "0" }),
  { logger: createLogger({ level: "silent" }), openServices: async () => servicesWithoutChain() },
);
try {
  console.log(await (await fetch(`${server.url}/openapi.json`)).text());
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
