/** GET /docs: the reference for people, drawn by a packaged viewer from the OpenAPI document. */
import { z } from "zod";
import { LANGUAGES } from "../../attestor/view/language.ts";
import type { Reader } from "../../web/props.ts";
import { optionalText } from "../data/query.ts";
import { documents } from "../docs/documents.ts";
import { type Finished, finish, replyWith } from "../http/cache.ts";
import { readerOf } from "../pages/language.ts";
import { documentOf, headersOf, policyWith } from "../pages/page.ts";
import { once, route } from "../route.ts";
import type { Service } from "../service.ts";

const PATH = "/docs";
/** The viewer writes styles itself, so that this page alone lets them in. It gets no other right. */
const POLICY = policyWith("'self' 'unsafe-inline'");
/** Made with the first request in a language. */
const pages = once(() => new Map<string, Finished>());

export const docsRoute = route({
  path: PATH,
  operationId: "docs",
  summary: "This reference, for people to read",
  description:
    "The OpenAPI document, drawn by a viewer that sends requests, too. `lang=zh` gives the frame in Chinese.",
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
    const key = `${reader.language} ${reader.explicit}`;
    const page = pages(service).get(key) ?? finish(docsPage(service, reader));
    pages(service).set(key, page);
    return replyWith(page, headers, "public, max-age=300", headersOf(reader, POLICY));
  },
});

function docsPage(service: Service, reader: Reader): string {
  const list = [...documents].map(([name, { about }]) => ({ name, about }));
  const { viewer } = service.webAssets;
  return documentOf(service, { name: "docs", viewer, documents: list }, reader, PATH);
}
