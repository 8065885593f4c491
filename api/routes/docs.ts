/** GET /docs: the reference page for people. */
import { z } from "zod";
import { optionalText } from "../data/query.ts";
import type { Described } from "../docs/described.ts";
import { describeApi } from "../docs/openapi.ts";
import { callExamples } from "../docs/operationCall.ts";
import { docsContent } from "../docs/page.ts";
import { type Finished, finish, replyWith } from "../http/cache.ts";
import type { Route } from "../http/route.ts";
import { LANGUAGES, type Reader, readerOf } from "../pages/language.ts";
import { layout } from "../pages/layout.ts";
import { pagePolicy } from "../pages/policy.ts";
import { once, route } from "../route.ts";
import type { Service } from "../service.ts";

const PATH = "/docs";
/** Made with the first request in a language. */
const pages = once(() => new Map<string, Finished>());

/** @param routes all that the page describes */
export function docsRoute(routes: () => readonly Route[]) {
  const pageFor = (service: Service, reader: Reader): Finished => {
    const key = `${reader.language} ${reader.explicit}`;
    const known = pages(service).get(key) ?? finish(docsPage(routes(), service, reader));
    pages(service).set(key, known);
    return known;
  };
  return route({
    path: PATH,
    operationId: "docs",
    summary: "This reference, for people to read",
    description:
      "The OpenAPI document in HTML, with an example of each request. `lang=zh` gives the frame in Chinese.",
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
    async handle({ query, headers }, service) {
      const reader = readerOf(query.lang, headers["accept-language"]);
      return replyWith(pageFor(service, reader), headers, "public, max-age=300", {
        Vary: "Accept-Encoding, Accept-Language",
        "Content-Type": "text/html; charset=utf-8",
        "Content-Language": reader.language,
        "Content-Security-Policy": pagePolicy(service.webAssets.styles),
      });
    },
  });
}

function docsPage(routes: readonly Route[], service: Service, reader: Reader): string {
  const { webAssets: assets, simulated, version, deployment } = service;
  const origin = service.publicUrl();
  const document = JSON.parse(JSON.stringify(describeApi(routes, { version, baseUrl: origin }))) as Described;
  const examples = callExamples(deployment.registry);
  const content = docsContent(document, { baseUrl: origin, examples, reader });
  return layout(content, { assets, reader, path: PATH, simulated, version, origin });
}
