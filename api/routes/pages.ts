/** The pages and the files that they load. They are not in the API's OpenAPI document. */
import { z } from "zod";
import type { DataDeps } from "../data/answers.ts";
import { named } from "../docs/operations.ts";
import { replyWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { WebAssets } from "../pages/assets.ts";
import { type MarketDeps, marketPage } from "../pages/market.ts";
import { createPageRoutes, type PageDeps } from "../pages/page.ts";
import { type ReportPageDeps, reportPage } from "../pages/report.ts";
import { signPage } from "../pages/sign.ts";
import { type StatusDeps, statusPage } from "../pages/status.ts";
import { tokenPage } from "../pages/token.ts";

export interface PageRouteDeps extends PageDeps, MarketDeps, StatusDeps, ReportPageDeps {
  readonly data: DataDeps;
}

export function pageRoutes(deps: PageRouteDeps): Route[] {
  const pageRoute = createPageRoutes(deps);
  return [
    pageRoute(marketPage(deps)),
    pageRoute(tokenPage(deps.data)),
    pageRoute(statusPage(deps)),
    pageRoute(reportPage(deps)),
    pageRoute(signPage(deps.deployment)),
    assetRoute(deps.webAssets),
  ];
}

/** Their names change with their content, so they can be cached forever. */
function assetRoute(assets: WebAssets): Route {
  return defineRoute({
    path: "/assets/:name",
    ...named("asset"),
    tags: ["Pages"],
    auth: "public",
    params: z.object({ name: z.string().max(200) }),
    responses: {},
    async handle({ params, headers }) {
      const asset = assets.file(params.name);
      if (asset === undefined) throw new Problem("not_found", "there is nothing at this path");
      const type = { "Content-Type": asset.contentType };
      return replyWith(asset.finished, headers, "public, max-age=31536000, immutable", type);
    },
  });
}
