/** Documents that trust.json names: honest ones, and what a service or somebody on the way makes of them. */
import { id } from "ethers";
import { logSigner } from "../../../api/log/key.ts";
import { executorOf } from "../../../attestor/evm/address.ts";
import { type Policy, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { parseRegistry, registryHash } from "../../../attestor/registry.ts";
import { sourceName } from "../../../attestor/sources.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import {
  addressFor,
  copy,
  DOLLAR_KEY,
  GUARD,
  NOW,
  SIGNER,
  withSigner,
} from "../../../test/attestor/fixtures.ts";
import { job } from "./job.ts";
import { ROUTE_CALLS } from "./routeCalls.ts";
import {
  answerOf,
  FORGER,
  FORGERS_KEY,
  failed,
  type Lies,
  liquidityOf,
  type Maker,
  REGISTRY,
  SAMPLES,
} from "./service.ts";

/** STRICT_LIVE with other bounds. */
function lax(change: Partial<Policy["definition"]>): Policy {
  const definition = { ...copy(policyById("STRICT_LIVE").definition), maxSlippageBps: 9_999, ...change };
  return policyOf("as strict as can be", definition);
}
const proofPolicy = (quoteProof: "required" | "optional") =>
  lax({ policyId: "PROOFS", maxSlippageBps: 100, evidence: { ...lax({}).definition.evidence, quoteProof } });
export const REDEFINED = lax({});
export const NEXT = lax({ version: 4 });
export const OWN = lax({ policyId: "MY_DESK", version: 1, maxSlippageBps: 100 });
export const OTHER_OWN = lax({ policyId: "MY_DESK", version: 1 });
export const REQUIRED = proofPolicy("required");
export const OPTIONAL = proofPolicy("optional");

export const OTHER_LOG = logSigner(new Uint8Array(32).fill(1));

function bent(bend: (document: any) => void, lies?: Lies): Maker {
  return async () => {
    const document = await answerOf(lies);
    bend(document);
    return document;
  };
}
const withoutProofs = (policy?: Policy) =>
  bent(({ report }) => delete report.proofs, policy === undefined ? {} : { policy });

/** The least that turns on what the evidence says: without proofs of the state, and without an execution. */
const REPORT_ALONE: Lies = { observed: true, unsigned: true };

/** Forged from nothing: every hash is right, and the key is the forger's. */
const fromNothing = (guard: string): Lies => ({
  observed: true,
  log: "none",
  key: FORGERS_KEY,
  evidence: (evidence) =>
    Object.assign(evidence.guard, {
      address: guard,
      executor: executorOf(guard),
      signer: FORGER,
      attestor: FORGER,
    }),
});

/** On chain 56, where the local world's keys sign nothing: by a policy that can do without signed prices. */
const onMainnet = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll("eip155:31337:", "eip155:56:")
      .replaceAll('"chainId":31337', '"chainId":56'),
  );
export const MAINNET_REGISTRY = parseRegistry(onMainnet(REGISTRY));
const TIMES = ["capturedAt", "blockTimestamp", "publishedAt", "receivedAt", "updatedAt"];

/** @param change of the evidence, after all */
export function inSession(
  state: string,
  source: string,
  at: number,
  change: (evidence: any) => void = () => {},
): Lies {
  const later = (name: string, member: any) => (TIMES.includes(name) ? member + at - NOW : member);
  return {
    ...REPORT_ALONE,
    policy: policyById("EXTENDED_HOURS"),
    evidence(evidence) {
      const moved = JSON.parse(JSON.stringify(onMainnet(evidence)), later);
      Object.assign(evidence, moved, { session: { source, state } });
      evidence.registry.hash = registryHash(MAINNET_REGISTRY);
      for (const reading of evidence.references) Object.assign(reading, { proof: null, signer: null });
      change(evidence);
    },
  };
}
/** Noon in New York on Saturday, 26 September 2026; before the exchange opens on Monday the 21st; on Christmas. */
export const SATURDAY = Date.UTC(2026, 8, 26, 16) / 1_000;
const MORNING = Date.UTC(2026, 8, 21, 12) / 1_000;
const CHRISTMAS = Date.UTC(2026, 11, 25, 16) / 1_000;
/** When the session of `NOW` ends. */
const CLOSE = Date.UTC(2026, 8, 21, 20) / 1_000;

