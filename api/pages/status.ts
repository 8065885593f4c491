/** /status: what works at this moment. */
import type { PendingChange } from "../../attestor/evidence/facts.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { nullIfAway } from "../../database/errors.ts";
import type { MarketStatus } from "../../market/status.ts";
import type { StatusPage } from "../../web/props.ts";
import type { AttestationState } from "../attestation/keys.ts";
import type { Health } from "../status/health.ts";
import { type Heartbeat, isAway } from "../status/heartbeats.ts";
import { type Found, ROUND_SECONDS } from "../status/parts.ts";
import type { PageSpec } from "./page.ts";

export interface StatusDeps {
  readonly parts: () => Promise<Found>;
  readonly health: () => Promise<Health>;
  readonly attestation: () => AttestationState;
  readonly marketStatus: () => Promise<MarketStatus>;
  readonly heartbeats: () => Promise<readonly Heartbeat[]>;
  readonly pendingChanges: () => Promise<readonly PendingChange[] | null>;
  now(): UnixMs;
}

export function statusPage(deps: StatusDeps): PageSpec<unknown, unknown> {
  return {
    path: "/status",
    name: "status",
    async content() {
      const [health, parts, market, heartbeats, changes] = await Promise.all([
        deps.health(),
        deps.parts(),
        deps.marketStatus().catch(nullIfAway),
        deps.heartbeats().catch(nullIfAway),
        deps.pendingChanges(),
      ]);
      const { signer, waiting } = deps.attestation();
      const { log } = health;
      return {
        isDegraded: market === null,
        page: {
          name: "status",
          now: Math.floor(deps.now() / 1_000),
          parts: partsOf(health, parts, market),
          tasks: (heartbeats ?? []).map((heartbeat) => ({
            name: heartbeat.task,
            ago: heartbeat.heartbeatAgo,
            isAway: isAway(heartbeat),
          })),
          log,
          logFault: log?.refused ?? log?.fault ?? null,
          signer,
          nextSigner: waiting,
          changes: changes ?? [],
          market,
        },
      };
    },
  };
}

/** Signed prices and providers are parts only where somebody asks for them. */
function partsOf(health: Health, parts: Found, market: MarketStatus | null): StatusPage["parts"] {
  const { checks, log } = health;
  const round = market?.round ?? null;
  const known = (name: string) => ({ name, works: parts.get(name) ?? null });
  const optional = [...parts.keys()].filter((name) => name.startsWith("provider/"));
  return [
    { name: "database", works: checks.database === "up" },
    { name: "chain", works: checks.chain === "up" },
    { name: "log", works: log === null ? null : (log.refused ?? log.fault) === null },
    ...(parts.has("signedPrices") ? [known("signedPrices")] : []),
    known("watcher"),
    round === null ? known("collector") : { name: "collector", works: round.endedAgo <= ROUND_SECONDS },
    ...optional.map(known),
  ];
}
