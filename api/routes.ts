/** Every route of the API, in the order of the OpenAPI document. */
import type { Route } from "./http/route.ts";
import { a2mcpRoutes } from "./routes/a2mcp.ts";
import { catalogRoutes } from "./routes/catalog.ts";
import { dataRoutes } from "./routes/data.ts";
import { listRoutes } from "./routes/dataLists.ts";
import { publicDataRoutes } from "./routes/dataPublic.ts";
import { discoveryRoutes } from "./routes/discovery.ts";
import { docsRoute } from "./routes/docs.ts";
import { documentsRoute } from "./routes/documents.ts";
import { healthRoutes } from "./routes/health.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { logRoutes } from "./routes/log.ts";
import { openapiRoute } from "./routes/openapi.ts";
import { publishedRoutes } from "./routes/published.ts";
import type { Service } from "./service.ts";

const all = () => ROUTES;

export const ROUTES: readonly Route<Service>[] = [
  ...dataRoutes,
  ...listRoutes,
  ...publicDataRoutes,
  ...a2mcpRoutes,
  ...catalogRoutes,
  ...jobRoutes,
  ...publishedRoutes,
  ...keyRoutes,
  ...healthRoutes,
  ...logRoutes,
  openapiRoute(all),
  docsRoute,
  documentsRoute,
  ...discoveryRoutes(all),
];
