/** Step `log`: whether the decision is in a log that the reader trusts. */
import { OTHER_LOG } from "./readers.ts";
import { changed, type Row, rowsByReader, rowsOfBends } from "./rows.ts";
import { answerOf, type Changes } from "./service.ts";

/** As the service answers until the log's next checkpoint has the entry. */
const savedAtOnce = (changes: Changes) =>
  changed(
    () => answerOf(changes),
    ({ report }) => (report.log.proof = null),
  );

const signatures = (proof: string): string[] => proof.match(/^— .*\n/gm)!;
/** The line of a signature by the same key, which does not hold. */
const broken = (proof: string, index: number): string =>
  signatures(proof)[index]!.replace(/.{8}(?=.{4}\n$)/, "AAAAAAAA");

export const LOG_ROWS: readonly Row[] = [
  ...rowsByReader({
    "a trade kept out of the log": [
      { log: "none", knows: "observed" },
      {
        everything: "UNVERIFIABLE log log_absent",
        "a record with a log": "UNVERIFIABLE log log_absent",
        "a record without a log": "VALID, strictly UNVERIFIABLE log log_absent",
      },
    ],
    "a trade saved at once": [
      savedAtOnce({}),
      { "a record with a log": "UNVERIFIABLE log log_proof_missing" },
    ],
    "a report saved at once": [
      savedAtOnce({ unsigned: true }),
      {
        "a record with a log": "UNVERIFIABLE issuer proof_awaited, log log_proof_missing",
        "a record without a log": "UNVERIFIABLE issuer proof_awaited",
      },
    ],
    "a trade in another log": [
      { log: OTHER_LOG },
      {
        everything: "INVALID log log_unknown_key",
        "a record with a log": "UNVERIFIABLE log log_unknown_key",
        "another log": "VALID",
      },
    ],
    "a sound trade": [
      {},
      {
        "a log without witnesses": "VALID, strictly UNVERIFIABLE log log_key_alone",
        "a record without a log": "VALID, strictly UNVERIFIABLE log log_unchecked",
        "another witness": "UNVERIFIABLE log witness_missing",
      },
    ],
  }),
  ...rowsOfBends("report", {
    "log log_format": {
      "an entry that is null": (report) => (report.log = null),
      "a salt that is none": ({ log }) => (log.salt = "0x"),
      "a member beside salt and proof": ({ log }) => (log.checkedBy = "Nasdaq"),
    },
    "log log_entry_other": {
      "another salt": ({ log }) => (log.salt = `0x${"00".repeat(16)}`),
      "the entry before it": ({ log }) => (log.proof = log.proof.replace("index 1", "index 0")),
      "an entry beyond the log": ({ log }) => (log.proof = log.proof.replace("index 1", "index 2")),
      "a step of the path gone": ({ log }) => (log.proof = log.proof.replace(/(index 1\n)[^\n]+\n/, "$1")),
      "another root": ({ log }) => (log.proof = log.proof.replace(/(\n2\n)(.)/, "$1/")),
      "another size of the log": ({ log }) => (log.proof = log.proof.replace("\n2\n", "\n3\n")),
    },
    "log log_proof_broken": {
      "a proof that is none": ({ log }) => (log.proof = "proved"),
      "an origin that is a sentence": ({ log }) =>
        (log.proof = log.proof.replace(/^assay\S+(?=\n[0-9])/m, "a log that was checked")),
      "a second signature by the log that does not hold": ({ log }) => (log.proof += broken(log.proof, 0)),
      "a second cosignature that does not hold": ({ log }) => (log.proof += broken(log.proof, 1)),
      "a signature that does not hold before the one that does": ({ log }) => {
        const line = signatures(log.proof)[0]!;
        log.proof = log.proof.replace(line, `${broken(log.proof, 0)}${line}`);
      },
    },
  }),
];
