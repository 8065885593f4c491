/** Steps `issuer` and `chain`: why the reader trusts who signed. */
import { executorOf } from "../../../attestor/evm/address.ts";
import { POLICIES } from "../../../attestor/policies/policy.ts";
import { addressFor, GUARD, SIDES, SIGNER } from "../../../test/attestor/fixtures.ts";
import { changed, type Row, rowsByReader, rowsOfBends } from "./rows.ts";
import { answerOf, type Bend, type Changes, FORGER, FORGERS_KEY, jobOf } from "./service.ts";

/** Forged from nothing: every hash is right, and the key is the forger's. */
const fromNothing = (guard: string): Changes => ({
  knows: "observed",
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

const closed: Bend = ({ session }) => (session.state = "closed");

/** LAST_CLOSE denies a trade a day before a split. */
const withoutChange: Bend = ({ token }) => (token.announcement.change = null);

const soundRows = [...POLICIES.values()].flatMap((policy) =>
  SIDES.flatMap((side) =>
    rowsByReader({
      [`a prepared ${side} by ${policy.definition.policyId} ${policy.definition.version}`]: [
        { knows: "observed", log: "none", policy, side, facts: withoutChange },
        { "the guard and the key": "VALID, strictly UNVERIFIABLE" },
      ],
    }),
  ),
);

export const ISSUER_ROWS: readonly Row[] = [
  ...soundRows,
  ...rowsByReader({
    "a prepared buy with limits": [
      {
        knows: "observed",
        intent(intent) {
          intent.limits = {
            maxPremiumBps: 60,
            maxImpactBps: 30,
            minAmountOutRaw: "3900000000000000000",
            maxReferenceAgeSeconds: 30,
          };
        },
      },
      "VALID",
    ],
    "a sound trade": [
      {},
      {
        "the key in lower case": "VALID",
        "another key": "INVALID issuer signer_other",
        "a record": "VALID, strictly UNVERIFIABLE state block_of_proof",
        "a record, and the guard": "VALID, strictly UNVERIFIABLE state block_of_proof",
        "the guard": "UNVERIFIABLE issuer keys_unknown_offline",
        nothing: "UNVERIFIABLE issuer nobody_trusted",
        "a record of another chain": "UNVERIFIABLE issuer nobody_trusted",
        "a record, and a guard of another chain": "INVALID issuer guard_other",
        "a key that came back": "VALID, strictly UNVERIFIABLE state block_of_proof",
        "a replaced key, and a log": "VALID, strictly UNVERIFIABLE state facts_observed",
        "a node, and a replaced key": "VALID",
        "a log alone": "VALID, strictly UNVERIFIABLE issuer guard_of_service, state block_of_proof",
        "the key": "VALID, strictly UNVERIFIABLE issuer guard_of_service",
        "a node that knows no guard": "UNVERIFIABLE chain no_guard",
      },
    ],
    "a report alone": [
      { unsigned: true },
      { everything: "VALID", "the key": "UNVERIFIABLE issuer unsigned" },
    ],
    "a denial": [{ evidence: closed }, "VALID"],
    "a denial in no log": [
      { evidence: closed, log: "none" },
      {
        everything: "UNVERIFIABLE issuer unsigned, log log_absent",
        "a record without a log": "UNVERIFIABLE issuer unsigned",
      },
    ],
    "a job without its execution": [
      changed(jobOf, (job) => delete job.execution),
      { "a record": "UNVERIFIABLE issuer unsigned" },
    ],
    "a trade kept out of the log": [
      { log: "none", knows: "observed" },
      {
        "a replaced key": "UNVERIFIABLE issuer key_ended",
        "a replaced key, and the guard": "UNVERIFIABLE issuer key_ended",
        "a replaced key, and that key": "UNVERIFIABLE issuer key_ended",
        "a node, a replaced key, no log": "UNVERIFIABLE issuer key_former",
        "a node that shows the execution": "VALID, strictly UNVERIFIABLE log log_absent",
        "a node that settles nothing": "UNVERIFIABLE issuer key_unsettled",
        "a node that settles no replaced key": "UNVERIFIABLE issuer key_ended_unsettled",
      },
    ],

    "a forger's trade": [
      fromNothing(addressFor("a guard of the forger's")),
      {
        nothing: "UNVERIFIABLE issuer nobody_trusted",
        "a record": "UNVERIFIABLE issuer nobody_trusted",
        "the guard": "INVALID issuer guard_other",
        "the key": "INVALID issuer signer_other",
      },
    ],
    "a forger's trade for the true guard": [
      fromNothing(GUARD),
      {
        "a record": "UNVERIFIABLE issuer key_not_of_record",
        "the guard": "UNVERIFIABLE issuer keys_unknown_offline",
        "the key": "INVALID issuer signer_other",
        "the guard and the key": "INVALID issuer signer_other",
      },
    ],
    "a forger's trade by the true name": [
      changed(
        () => answerOf(fromNothing(GUARD)),
        ({ execution }) => (execution.certificate.signer = SIGNER.address),
      ),
      { "a record": "INVALID certificate signer_misnamed" },
    ],
    "a trade that another key signed": [
      { key: FORGERS_KEY },
      { "the forger's key": "INVALID certificate signed_by_other" },
    ],
  }),
  ...rowsOfBends("evidence", {
    "issuer executor_other": {
      "an executor that the guard did not create": ({ guard }) => (guard.executor = addressFor("other")),
    },
  }),
];
