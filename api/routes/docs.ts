/** GET /docs: the reference for people, drawn by a packaged viewer from the OpenAPI document. */
import { z } from "zod";
import { LANGUAGES } from "../../attestor/view/language.ts";
import type { Reader } from "../../web/props.ts";
import { optionalText } from "../data/query.ts";
import { documents } from "../docs/documents.ts";
import { named } from "../docs/operations.ts";
import { type Finished, finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { readerOf } from "../pages/language.ts";
import { documentOf, headersOf, policyWith, type Rendering } from "../pages/page.ts";

const PATH = "/docs";
/** The viewer writes styles itself, so that this page alone lets them in. It gets no other right. */
const POLICY = policyWith("'self' 'unsafe-inline'");

export function docsRoute(deps: Rendering): Route {
  const pages = new Map<string, Finished>();
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
      return replyWith(pageFor(reader), headers, "public, max-age=300", headersOf(reader, POLICY));
    },
  });
}

function docsPage(deps: Rendering, reader: Reader): string {
  const list = [...documents].map(([name, { about }]) => ({ name, about }));
  return documentOf(deps, { name: "docs", viewer: deps.webAssets.viewer, documents: list }, reader, PATH);
}
