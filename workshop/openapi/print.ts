/** Prints the OpenAPI document of this checkout: a service without chain, key and market serves it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../api/metrics/logger.ts";
import { startServer } from "../../api/server.ts";
import type { Services } from "../../api/services.ts";
import { parseConfig } from "../../api/settings/config.ts";
import { registryOfOne } from "./registryOfOne.ts";

const at = (digit: string) => `0x${digit.repeat(40)}`;
const registry = registryOfOne("openapi", at("1"), at("2"));

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
  parseConfig({
    DATABASE_URL: `sqlite:${join(folder, "assay.db")}`,
    DATA_DIR: folder,
    PORT: "0",
    // Releases are compared, so their documents must name one address.
    PUBLIC_URL: "https://assay.example.com",
  }),
  { logger: createLogger({ level: "silent" }), openServices: async () => servicesWithoutChain() },
);
try {
  console.log(await (await fetch(`${server.url}/openapi.json`)).text());
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
