/** Every migration by name, in order. Never change one that was released: add another. */
import { type OurMigration, recording } from "../recording.ts";
import * as keysAndSamples from "./0001_keys_and_samples.ts";
import * as jobs from "./0002_jobs.ts";
import * as market from "./0003_market.ts";
import * as payments from "./0004_payments.ts";
import * as health from "./0005_health.ts";
import * as boundedWork from "./0006_bounded_work.ts";
import * as witnesses from "./0007_witnesses.ts";
import * as policyVersions from "./0009_policy_versions.ts";
import * as cadence from "./0010_cadence.ts";
import * as proofs from "./0011_proofs.ts";
import * as decisionLog from "./0012_decision_log.ts";
import * as method from "./0014_method.ts";
import * as status from "./0015_status.ts";
import * as plainNames from "./0016_plain_names.ts";
import * as signIns from "./0018_sign_ins.ts";
import * as refunds from "./0019_refunds.ts";
import * as compatibility from "./0020_compatibility.ts";
import * as leaseEpochs from "./0021_lease_epochs.ts";
import * as partitions from "./0022_partitions.ts";

export const MIGRATIONS: Record<string, OurMigration> = recording({
  "0001_keys_and_samples": keysAndSamples,
  "0002_jobs": jobs,
  "0003_market": market,
  "0004_payments": payments,
  "0005_health": health,
  "0006_bounded_work": boundedWork,
  "0007_witnesses": witnesses,
  "0009_policy_versions": policyVersions,
  "0010_cadence": cadence,
  "0011_proofs": proofs,
  "0012_decision_log": decisionLog,
  "0014_method": method,
  "0015_status": status,
  "0016_plain_names": plainNames,
  "0018_sign_ins": signIns,
  "0019_refunds": refunds,
  "0020_compatibility": compatibility,
  "0021_lease_epochs": leaseEpochs,
  "0022_partitions": partitions,
});
