/**
 * The HTTP interface: its routes, and what all responses share.
 *
 * Pages of other origins may only read what needs no key (`http/express.ts`). Keys belong to servers and agents, not to
 * pages in a browser.
 */
import express, { type Express, type NextFunction, type Request, type Response, Router } from "express";
import { describeApi } from "./docs/openapi.ts";
import { mount, type RequestLocals, send, sendProblem } from "./http/express.ts";
import { withoutPort } from "./http/limits.ts";
import { Problem, toProblem } from "./http/problems.ts";
import { mcpRouter } from "./mcp/http.ts";
import { currentRequest, type Logger } from "./metrics/logger.ts";
import { missingPage } from "./pages/page.ts";
import { healthRoutes } from "./routes/health.ts";
import { pageRoutes } from "./routes/pages.ts";
import { siteFileRoutes } from "./routes/siteFiles.ts";
import { verifierRoutes } from "./routes/verifier.ts";
import { ROUTES } from "./routes.ts";
import type { Service } from "./service.ts";

/** The OpenAPI document of every service. @param baseUrl where clients find the one that is meant */
export const openApi = (service: { readonly version: string; readonly baseUrl: string }) =>
  describeApi(ROUTES, service);

/** @returns what a process of its role serves; one that only does background tasks says how it is doing */
export function app(service: Service): Express {
  const { config } = service;
  const http = express();
  http.disable("x-powered-by");
  http.disable("etag");
  http.enable("case sensitive routing");
  http.set("query parser", "simple");
  http.set("trust proxy", config.trustProxy);

  http.use(nameAndLog(service));
  http.use(commonHeaders(service));
  const router = Router({ caseSensitive: true });
  http.use(router);
  const isWorker = config.role === "worker";
  if (isWorker) mount(router, healthRoutes, service);
  else {
    // Guides for people are beside those for programs, whose path takes any name.
    mount(router, [...pageRoutes(service), ...siteFileRoutes, ...verifierRoutes, ...ROUTES], service);
    const { version, publicUrl } = service;
    http.use(mcpRouter(service, () => JSON.stringify(openApi({ version, baseUrl: publicUrl() }))));
  }
  http.use(() => {
    throw new Problem("not_found", "there is nothing at this path");
  });
  http.use(answerError(service.logger, isWorker ? undefined : missingPage(service)));
  return http;
}

const YEAR_SECONDS = 31_536_000;
const SANE_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** A name for the request in answer and log, and one line in the log when it is over. */
function nameAndLog({ logger, newRequestId, monotonic, watches }: Service) {
  const { http } = watches;
  return (request: Request, response: Response, next: NextFunction): void => {
    const offered = request.get("x-request-id");
    const requestId = offered !== undefined && SANE_ID.test(offered) ? offered : newRequestId();
    const locals = response.locals as RequestLocals;
    locals.requestId = requestId;
    locals.address = withoutPort(request.ip) ?? request.socket.remoteAddress;
    response.setHeader("X-Request-Id", requestId);
    const started = monotonic();
    const { method, path } = request;
    http.begun();
    response.once("close", () => {
      const { statusCode: status, writableFinished } = response;
      const [ms, aborted] = [monotonic() - started, !writableFinished];
      const { route = null } = locals;
      http.answered({ method, route, status, aborted, seconds: ms / 1_000 });
      logger.info(
        {
          requestId,
          method,
          path: path.slice(0, 200),
          status,
          ms: Math.round(ms * 10) / 10,
          caller: locals.caller,
          rpc: locals.rpc,
          address: locals.address,
          ...(aborted ? { aborted } : {}),
        },
        "request",
      );
    });
    currentRequest.run({ requestId }, next);
  };
}

function commonHeaders({ publicUrl }: Service) {
  return (request: Request, response: Response, next: NextFunction): void => {
    response.setHeader("Cache-Control", "no-store, private");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    // By a trusted proxy's word, or by the operator's.
    if (request.secure || publicUrl().startsWith("https:"))
      response.setHeader("Strict-Transport-Security", `max-age=${YEAR_SECONDS}`);
    next();
  };
}

/** The page of a path at which nothing is; null: the reader wants none. */
type Missing = ReturnType<typeof missingPage>;

// Express knows an error handler by its four parameters.
function answerError(logger: Logger, missing?: Missing) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const problem = toProblem(error);
    const locals = response.locals as RequestLocals;
    const { requestId } = locals;
    if (problem.code === "internal") logger.error({ requestId, err: error }, "a request failed");
    else if (problem.status === 503)
      logger.warn({ requestId, err: problem.cause ?? error }, "a dependency is unavailable");
    if (response.headersSent) return void response.destroy();
    const isRead = request.method === "GET" || request.method === "HEAD";
    const page = isRead
      ? missing?.(problem, request.path, {
          accept: request.get("accept"),
          "accept-language": request.get("accept-language"),
        })
      : null;
    if (page) send(response, page);
    else sendProblem(response, problem);
  };
}
