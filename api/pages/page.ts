/** From a page to a route: language, cache, frame, and an answer in words where there is none. */
import type { z } from "zod";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Caches } from "../../chain/caches.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { createCache, type Finished, finish, replyWith } from "../http/cache.ts";
import { Problem, toProblem } from "../http/problems.ts";
import { defineRoute, type Reply, type Route } from "../http/route.ts";
import type { WebAssets } from "./assets.ts";
import { html } from "./html.ts";
import { pathFor, type Reader, readerOf, weighed } from "./language.ts";
import { type Content, layout } from "./layout.ts";
import { pagePolicy } from "./policy.ts";
import FRAME_WORDS from "./words/frame.json" with { type: "json" };

/** As long as the public JSON lives. */
const PAGE_SECONDS = 30;
const PAGES = { name: "pages", lifetimeMs: PAGE_SECONDS * 1_000, maxBytes: 16 * 1024 * 1024 };
/** Pages a minute and address, in shares of what the service allows of public data. */
const LIMIT = { bucket: "pages", times: 5 } as const;

export interface Page<P, Q> {
  /** Express form: `/tokens/:chain/:address`. */
  readonly path: string;
  readonly name: string;
  /** What does not fit names nothing that exists. */
  readonly params?: z.ZodType<P>;
  /** Must accept any query. */
  query?(query: Readonly<Record<string, unknown>>): Q;
  /** Only for requests that accept HTML by name; others receive a 404. */
  readonly browsersAlone?: true;
  /** What tells one content of this page from another; null: it is made anew for each request. */
  key(call: PageCall<P, Q>): string | null;
  /** @throws Problem, DatabaseUnavailable: the reader sees a page that says so */
  content(call: PageCall<P, Q>): Promise<PageContent>;
}

export interface PageCall<P, Q> {
  readonly params: P;
  readonly query: Q;
  readonly reader: Reader;
}

export interface PageContent extends Content {
  /** 200 by default. */
  readonly status?: number;
  /** It lacks what the database would have told: nobody keeps it. */
  readonly degraded?: boolean;
  /** Where the reader is to go instead; a path of ours. */
  readonly redirect?: string;
  /** The query is not to be repeated, not even in a link to this page in another language. */
  readonly withoutQuery?: boolean;
}

export interface PageDeps {
  readonly webAssets: WebAssets;
  readonly simulated: boolean;
  readonly version: string;
  readonly caches: Caches;
  now(): UnixMs;
  /** Where clients find the service, without a slash at its end. */
  publicUrl(): string;
}

/** An answer that is not kept, on its way past the cache. */
class Unkept extends Error {
  readonly answer: PageContent;
  constructor(answer: PageContent) {
    super("not kept");
    this.answer = answer;
  }
}

/** Makes routes of pages; they share one cache. */
export function createPageRoutes(deps: PageDeps) {
  const cache = createCache({ ...deps, ...PAGES });
  const policy = pagePolicy(deps.webAssets.styles);
  const documentOf = (content: PageContent, reader: Reader, asked: string) => {
    const path = content.withoutQuery ? (asked.split("?")[0] ?? "/") : asked;
    return layout(content, { ...deps, assets: deps.webAssets, reader, path, origin: deps.publicUrl() });
  };

  async function reply(finished: Finished, headers: Headers, options: ReplyOptions): Promise<Reply> {
    const { status, cacheControl, reader } = options;
    const answer = await replyWith(finished, headers, cacheControl, headersOf(reader, policy));
    return { ...answer, status };
  }

  async function answer<P, Q>(page: Page<P, Q>, call: PageCall<P, Q>, path: string, headers: Headers) {
    const { reader } = call;
    const key = page.key(call);
    const make = async () => {
      const content = await page.content(call);
      if (content.redirect !== undefined || content.degraded || content.status !== undefined)
        throw new Unkept(content);
      return documentOf(content, reader, path);
    };
    try {
      const full = `${page.name} ${reader.language} ${reader.explicit} ${key}`;
      const finished = key === null ? finish(await make()) : await cache.get(full, make);
      const cacheControl = key === null ? "no-store" : `public, max-age=${PAGE_SECONDS}`;
      return reply(finished, headers, { status: 200, cacheControl, reader });
    } catch (error) {
      const content = error instanceof Unkept ? error.answer : refusal(error, reader);
      if (content.redirect !== undefined) return redirect(pathFor(reader, content.redirect));
      const finished = finish(documentOf(content, reader, path));
      return reply(finished, headers, { status: content.status ?? 200, cacheControl: "no-store", reader });
    }
  }

  return function pageRoute<P, Q>(page: Page<P, Q>): Route {
    return defineRoute<P, Q & object>({
      method: "get",
      path: page.path,
      operationId: page.name,
      summary: page.name,
      tags: ["Pages"],
      auth: "public",
      addressLimit: LIMIT,
      ...(page.params ? { params: page.params } : {}),
      query: anyQuery as unknown as z.ZodType<Q & object>,
      responses: {},
      errors: [],
      async handle({ params, query: raw, headers }) {
        if (page.browsersAlone && !prefersHtml(headers.accept))
          throw new Problem("not_found", "there is nothing at this path");
        const { lang, ...rest } = raw as Record<string, unknown>;
        const query = (page.query?.(rest) ?? {}) as Q;
        const reader = readerOf(lang, headers["accept-language"]);
        return answer(page, { params, query, reader }, pathOf(page.path, params, rest), headers);
      },
    });
  };
}

