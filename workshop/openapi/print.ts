/** Prints the OpenAPI document of this checkout. Documents are compared, so all name one address. */
import { createRoutes } from "../../api/app.ts";
import { describeApi } from "../../api/docs/openapi.ts";
import type { Service } from "../../api/service.ts";
import packageJson from "../../package.json" with { type: "json" };
import { REGISTRY } from "./registry.ts";

const deployment = { registry: REGISTRY };
const caches = { open: () => ({}) };
const service = {
  deployment,
  chain: { deployment },
  config: {},
  keys: {},
  log: {},
  caches,
  webAssets: { styles: {} },
  attestation: {},
};
const routes = createRoutes(service as unknown as Service);
const { version } = packageJson;
console.log(JSON.stringify(describeApi(routes, { version, baseUrl: "https://assay.example.com" })));
