/**
 * The HTTP interface: its routes, and what all responses share.
 *
 * Pages of other origins may only read what needs no key (`http/express.ts`). Keys belong to servers and agents, not to
 * pages in a browser.
 */
import express, { type Express, type NextFunction, type Request, type Response, Router } from "express";
import { liveVolumes } from "../market/queries.ts";
import { pricesOf } from "./discovery/facts.ts";
import { describeApi } from "./docs/openapi.ts";
import { callExamples } from "./docs/operationCall.ts";
import { mount, type RequestLocals, send, sendProblem } from "./http/express.ts";
import { withoutPort } from "./http/limits.ts";
import { Problem, toProblem } from "./http/problems.ts";
import type { Authenticate, Route } from "./http/route.ts";
import { createAuthenticate } from "./keys/authenticate.ts";
import { mcpRouter } from "./mcp/http.ts";
import { createLocalBackends } from "./mcp/local.ts";
import type { Logger } from "./metrics/logger.ts";
import { currentRequest } from "./metrics/logger.ts";
import { missingPage } from "./pages/page.ts";
import { a2mcpRoutes } from "./routes/a2mcp.ts";
import { catalogRoutes } from "./routes/catalog.ts";
import { dataRoutes } from "./routes/data.ts";
import { listRoutes } from "./routes/dataLists.ts";
import { publicDataRoutes } from "./routes/dataPublic.ts";
import { discoveryRoutes } from "./routes/discovery.ts";
import { docsRoute } from "./routes/docs.ts";
import { documentsRoute } from "./routes/documents.ts";
import { type HealthDeps, healthRoutes } from "./routes/health.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { keyRoutes } from "./routes/keys.ts";
import { logRoutes } from "./routes/log.ts";
import { openapiRoute } from "./routes/openapi.ts";
import { pageRoutes } from "./routes/pages.ts";
import { publishedRoutes } from "./routes/published.ts";
import { siteFileRoutes } from "./routes/siteFiles.ts";
import { verifierRoutes } from "./routes/verifier.ts";
import type { Service } from "./service.ts";

/** What the OpenAPI document describes. */
export function createRoutes(service: Service): Route[] {
  const { deployment, caches, now, config, publicUrl, simulated, version } = service;
  const { registry } = deployment;
  const routes = [
    ...dataRoutes(service.answers, service.inputsLimits),
    ...listRoutes(service.answers, service),
    ...publicDataRoutes(service.answers, service.inputsLimits),
    ...a2mcpRoutes(service, service.oneShots),
    ...catalogRoutes({ registry }),
    ...jobRoutes(service, service.waits),
    ...publishedRoutes({
      db: service.db,
      log: service.log,
      caches,
      now,
      publicEvidence: config.publicEvidence,
    }),
    ...keyRoutes({ ...service, settings: config }),
    ...healthRoutes(healthOf(service)),
    ...logRoutes(service.logAnswers),
  ];
  const describe = () => describeApi(all, { version, baseUrl: publicUrl() });
  const facts = () => ({
    baseUrl: publicUrl(),
    version,
    simulated,
    prices: pricesOf(service.payments),
    routes: all,
    verifyInput: service.verifyInput,
    addressLimitPerMinute: config.addressLimitPerMinute,
  });
  const all: Route[] = [
    ...routes,
    openapiRoute(describe),
    docsRoute({
      describe,
      baseUrl: publicUrl,
      examples: callExamples(registry),
      webAssets: service.webAssets,
      simulated,
      version,
    }),
    documentsRoute(publicUrl),
    ...discoveryRoutes(facts),
  ];
  return all;
}

const healthOf = (service: Service): HealthDeps => ({
  ...service,
  attestation: service.attestation.state,
  logKeyFault: () => service.log.signer.fault?.() ?? null,
  pendingChanges: () => service.chain.pendingChanges().catch(() => null),
});

/** What is for people to look at; it reads what the routes above answer, through the same cache. */
function createPages(service: Service): Route[] {
  const { db, config, now, publicUrl } = service;
  const routes = pageRoutes({
    ...service,
    ...healthOf(service),
    data: service,
    publicEvidence: config.publicEvidence,
    volumes: () => liveVolumes(db, Math.floor(now() / 1_000)),
  });
  const files = siteFileRoutes({ securityContact: config.securityContact, publicUrl, now });
  return [...routes, ...files];
}

/** @returns what a process of its role serves; one that only does background tasks says how it is doing */
export function app(service: Service): Express {
  const { config } = service;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");
  app.set("trust proxy", config.trustProxy);

  app.use(nameAndLog(service));
  app.use(commonHeaders(service));
  const mounted = {
    authenticate: createAuthenticate({ ...service, defaultLimitPerMinute: config.keyLimitPerMinute }),
    limits: service.limits,
    keyLimitPerMinute: config.keyLimitPerMinute,
    addressLimitPerMinute: config.addressLimitPerMinute,
  };
  const router = Router({ caseSensitive: true });
  app.use(router);
  const isWorker = config.role === "worker";
  if (isWorker) mount(router, healthRoutes(healthOf(service)), mounted);
  else {
    const routes = createRoutes(service);
    // Guides for people are beside those for programs, whose path takes any name.
    mount(router, [...createPages(service), ...verifierRoutes(service.webAssets), ...routes], mounted);
    app.use(mcp(service, mounted.authenticate, routes));
  }
  app.use(() => {
    throw new Problem("not_found", "there is nothing at this path");
  });
  app.use(answerError(service.logger, isWorker ? undefined : missingPage(service)));
  return app;
}

function mcp(service: Service, authenticate: Authenticate, routes: readonly Route[]): Router {
  const { config, version, publicUrl } = service;
  return mcpRouter({
    ...service,
    authenticate,
    settings: config,
    allowedHosts: config.mcpHosts,
    onSent: (jobId) => void service.payments?.released(jobId),
    backendOf: createLocalBackends({
      jobs: service,
      registry: service.deployment.registry,
      limits: service.limits,
      oneShots: service.oneShots,
      settings: config,
      openapi: () => JSON.stringify(describeApi(routes, { version, baseUrl: publicUrl() })),
    }),
  });
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