type Headers = Readonly<Record<string, string | undefined>>;

interface ReplyOptions {
  readonly status: number;
  readonly cacheControl: string;
  readonly reader: Reader;
}

/** Of a query everything is let through: what a page does not know it does not look at. */
const anyQuery = { safeParse: (value: unknown) => ({ success: true, data: value }) };

function redirect(to: string): Reply {
  return { status: 303, body: undefined, headers: { Location: to, "Cache-Control": "no-store" } };
}

/** The path that this call came by, for links to it in another language. */
function pathOf(template: string, params: unknown, query: Record<string, unknown>): string {
  const values = params as Record<string, string>;
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  ).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** A path at which nothing is, as a page for who asks for HTML by name; null: the problem as JSON will do. */
export function missingPage(deps: Omit<PageDeps, "caches" | "now">) {
  const policy = pagePolicy(deps.webAssets.styles);
  return (problem: Problem, asked: string, headers: Headers): Reply | null => {
    if (problem.status !== 404 || !prefersHtml(headers.accept)) return null;
    const reader = readerOf(undefined, headers["accept-language"]);
    const content = refusal(new Problem("not_found", FRAME_WORDS[reader.language].noPage), reader);
    // One slash alone in front: two begin the name of a host.
    const path = asked.replace(/^[/\\]+/, "/");
    const frame = { ...deps, assets: deps.webAssets, reader, path, origin: deps.publicUrl() };
    return {
      status: 404,
      body: Buffer.from(layout(content, frame)),
      headers: { ...headersOf(reader, policy), "Cache-Control": "no-store" },
    };
  };
}

const headersOf = ({ language }: Reader, policy: string) => ({
  Vary: "Accept, Accept-Encoding, Accept-Language",
  "Content-Type": "text/html; charset=utf-8",
  "Content-Language": language,
  "Content-Security-Policy": policy,
});

/** What went wrong, as a page. @throws what is no problem of the caller's or the database's */
function refusal(error: unknown, { language, explicit }: Reader): PageContent {
  if (!(error instanceof Problem) && !isDatabaseUnavailable(error)) throw error;
  const problem = toProblem(error);
  const words = FRAME_WORDS[language];
  const title = problem.status === 404 ? words.notFound : words.failed;
  return {
    title,
    status: problem.status,
    main: html`<section class="sheet"><h1>${title}</h1><p>${language === "en" ? problem.message : problem.status === 404 ? words.noPage : ""}</p><p><a href="${pathFor({ language, explicit }, "/")}">${words.back}</a></p></section>`,
  };
}

/** Whether HTML is asked for by name, and not less than JSON. */
export function prefersHtml(accept = ""): boolean {
  const weights = new Map(weighed(accept).map(({ name, weight }) => [name, weight]));
  const html = weights.get("text/html") ?? 0;
  return html > 0 && html >= (weights.get("application/json") ?? 0);
}
