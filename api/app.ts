/**
 * The HTTP interface: its routes, and what all responses share.
 *
 * Pages of other origins may only read what needs no key (`http/express.ts`). Keys belong to servers and agents, not to
 * pages in a browser.
 */
import express, { type Express, type NextFunction, type Request, type Response, Router } from "express";
import type { Registry } from "../attestor/registry.ts";
import { liveVolumes } from "../market/queries.ts";
import { createDataAnswers, type DataAnswers, type DataDeps } from "./data/answers.ts";
import { createInputsLimits } from "./data/inputsLimits.ts";
import { pricesOf } from "./discovery/facts.ts";
import { describeApi } from "./docs/openapi.ts";
import { mount, type RequestLocals, send, sendProblem } from "./http/express.ts";
import { type DailyCap, type Limits, withoutPort } from "./http/limits.ts";
import { Problem, toProblem } from "./http/problems.ts";
import type { Route } from "./http/route.ts";
import type { OperationDeps } from "./jobs/operations.ts";
import { describeInput } from "./jobs/verifyInput.ts";
import { createJobWaits, pendingJobs } from "./jobs/waits.ts";
import { type AuthenticateDeps, createAuthenticate } from "./keys/authenticate.ts";
import type { Keys } from "./keys/keys.ts";
import type { LogAnswers } from "./log/answers.ts";
import { mcpRouter } from "./mcp/http.ts";
import { createLocalBackends } from "./mcp/local.ts";
import type { Logger } from "./metrics/logger.ts";
import { currentRequest } from "./metrics/logger.ts";
import type { Watches } from "./metrics/watches.ts";
import type { WebAssets } from "./pages/assets.ts";
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
import type { Config } from "./settings/config.ts";
import { createHealth, type Health, type HealthSources, type Probes } from "./status/health.ts";
import { createSignedCheck, type Found, findParts } from "./status/parts.ts";

type OfHealth =
  | ("attestation" | "logKeyFault" | "marketStatus" | "heartbeats")
  | ("pendingChanges" | "ending" | "clockAheadMs");

export interface AppDeps extends Pick<HealthDeps, OfHealth> {
  readonly version: string;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly keys: Keys;
  readonly limits: Limits;
  readonly oneShots: DailyCap;
  readonly automaticKeys: DailyCap;
  readonly probes: Probes;
  /** Of signed prices; null: nobody is asked for any. */
  readonly probeSigned: (() => Promise<unknown>) | null;
  /** Whether this service collects the market at all. */
  readonly collects: boolean;
  readonly logState: HealthSources["logState"];
  readonly jobs: OperationDeps;
  readonly data: DataDeps;
  readonly logAnswers: LogAnswers;
  /** What the pages load. */
  readonly webAssets: WebAssets;
  readonly resolveJobToken: AuthenticateDeps["resolveJobToken"];
  readonly settings: Pick<
    Config,
    | "keyLimitPerMinute"
    | "keyAutoApproveLimit"
    | "addressLimitPerMinute"
    | "trustProxy"
    | "mcpHosts"
    | "publicEvidence"
    | "securityContact"
  >;
  /** Where clients find the service, without a slash at its end; known when it listens. */
  publicUrl(): string;
  /** A random name for a request without one. */
  newRequestId(): string;
  /** Milliseconds on a clock that never goes back, for durations. */
  monotonic(): number;
  readonly watches: Pick<Watches, "caches" | "http">;
}

/** What JSON and pages both read, so that they say the same and neither asks twice. */
interface Shared {
  readonly answers: DataAnswers;
  readonly health: () => Promise<Health>;
  readonly parts: () => Promise<Found>;
}

function createShared(deps: AppDeps): Shared {
  const { db } = deps.data;
  const now = () => deps.data.now();
  const monotonic = () => deps.monotonic();
  const health = createHealth({ ...deps, now, monotonic });
  const checkSigned = deps.probeSigned && createSignedCheck(deps.probeSigned, monotonic);
  return {
    answers: createDataAnswers(deps.data),
    health,
    parts: () => findParts({ db, health, checkSigned, collects: deps.collects, now }),
  };
}

