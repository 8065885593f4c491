/** Who is let in, and what routes and pages read alike, so that both say the same and neither asks twice. */

import { timedMemo } from "../market/providers/timedMemo.ts";
import { type MarketStatus, marketStatus } from "../market/status.ts";
import { createDataAnswers } from "./data/answers.ts";
import { createInputsLimits } from "./data/inputsLimits.ts";
import { describeInput } from "./jobs/verifyInput.ts";
import { createJobWaits, pendingJobs } from "./jobs/waits.ts";
import { createAuthenticate } from "./keys/authenticate.ts";
import { createRevocations, revokedKeys } from "./keys/revocations.ts";
import { createLogAnswers } from "./log/serve.ts";
import { logState } from "./log/state.ts";
import type { Service } from "./service.ts";
import { createHealth } from "./status/health.ts";
import { heartbeatsOf } from "./status/heartbeats.ts";
import { createSignedCheck, findParts } from "./status/parts.ts";
import { probesOf } from "./status/probes.ts";

/** Monitors need no fresher status. */
const STATUS_TTL_MS = 15_000;

export type Answering = Pick<
  Service,
  | "authenticate"
  | "answers"
  | "inputsLimits"
  | "logAnswers"
  | "verifyInput"
  | "waits"
  | "revocations"
  | "health"
  | "parts"
  | "marketStatus"
  | "heartbeats"
>;

/** @param service as far as it is open */
export function answering(service: Omit<Service, keyof Answering | "close">): Answering {
  const { config, db, chain, log, caches, assets, now, monotonic } = service;
  const health = createHealth({
    probes: probesOf(db, chain, now),
    logState: () => logState(db),
    now,
    monotonic,
  });
  const checkSigned = chain.probeSigned && createSignedCheck(chain.probeSigned, monotonic);
  const statuses = timedMemo<MarketStatus>(STATUS_TTL_MS, now);
  return {
    authenticate: createAuthenticate({ ...service, defaultLimitPerMinute: config.keyLimitPerMinute }),
    answers: createDataAnswers(service),
    inputsLimits: createInputsLimits(service.limits, config.addressLimitPerMinute),
    logAnswers: createLogAnswers({ db, signer: log.signer, origin: log.origin, caches }),
    verifyInput: describeInput(service.deployment.registry),
    revocations: createRevocations({ revoked: (keyIds) => revokedKeys(db, keyIds) }),
    waits: createJobWaits({ pending: (jobIds) => pendingJobs(db, jobIds), ending: service.ending }),
    health,
    parts: () => findParts({ db, health, checkSigned, collects: service.market !== undefined, now }),
    marketStatus: () => statuses("market", () => marketStatus(db, assets, Math.floor(now() / 1_000))),
    heartbeats: () => heartbeatsOf(db, service.taskNames, now()),
  };
}
