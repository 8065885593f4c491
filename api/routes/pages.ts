/** The pages and the files that they load. They are not in the API's OpenAPI document. */
import { z } from "zod";
import { liveVolumes } from "../../market/queries.ts";
import { replyWith } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
import type { Route } from "../http/route.ts";
import { marketPage } from "../pages/market.ts";
import { createPageRoutes, type PageSpec } from "../pages/page.ts";
import { reportPage } from "../pages/report.ts";
import { statusPage } from "../pages/status.ts";
import { tokenPage } from "../pages/token.ts";
import { route } from "../route.ts";
import type { Service } from "../service.ts";

export function pageRoutes(service: Service): Route<Service>[] {
  const { db, config, now, chain, attestation } = service;
  const deps = {
    ...service,
    attestation: attestation.state,
    // null: the chain or the database does not tell.
    pendingChanges: () => chain.pendingChanges().catch(() => null),
    publicEvidence: config.publicEvidence,
    // Prices of the local world are nobody's.
    pricesAreOpen: service.simulated || config.pagePrices,
    volumes: () => liveVolumes(db, Math.floor(now() / 1_000)),
  };
  const pageRoute = createPageRoutes(deps);
  return [
    pageRoute(marketPage(deps)),
    pageRoute(tokenPage(service)),
    pageRoute(statusPage(deps)),
    pageRoute(reportPage(deps)),
    pageRoute(signPage(service)),
    assetRoute,
  ];
}

/** Which trade is signed, the address says in its fragment alone. */
const signPage = ({ deployment: { guard, registry } }: Service): PageSpec<unknown, unknown> => ({
  path: "/sign",
  name: "sign",
  content: async () => ({ page: { name: "sign", chainId: registry.chainId, guard } }),
});

/** Their names change with their content, so they can be cached forever. */
const assetRoute = route({
  path: "/assets/:name",
  operationId: "asset",
  summary: "A script or a style of the pages",
  tags: ["Pages"],
  auth: "public",
  params: z.object({ name: z.string().max(200) }),
  responses: {},
  async handle({ params, headers }, { webAssets }) {
    const asset = webAssets.file(params.name);
    if (asset === undefined) throw new Problem("not_found", "there is nothing at this path");
    const type = { "Content-Type": asset.contentType };
    return replyWith(asset.finished, headers, "public, max-age=31536000, immutable", type);
  },
});
