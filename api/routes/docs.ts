/** GET /docs: the reference page for people. */
import { z } from "zod";
import { optionalText } from "../data/query.ts";
import type { Described } from "../docs/described.ts";
import type { OpenApi } from "../docs/openapi.ts";
import type { CallExamples } from "../docs/operationCall.ts";
import { named } from "../docs/operations.ts";
import { docsContent } from "../docs/page.ts";
import { type Finished, finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { WebAssets } from "../pages/assets.ts";
import { LANGUAGES, type Reader, readerOf } from "../pages/language.ts";
import { layout } from "../pages/layout.ts";
import { pagePolicy } from "../pages/policy.ts";

export interface DocsDeps {
  readonly webAssets: WebAssets;
  readonly simulated: boolean;
  readonly version: string;
  /** Makes the OpenAPI document; asked once a language, with the first request, as is. */
  describe(): OpenApi;
  /** Where clients find the service. */
  baseUrl(): string;
  readonly examples: CallExamples;
}

const PATH = "/docs";

export function docsRoute(deps: DocsDeps): Route {
  const pages = new Map<string, Finished>();
  const policy = pagePolicy(deps.webAssets.styles);
  const pageFor = (reader: Reader): Finished => {
    const key = `${reader.language} ${reader.explicit}`;
    const known = pages.get(key) ?? finish(docsPage(deps, reader));
    pages.set(key, known);
    return known;
  };
  return defineRoute({
    path: PATH,
    ...named("docs"),
    tags: ["Operations"],
    auth: "public",
    query: z.object({
      lang: optionalText("Language of the page; by default the first supported one in Accept-Language", {
        enum: [...LANGUAGES],
      }),
    }),
    lenientQuery: true,
    responses: {
      200: {
        description: "A page that loads nothing from other hosts",
        contentType: "text/html",
        schema: z.string(),
      },
      304: { description: "The client already has this page" },
    },
    async handle({ query, headers }) {
      const reader = readerOf(query.lang, headers["accept-language"]);
      return replyWith(pageFor(reader), headers, "public, max-age=300", {
        Vary: "Accept-Encoding, Accept-Language",
        "Content-Type": "text/html; charset=utf-8",
        "Content-Language": reader.language,
        "Content-Security-Policy": policy,
      });
    },
  });
}

function docsPage(
  { describe, baseUrl, examples, webAssets: assets, simulated, version }: DocsDeps,
  reader: Reader,
): string {
  const document = JSON.parse(JSON.stringify(describe())) as Described;
  const content = docsContent(document, { baseUrl: baseUrl(), examples, reader });
  return layout(content, { assets, reader, path: PATH, simulated, version, origin: baseUrl() });
}
