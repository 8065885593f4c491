/** Prints the OpenAPI document of this checkout: a service without chain, key and market serves it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../api/metrics/logger.ts";
import { startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import { DEPLOYMENT, servicesWithoutChain } from "./withoutChain.ts";

/** In the paid phase, which has every route. */
const jobs = {
  chain: { deployment: DEPLOYMENT },
  payments: { challengeProbe: () => ({ members: {} }) },
};

const folder = mkdtempSync(join(tmpdir(), "assay-openapi-"));
const server = await startServer(
  parseConfig({
    DATABASE_URL: `sqlite:${join(folder, "assay.db")}`,
    DATA_DIR: folder,
    PORT: "0",
    // Documents are compared, so they must name one address.
    PUBLIC_URL: "https://assay.example.com",
  }),
  {
    logger: createLogger({ level: "silent" }),
    openServices: async () => servicesWithoutChain({ jobs }),
  },
);
try {
  console.log(await (await fetch(`${server.url}/openapi.json`)).text());
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
