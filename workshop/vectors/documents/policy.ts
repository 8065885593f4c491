/** Step `policy`: whose definition of the policy judged. */
import { id } from "ethers";
import { NEXT, OTHER_OWN, REDEFINED } from "./readers.ts";
import { type Row, rowsByReader, rowsOfBends } from "./rows.ts";
import type { Changes } from "./service.ts";

const by = (policy: Changes["policy"]): Changes => ({ knows: "observed", unsigned: true, policy });

export const POLICY_ROWS: readonly Row[] = [
  ...rowsByReader({
    "a lax policy under a known name": [
      by(REDEFINED),
      {
        everything: "INVALID policy policy_redefined",
        "the service's policies": "INVALID policy policy_redefined",
      },
    ],
    "a lax policy under the name MY_DESK": [
      by(OTHER_OWN),
      { "its own MY_DESK": "INVALID policy policy_redefined" },
    ],
    "a lax policy by its own name": [
      by(NEXT),
      {
        everything: "UNVERIFIABLE policy policy_unknown",
        "the service's policies": "VALID, strictly UNVERIFIABLE policy policy_of_service",
        "that policy": "VALID",
      },
    ],
    "a lax policy by another name": [
      {
        ...by(NEXT),
        evidence: ({ policy, intent }) => (policy.policyId = intent.policyId = "MY_DESK"),
      },
      { "the service's policies": "INVALID policy policy_other_name" },
    ],
  }),
  ...rowsOfBends("evidence", {
    "policy policy_other_name": {
      "another policy id": ({ policy }) => (policy.policyId = "LAST_CLOSE"),
      "another policy version": ({ policy }) => (policy.version = 7),
    },
    "policy policy_redefined": {
      "a definition of another policy": ({ policy }) => (policy.definitionHash = id("a lax policy")),
    },
  }),
];
