/** From a page's values to an answer: language, cache, policy, and a page in words where there is none. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Caches } from "../../chain/caches.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { type Page, pathFor, type Reader } from "../../web/props.ts";
import { createCache, type Finished, finish, replyWith } from "../http/cache.ts";
import { Problem, toProblem } from "../http/problems.ts";
import { defineRoute, type Reply, type Route } from "../http/route.ts";
import type { WebAssets } from "./assets.ts";
import { readerOf, weighed } from "./language.ts";

/** As long as the public JSON lives. */
const PAGE_SECONDS = 30;
const PAGES = { name: "pages", lifetimeMs: PAGE_SECONDS * 1_000, maxBytes: 16 * 1024 * 1024 };
/** Pages a minute and address, in shares of what the service allows of public data. */
const LIMIT = { bucket: "pages", times: 5 } as const;

export interface PageSpec<P, Q> {
  /** Express form: `/tokens/:symbol`. */
  readonly path: string;
  readonly name: string;
  /** What does not fit names nothing that exists. */
  readonly params?: z.ZodType<P>;
  /** Must accept any query. */
  query?(query: Readonly<Record<string, unknown>>): Q;
  /** Only for requests that accept HTML by name; others receive a 404. */
  readonly browsersAlone?: true;
  /** @throws Problem, DatabaseUnavailable: the reader sees a page that says so */
  content(call: PageCall<P, Q>): Promise<PageContent>;
}

export interface PageCall<P, Q> {
  readonly params: P;
  readonly query: Q;
}

export type PageContent =
  | {
      readonly page: Page;
      /** 200 by default. */
      readonly status?: number;
      /** It lacks what the database would have told: nobody keeps it. */
      readonly isDegraded?: boolean;
    }
  /** Where the reader is to go instead: a path of ours. */
  | { readonly redirect: string };

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

type Headers = Readonly<Record<string, string | undefined>>;

interface ReplyOptions {
  readonly status: number;
  readonly cacheControl: string;
  readonly reader: Reader;
}

/** Makes routes of pages; they share one cache. */
export function createPageRoutes(deps: PageDeps) {
  const cache = createCache({ ...deps, ...PAGES });
  const policy = policyOf(deps.webAssets.style);

  async function reply(finished: Finished, headers: Headers, options: ReplyOptions): Promise<Reply> {
    const { status, cacheControl, reader } = options;
    return { ...(await replyWith(finished, headers, cacheControl, headersOf(reader, policy))), status };
  }

  async function answer<P, Q>(spec: PageSpec<P, Q>, call: PageCall<P, Q>, place: Place): Promise<Reply> {
    const { reader, path, headers } = place;
    const make = async () => {
      const content = await spec.content(call);
      if ("redirect" in content || content.isDegraded || content.status !== undefined)
        throw new Unkept(content);
      return documentOf(deps, content.page, reader, path);
    };
    try {
      const key = JSON.stringify([spec.name, reader, call]);
      const finished = await cache.get(key, make);
      const cacheControl = `public, max-age=${PAGE_SECONDS}`;
      return reply(finished, headers, { status: 200, cacheControl, reader });
    } catch (error) {
      // Programs get the problem itself.
      if (!(error instanceof Unkept) && !prefersHtml(headers.accept)) throw error;
      const content = error instanceof Unkept ? error.answer : refusal(error);
      if ("redirect" in content) return redirect(pathFor(reader, content.redirect));
      const finished = finish(documentOf(deps, content.page, reader, path));
      return reply(finished, headers, { status: content.status ?? 200, cacheControl: "no-store", reader });
    }
  }

  return function pageRoute<P, Q>(spec: PageSpec<P, Q>): Route {
    return defineRoute<P, Q & object>({
      method: "get",
      path: spec.path,
      operationId: spec.name,
      summary: spec.name,
      tags: ["Pages"],
      auth: "public",
      addressLimit: LIMIT,
      ...(spec.params ? { params: spec.params } : {}),
      query: anyQuery as unknown as z.ZodType<Q & object>,
      responses: {},
      errors: [],
      async handle({ params, query: raw, headers }) {
        if (deps.webAssets.renderer === null || (spec.browsersAlone && !prefersHtml(headers.accept)))
          throw new Problem("not_found", "there is nothing at this path");
        const { lang, ...rest } = raw as Record<string, unknown>;
        const query = (spec.query?.(rest) ?? {}) as Q;
        const reader = readerOf(lang, headers["accept-language"]);
        return answer(spec, { params, query }, { reader, path: pathOf(spec.path, params, rest), headers });
      },
    });
  };
}

/** Of a request: who reads, at which path. */
interface Place {
  readonly reader: Reader;
  readonly path: string;
  readonly headers: Headers;
}

/** Of a query everything is let through: what a page does not know it does not look at. */
const anyQuery = { safeParse: (value: unknown) => ({ success: true, data: value }) };

export type Rendering = Pick<PageDeps, "webAssets" | "simulated" | "version" | "publicUrl">;

/** @throws Problem where no renderer is built */
export function documentOf(deps: Rendering, page: Page, reader: Reader, path: string): string {
  const { renderer, style, entry } = deps.webAssets;
  if (renderer === null) throw new Problem("not_found", "there is nothing at this path");
  const { simulated, version } = deps;
  const origin = deps.publicUrl();
  return renderer.render(page, { ...reader, path, simulated, version, origin, style, entry });
}

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
export function missingPage(deps: Rendering) {
  return (problem: Problem, asked: string, headers: Headers): Reply | null => {
    if (problem.status !== 404 || deps.webAssets.renderer === null || !prefersHtml(headers.accept))
      return null;
    const reader = readerOf(undefined, headers["accept-language"]);
    // One slash alone in front: two begin the name of a host.
    const path = asked.replace(/^[/\\]+/, "/");
    const page: Page = { name: "refused", status: 404, detail: "" };
    return {
      status: 404,
      body: Buffer.from(documentOf(deps, page, reader, path)),
      headers: { ...headersOf(reader, policyOf(deps.webAssets.style)), "Cache-Control": "no-store" },
    };
  };
}

export const headersOf = ({ language }: Reader, policy: string): Record<string, string> => ({
  Vary: "Accept, Accept-Encoding, Accept-Language",
  "Content-Type": "text/html; charset=utf-8",
  "Content-Language": language,
  "Content-Security-Policy": policy,
});

/** What a page may load: its own scripts, style and answers, and nothing of anybody else. @param style of the page itself */
const policyOf = (style: string): string =>
  policyWith(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);

/** @param styles where styles may come from */
export const policyWith = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** What went wrong, as a page. @throws what is no problem of the caller's or the database's */
function refusal(error: unknown): PageContent {
  if (!(error instanceof Problem) && !isDatabaseUnavailable(error)) throw error;
  const { status, message } = toProblem(error);
  return { page: { name: "refused", status, detail: message }, status };
}

/** Whether HTML is asked for by name, and not less than JSON. */
export function prefersHtml(accept = ""): boolean {
  const weights = new Map(weighed(accept).map(({ name, weight }) => [name, weight]));
  const html = weights.get("text/html") ?? 0;
  return html > 0 && html >= (weights.get("application/json") ?? 0);
}