/** All but the last are a month old. */
export const OLD_SAMPLES = {
  ...SAMPLES,
  samples: SAMPLES.samples.map((sample, index) =>
    index === SAMPLES.samples.length - 1 ? sample : { ...sample, sampledAt: sample.sampledAt - 30 * 86_400 },
  ),
};

const ATTACKER = addressFor("an attacker");

/** The report of one judgement with the execution of the sound one. */
function mixed(evidence: (evidence: any) => void): Maker {
  return async () => {
    const document = await answerOf({ evidence });
    const { execution } = await answerOf();
    return { ...document, reportVersion: document.report.version, execution };
  };
}

const ofSchema = (schema: unknown) =>
  bent(({ report }) => {
    report.evidence.schema = schema;
    report.evidenceHash = canonicalHash(report.evidence);
  });

const jobWith = (bend: (job: any) => void) => async () => {
  const given = await job();
  bend(given);
  return given;
};
const closed = ({ session }: any) => (session.state = "closed");
const noRoot = ({ liquidity }: any) => (liquidity.samplesRoot = null);
const anyChange = ({ reports, executions: [trade] }: any) => {
  reports[0].evidenceHash = "anything";
  trade.reportVersion = 1;
  trade.confirmed.evidenceHash = id("version 1");
};

export const DOCUMENTS: Readonly<Record<string, Maker>> = {
  "a sound trade": {},
  "a trade that names no proofs": { observed: true },
  "a report alone": { unsigned: true },
  "a denial": { evidence: closed },
  "a denial in no log": { evidence: closed, log: "none" },
  "a trade kept out of the log": { log: "none", observed: true },
  "a trade in another log": { log: OTHER_LOG },
  "a trade saved at once": bent(({ report }) => (report.log.proof = null)),
  "a report saved at once": bent(({ report }) => (report.log.proof = null), {
    unsigned: true,
  }),

  "a lax policy under a known name": { ...REPORT_ALONE, policy: REDEFINED },
  "a lax policy under the name MY_DESK": { ...REPORT_ALONE, policy: OTHER_OWN },
  "a lax policy by its own name": { ...REPORT_ALONE, policy: NEXT },
  "a lax policy by another name": {
    ...REPORT_ALONE,
    policy: NEXT,
    evidence: ({ policy, intent }) => (policy.policyId = intent.policyId = "MY_DESK"),
  },
  "a trade without its proofs": withoutProofs(),
  "a trade without required proofs": withoutProofs(REQUIRED),
  "a trade without optional proofs": withoutProofs(OPTIONAL),

  "Saturday by another calendar": inSession("regular", "nyse calendar 2026", SATURDAY),
  "Saturday by the exchange": inSession("regular", "NYSE", SATURDAY),
  "Saturday by the calendar": inSession("regular", "nyse-calendar", SATURDAY),
  "Saturday by the calendar in capitals": inSession("overnight", "NYSE-Calendar", SATURDAY),
  "Saturday by the calendar, misspelt": inSession("pre-market", "nyse-\u200bcalendar", SATURDAY),
  "a regular session in the morning": inSession("regular", "nyse-calendar", MORNING),
  "a post-market session in the morning": inSession("post-market", "nyse-calendar", MORNING),
  "a regular session on Christmas": inSession("regular", "nyse-calendar", CHRISTMAS),
  "a session by another calendar": inSession("regular", "nyse-calendar 2026", NOW),
  "a regular session": inSession("regular", "nyse-calendar", NOW),
  "a closure that no calendar foresaw": inSession("closed", "nyse-calendar", NOW),
  "a session that ended a minute ago": inSession("regular", "nyse-calendar", CLOSE + 60),
  "a session that ended three minutes ago": inSession("regular", "nyse-calendar", CLOSE + 180),

  "a session that Pyth does not sign": {
    evidence: ({ references }) => (references[0].signer.session = "regular"),
  },
  "a price by unknown signers": {
    // The routers' set 9.
    evidence: ({ references: [price] }) => {
      price.proof.data = price.proof.data.replace(/^(.{24}).{8}/, "$100000009");
      Object.assign(price, withSigner(price));
    },
  },
  "a price in an unknown format": {
    evidence: ({ references: [price] }) => {
      price.proof = { format: "pyth-lazer", data: "0x01" };
      Object.assign(price, withSigner(price));
    },
  },

  "a grade that names no samples": { ...REPORT_ALONE, facts: noRoot },
  "a grade by samples of another month": {
    ...REPORT_ALONE,
    facts: (facts) => (facts.liquidity = liquidityOf(OLD_SAMPLES)),
  },
  "another token's grade": {
    facts: (facts) => (facts.liquidity = liquidityOf({ ...SAMPLES, assetKey: DOLLAR_KEY })),
  },

  "a forger's trade": fromNothing(addressFor("a guard of the forger's")),
  "a forger's trade for the true guard": fromNothing(GUARD),
  "a forger's trade by the true name": bent(
    ({ execution }) => (execution.certificate.signer = SIGNER.address),
    fromNothing(GUARD),
  ),
  "a trade that another key signed": { key: FORGERS_KEY },

  ...ROUTE_CALLS,

  "an unknown part of the execution": bent(({ execution }) => (execution.laterCall = { to: GUARD })),
  "a signUrl beside the report": bent((document) => (document.signUrl = "https://evil.example")),
  "a signUrl in the report": bent(({ report }) => (report.signUrl = "https://evil.example"), REPORT_ALONE),
  "a signUrl in the execution": bent(({ execution }) => (execution.signUrl = "https://evil.example")),
  "an execution in the report": bent(
    ({ report }) => (report.execution = { guardCall: { to: ATTACKER } }),
    REPORT_ALONE,
  ),
  "a bare report and execution": async () => {
    const { report, execution } = await answerOf();
    return { ...report, execution };
  },
  "a trade without its calls": bent(({ execution }) => {
    for (const call of ["guardCall", "relayedCall", "approval"]) delete execution[call];
    delete execution.certificate.signer;
  }),
  "a trade with the owner's call alone": bent(({ execution }) => {
    Object.assign(execution, { relayedCall: null, approval: null });
  }),
  "a trade whose allowance suffices": bent(({ execution: { approval } }) => {
    Object.assign(approval, { currentAllowance: approval.amount, calls: [] });
  }),
  "an empty execution": bent((document) => (document.execution = {})),
  "a trade while a source failed": {
    observed: true,
    facts({ references, failures }) {
      references.splice(3, 1);
      failures.push(failed(sourceName(REGISTRY.assets[0]!.priceSources[3]!)));
    },
  },
  "the execution of another version": mixed((evidence) => (evidence.reportVersion = 3)),
  "a certificate on a denied report": mixed(closed),
  "a job": job,
  "a job without its execution": jobWith((job) => delete job.execution),
  "a job with anything in other versions": jobWith(anyChange),
  "a job that spent less and brought more": jobWith(({ executions: [trade] }) =>
    Object.assign(trade.confirmed, { amountInRaw: "999999999", amountOutRaw: "4000000000000000000" }),
  ),
  "a job whose trade is not confirmed": jobWith(({ executions: [trade] }) => (trade.confirmed = null)),
  "a job whose list does not say its decision": jobWith(({ reports }) => (reports[1].decision = null)),
  "a job whose list lacks its version": jobWith(({ reports }) => reports.pop()),
  "evidence of an older schema": ofSchema("assay.evidence/1"),
  "evidence of a later schema": ofSchema("assay.evidence/3"),
  "evidence of no schema": ofSchema(null),
};
