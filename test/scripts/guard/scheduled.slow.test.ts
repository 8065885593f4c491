/** Changes that have to wait: scheduled by one run, executed by a later one, or cancelled. */
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { adminTable, NOBODY, type Row } from "../../support/adminTable.ts";
import { testWorld } from "../../support/world.ts";

const V2_SELECTOR = "0x38ed1739";
const V2_ROUTE = `$V2 ${V2_SELECTOR}`;
const ALLOW_NOBODY = "guard allow-recipient $NOBODY --execute";
const DELAYED =
  "guard deploy --admin $ADMIN --pauser $PAUSER --signer $SIGNER --delay 7200 --admin-is-deployer --execute";
const CALL = "allowRecipient(recipient: $NOBODY)";

const SCHEDULED: readonly Row[] = [
  {
    name: "the first run of a delayed command schedules the call, and says how to go on",
    first: [DELAYED],
    with: "admin",
    types: ALLOW_NOBODY,
    says: [
      "schedule, to be executed after 7200 seconds: allow recipient",
      "Only scheduled: nothing has taken effect",
    ],
    sends: ["schedule confirmed"],
    becomes: { scheduled: [CALL] },
  },
  {
    name: "a run before the time sends nothing and says when",
    first: [DELAYED, ALLOW_NOBODY],
    with: "admin",
    types: ALLOW_NOBODY,
    says: [/can be executed from \d{4}-.*Z on/, "run the same command again at that time"],
  },
  {
    name: "a run after the time executes the call",
    first: [DELAYED, ALLOW_NOBODY, "wait 7200"],
    with: "admin",
    types: ALLOW_NOBODY,
    says: ["read back recipient $NOBODY allowed: true"],
    sends: ["execute confirmed"],
    becomes: { scheduled: [], recipients: ["$NOBODY"] },
  },
  {
    name: "what only restricts waits for nothing",
    first: [DELAYED, ALLOW_NOBODY, "wait 7200", ALLOW_NOBODY],
    with: "pauser",
    types: "guard disallow-recipient $NOBODY --execute",
    says: ["allowed: false"],
    sends: ["disallowRecipient confirmed"],
    becomes: { recipients: [] },
  },
  {
    name: "guard scheduled shows each call with its time, for people and programs",
    first: [DELAYED, ALLOW_NOBODY],
    types: "guard scheduled",
    says: ["Scheduled        1", CALL, "ready at 20", "by $ADMIN", "cancel <id> cancels it"],
  },
  {
    name: "guard scheduled --json has what a script reads",
    first: [DELAYED, ALLOW_NOBODY],
    types: "guard scheduled --json",
    after: (_, said) => {
      const [{ id, data, target, readyAt, ...rest }] = JSON.parse(said);
      expect([id, data, target, typeof readyAt].join(" ")).to.match(/^0x\w{64} 0x\w+ 0x\w{40} number$/);
      expect(rest).to.deep.include({ isReady: false });
      expect(rest.call).to.equal(`allowRecipient(recipient: ${NOBODY})`);
    },
  },
  {
    name: "guard scheduled execute finds nothing before the time",
    first: [DELAYED, ALLOW_NOBODY],
    types: "guard scheduled execute --execute",
    says: [/Nothing is ready: the newest block is of 20\d\d-/],
  },
  {
    name: "guard scheduled execute executes all that is ready",
    first: [DELAYED, ALLOW_NOBODY, `guard allow-route $V2 ${V2_SELECTOR} --execute`, "wait 7200"],
    with: "admin",
    types: "guard scheduled execute --execute",
    sends: ["execute confirmed", "execute confirmed"],
    becomes: { scheduled: [], recipients: ["$NOBODY"], routes: [V2_ROUTE] },
  },
  {
    name: "guard scheduled cancel is for a pauser, too, were it a role that is scheduled",
    first: [DELAYED, "guard grant-role pauser $NOBODY --execute"],
    with: "pauser",
    types: ["guard scheduled cancel all --execute", "wait 7200", "guard scheduled execute --execute"],
    says: ["cancel grantRole(", "Nothing is ready"],
    sends: ["cancel confirmed"],
    becomes: { scheduled: [] },
  },
  {
    name: "guard scheduled cancel knows no other id",
    first: [DELAYED, ALLOW_NOBODY],
    types: "guard scheduled cancel $NOBODY --execute",
    code: 2,
    says: ["Nothing is scheduled as"],
  },
  {
    name: "a Safe's file of a delayed command has the manager's step",
    first: [DELAYED],
    types: "guard allow-recipient $NOBODY --safe $DIR/safe.json",
    after: async (admin) => {
      const { transactions } = JSON.parse(await readFile(admin.path("safe.json"), "utf8"));
      const { manager } = JSON.parse(await readFile(admin.records.path("json"), "utf8"));
      expect(transactions.map((one: any) => [one.to, one.contractMethod.name])).to.deep.equal([
        [manager, "schedule"],
      ]);
    },
  },
];

describe("guard scheduled", () => adminTable(testWorld(), SCHEDULED));
