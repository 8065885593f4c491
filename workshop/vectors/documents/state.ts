/** Step `state`: what state proofs say of the guard, the pools and the token at the evidence's block. */
import { id } from "ethers";
import { addressFor } from "../../../test/attestor/fixtures.ts";
import { OPTIONAL, REQUIRED } from "./readers.ts";
import { changed, type Row, rowsByReader, rowsOfBends } from "./rows.ts";
import { answerOf, type Changes } from "./service.ts";

const withoutProofs = (changes: Changes) =>
  changed(
    () => answerOf(changes),
    ({ report }) => delete report.proofs,
  );

export const STATE_ROWS: readonly Row[] = [
  ...rowsByReader({
    "a sound trade": [
      {},
      {
        "neither header nor node": "VALID, strictly UNVERIFIABLE state block_of_proof",
        "a header alone": "VALID, strictly UNVERIFIABLE state facts_observed",
        "another header of that block": "INVALID state header_other",
        "a header of another block": "UNVERIFIABLE state header_of_other_block",
      },
    ],
    "a trade that names no proofs": [
      { knows: "observed" },
      { everything: "VALID", "a header alone": "VALID, strictly UNVERIFIABLE state facts_observed" },
    ],
    "a trade without its proofs": [withoutProofs({}), "UNVERIFIABLE state proofs_missing"],
    "a trade without required proofs": [
      withoutProofs({ policy: REQUIRED }),
      { "that policy": "UNVERIFIABLE state proofs_missing" },
    ],
    "a trade without optional proofs": [withoutProofs({ policy: OPTIONAL }), { "that policy": "VALID" }],
  }),
  ...rowsOfBends("evidence", {
    "state state_other": {
      "another signer of the guard": ({ guard }) => (guard.signer = addressFor("other")),
      "a guard that is not paused": ({ guard }) => (guard.paused = true),
      "more reserves of a pool": ({ quote }) => (quote.pools[0].reserve0 = "4100000000000000000000"),
      "another factor": ({ token }) => (token.factor.value = "1.5"),
      "the factor of after the change": ({ token }) => (token.factor.value = "12.5"),
      "an announcement kept back": ({ token }) => (token.announcement.change = null),
      "another announced factor": ({ token }) => (token.announcement.change.value = "2.5"),
      "another time of the change": ({ token }) => (token.announcement.change.effectiveAt += 1),
    },
    "state state_unproved": {
      "another route": ({ quote }) => (quote.route = addressFor("no route of this registry")),
      "a pool that nothing proves": ({ quote }) => (quote.pools[0].address = addressFor("other")),
      "a slot that is not the registry's": ({ token }) => (token.layout.newUIMultiplier = id("other")),
    },
    "state proofs_block": {
      "another time of the block": ({ chain }) => (chain.blockTimestamp -= 1),
      "another hash of the block": ({ chain }) => (chain.blockHash = id("other")),
    },
    "state proofs_unnamed": {
      "no name of its proofs": (evidence) => (evidence.proofs = null),
    },
    "state proofs_hash": {
      "other proofs": ({ proofs }) => (proofs.hash = id("other")),
    },
  }),
  ...rowsOfBends("proofs", {
    "state proofs_broken": {
      "a node twice": ({ nodes }) => nodes.push(nodes[0]),
      "a node gone": ({ nodes }) => nodes.pop(),
      "nodes in another order": ({ nodes }) => nodes.reverse(),
      "accounts in another order": ({ accounts }) => accounts.reverse(),
      "a key that nothing asks for": ({ accounts: [first] }) => first.keys.push(`0x${"ff".repeat(32)}`),
      "a byte behind the header": (proofs) => (proofs.header += "00"),
    },
  }),
  ...rowsOfBends("report", {
    "state proofs_format": {
      "proofs that are none": (report) => (report.proofs = "0x"),
      "a member beside the proofs": ({ proofs }) => (proofs.note = "checked"),
    },
    "state proofs_hash": {
      "a node of the proofs gone": ({ proofs }) => proofs.nodes.pop(),
    },
  }),
];