/** What the OpenAPI document describes. */
export function createRoutes(deps: AppDeps, shared: Shared = createShared(deps)): Route[] {
  const { answers } = shared;
  const inputsLimits = createInputsLimits(deps.limits, deps.settings.addressLimitPerMinute);
  const routes = [
    ...dataRoutes(answers, inputsLimits),
    ...listRoutes(answers, deps.data),
    ...publicDataRoutes(answers, inputsLimits),
    ...a2mcpRoutes(deps.jobs, deps.oneShots),
    ...catalogRoutes(deps),
    ...jobRoutes(deps.jobs, waitsOf(deps)),
    ...publishedRoutes({
      db: deps.data.db,
      log: deps.jobs.log,
      caches: deps.watches.caches,
      now: () => deps.data.now(),
      publicEvidence: deps.settings.publicEvidence,
    }),
    ...keyRoutes(deps),
    ...healthRoutes({ ...deps, ...shared }),
    ...logRoutes(deps.logAnswers),
  ];
  const describe = () => describeApi(all, { version: deps.version, baseUrl: deps.publicUrl() });
  const facts = () => ({
    baseUrl: deps.publicUrl(),
    version: deps.version,
    simulated: deps.data.simulated,
    prices: pricesOf(deps.jobs.payments),
    routes: all,
    verifyInput: describeInput(deps.registry),
    addressLimitPerMinute: deps.settings.addressLimitPerMinute,
  });
  const all: Route[] = [
    ...routes,
    openapiRoute(describe),
    docsRoute({
      webAssets: deps.webAssets,
      simulated: deps.data.simulated,
      version: deps.version,
      publicUrl: () => deps.publicUrl(),
    }),
    documentsRoute(() => deps.publicUrl()),
    ...discoveryRoutes(facts),
  ];
  return all;
}

const waitsOf = ({ data, ending }: AppDeps) =>
  createJobWaits({ pending: (jobIds) => pendingJobs(data.db, jobIds), ending });

/** What is for people to look at; it reads what the routes above answer, through the same cache. */
function createPages(deps: AppDeps, shared: Shared): Route[] {
  const { data, watches, settings, jobs } = deps;
  const routes = pageRoutes({
    ...{ ...shared, ...deps, db: data.db, assets: data.assets, simulated: data.simulated },
    caches: watches.caches,
    publicEvidence: settings.publicEvidence,
    publicUrl: () => deps.publicUrl(),
    // Figures of the local world are nobody's.
    pricesAreOpen: data.simulated,
    volumes: () => liveVolumes(data.db, Math.floor(data.now() / 1_000)),
    log: jobs.log,
    deployment: jobs.chain.deployment,
    now: () => data.now(),
  });
  const files = siteFileRoutes({
    securityContact: settings.securityContact,
    publicUrl: () => deps.publicUrl(),
    now: () => data.now(),
  });
  return [...routes, ...files];
}

/** What all responses share. @param mountOn mounts the routes between */
function appWith(deps: AppDeps, mountOn: (app: Express) => void, missing?: Missing): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");
  app.set("trust proxy", deps.settings.trustProxy);

  app.use(nameAndLog(deps));
  app.use(commonHeaders(deps));
  mountOn(app);
  app.use(() => {
    throw new Problem("not_found", "there is nothing at this path");
  });
  app.use(answerError(deps.logger, missing));
  return app;
}

/** Of a process that serves nobody: how it is doing, and nothing else. */
export function createWorkerApp(deps: AppDeps): Express {
  return appWith(deps, (app) => {
    const router = Router({ caseSensitive: true });
    mount(router, healthRoutes({ ...deps, ...createShared(deps) }), mounting(deps));
    app.use(router);
  });
}

export function createApp(deps: AppDeps): Express {
  const missing = missingPage({ ...deps, simulated: deps.data.simulated, publicUrl: () => deps.publicUrl() });
  return appWith(deps, (app) => mountAll(app, deps), missing);
}

function mounting(deps: AppDeps) {
  const { settings, limits } = deps;
  return {
    authenticate: createAuthenticate({
      ...deps,
      caches: deps.watches.caches,
      defaultLimitPerMinute: settings.keyLimitPerMinute,
    }),
    limits,
    keyLimitPerMinute: settings.keyLimitPerMinute,
    addressLimitPerMinute: settings.addressLimitPerMinute,
  };
}

function mountAll(app: Express, deps: AppDeps): void {
  const shared = createShared(deps);
  const routes = createRoutes(deps, shared);
  const mounted = mounting(deps);
  const { authenticate } = mounted;
  const router = Router({ caseSensitive: true });
  // Guides for people are beside those for programs, whose path takes any name.
  mount(router, [...createPages(deps, shared), ...verifierRoutes(deps.webAssets), ...routes], mounted);
  app.use(router);
  app.use(
    mcpRouter({
      ...deps,
      authenticate,
      allowedHosts: deps.settings.mcpHosts,
      onSent: (jobId) => void deps.jobs.payments?.released(jobId),
      backendOf: createLocalBackends({
        ...deps,
        ...shared,
        openapi: () =>
          JSON.stringify(describeApi(routes, { version: deps.version, baseUrl: deps.publicUrl() })),
      }),
    }),
  );
}

const YEAR_SECONDS = 31_536_000;
const SANE_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** A name for the request in answer and log, and one line in the log when it is over. */
function nameAndLog({ logger, newRequestId, monotonic, watches }: AppDeps) {
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

function commonHeaders({ publicUrl }: AppDeps) {
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
