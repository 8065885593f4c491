/** The commands that change a guard, each with its dry run, Safe file, sending and refusals. */
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { isSafeFileWhole } from "../../../attestor/evm/safeFile.ts";
import { adminTable, NOBODY, type Row } from "../../support/adminTable.ts";
import { testWorld } from "../../support/world.ts";

const V2_SELECTOR = "0x38ed1739";
const V3_SELECTOR = "0x414bf389";
const [V2_ROUTE, V3_ROUTE] = [`$V2 ${V2_SELECTOR}`, `$V3 ${V3_SELECTOR}`];
const SWAP = "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)";
const NOTHING = "Nothing to do: the chain is already as it should be.";
const PAUSE = "guard pause --reason drill --execute";
const ALLOW_NOBODY = "guard allow-recipient $NOBODY --execute";

/** A change that is possible now: shown, written for a Safe, sent, and nothing to do the second time. */
interface Change extends Pick<Row, "first" | "desired" | "becomes"> {
  readonly types: string;
  readonly call: string;
}

const CHANGES: readonly Change[] = [
  {
    types: `guard disallow-route $V3 ${V3_SELECTOR}`,
    call: "disallowRoute",
    becomes: { routes: [V2_ROUTE] },
  },
  {
    types: `guard allow-route $V3 ${V3_SELECTOR.toUpperCase().replace("X", "x")}`,
    call: "allowRoute",
    first: [`guard disallow-route $V3 ${V3_SELECTOR} --execute`],
    becomes: { routes: [V2_ROUTE, V3_ROUTE].sort() },
  },
  { types: "guard allow-recipient $NOBODY", call: "allowRecipient", becomes: { recipients: ["$NOBODY"] } },
  {
    types: "guard disallow-recipient $NOBODY",
    call: "disallowRecipient",
    first: [ALLOW_NOBODY],
    becomes: { recipients: [] },
  },
  {
    types: "guard grant-role pauser $SUCCESSOR",
    call: "grantRole",
    becomes: { pausers: ["$ADMIN", "$PAUSER", "$SUCCESSOR"] },
  },
  { types: "guard revoke-role pauser $PAUSER", call: "revokeRole", becomes: { pausers: ["$ADMIN"] } },
  { types: "guard unpause", call: "unpause", first: [PAUSE], becomes: { paused: false } },
  {
    types: "guard apply",
    call: "allowRecipient",
    desired: { recipients: [NOBODY] },
    becomes: { recipients: ["$NOBODY"] },
  },
];

const rowsOf = ({ types, call, first, desired, becomes }: Change): Row[] => {
  const name = types.replaceAll("$", "");
  const common = { first, desired };
  return [
    {
      ...common,
      name: `${name} shows and sends nothing`,
      types,
      says: [
        "Chain    31337 (local), block ",
        "Guard    $GUARD",
        `   call    ${call}(`,
        "   gas ",
        "Dry run: nothing was sent",
      ],
    },
    {
      ...common,
      name: `${name} --safe writes a whole file`,
      types: `${types} --safe $DIR/safe.json`,
      says: ["Wrote $DIR/safe.json"],
      after: async (admin) => {
        const file = JSON.parse(await readFile(admin.path("safe.json"), "utf8"));
        expect(isSafeFileWhole(file)).to.equal(true);
        expect(file.transactions.map((one: any) => one.contractMethod.name)).to.deep.equal([call]);
      },
    },
    {
      ...common,
      name: `${name} --execute sends once, and has nothing to do the second time`,
      types: [`${types} --execute`, `${types} --execute`],
      says: ["Done; $DIR", NOTHING],
      sends: [`${call} confirmed`],
      becomes,
    },
  ];
};

const DESIRED_AS_IS = { admin: "$ADMIN", pauser: "$PAUSER", delay: 0, signer: "$SIGNER", paused: false };

const APPLY: readonly Row[] = [
  {
    name: "guard apply takes away before it allows, in one run, after which nothing differs",
    desired: {
      ...DESIRED_AS_IS,
      routes: [{ route: "$V3", selector: V3_SELECTOR }],
      recipients: ["$NOBODY"],
      pauser: null,
    },
    types: ["guard apply --execute", "guard status --check"],
    says: [
      /1\. disallow route .*uniswap-v2 of the registry[\s\S]*2\. 0x\w+ is no longer a pauser[\s\S]*3\. allow recipient/,
      "All as desired",
    ],
    sends: ["disallowRoute confirmed", "revokeRole confirmed", "allowRecipient confirmed"],
    becomes: { routes: [V3_ROUTE], recipients: ["$NOBODY"], pausers: ["$ADMIN"] },
  },
  {
    name: "guard apply names what it leaves to a person, and ends with 1",
    desired: { signer: "$NOBODY" },
    types: "guard apply --execute",
    code: 1,
    says: ["guard rotate-signer", "NOT as desired"],
    saysNot: ["the chain is already as it should be"],
  },
  {
    name: "guard apply allows no route that cannot be one",
    desired: { routes: [{ route: "$USDL", selector: V2_SELECTOR }] },
    types: "guard apply --execute",
    code: 1,
    says: ["is the token USDL of the registry"],
  },
  {
    name: "guard apply applies nothing without a desired state",
    types: "guard apply",
    code: 2,
    says: ["There is no"],
  },
];

const refusedRoute = (typed: string, says: string): Row => ({
  name: `guard allow-route ${typed.replaceAll("$", "")} is refused: ${says}`,
  types: `guard allow-route ${typed} --execute`,
  code: 1,
  says: [says],
});

const ROUTES: readonly Row[] = [
  {
    name: "guard allow-route knows a router by the registry and by its published code",
    first: [`guard disallow-route $V2 ${V2_SELECTOR} --execute`],
    types: `guard allow-route $V2 ${SWAP}`,
    says: ["uniswap-v2 of the registry, code of Uniswap V2 Router02 (@uniswap/v2-periphery)"],
    saysNot: ["WARNING"],
  },
  {
    name: "guard allow-route warns of a function that the contract does not seem to have",
    types: "guard allow-route $V2 exotic(uint256)",
    says: ["is a function not known here", /code does not contain 0x[0-9a-f]{8}/],
  },
  refusedRoute(`$NOBODY ${V2_SELECTOR}`, "there is no contract at this address"),
  refusedRoute(`$STRANGER ${V2_SELECTOR}`, "there is no contract at this address"),
  refusedRoute(`$AAPLX ${V2_SELECTOR}`, "is the token AAPLx of the registry"),
  refusedRoute(`$GUARD ${V2_SELECTOR}`, "it is the guard"),
  refusedRoute(`$EXECUTOR ${V2_SELECTOR}`, "the guard's executor"),
  refusedRoute(`0x000000000022D473030F116dDEE9F6B43aC78BA3 ${V2_SELECTOR}`, "Permit2"),
  refusedRoute("$V2 0x23b872dd", "is not a trade"),
  refusedRoute("$V2 transferFrom(address,address,uint256)", "is not a trade"),
  {
    name: "guard disallow-route tells a slip of the pen from a route that is not listed",
    types: `guard disallow-route $NOBODY ${V2_SELECTOR}`,
    code: 1,
    says: ["there is no contract at this address"],
  },
  {
    name: "guard allow-recipient refuses a token",
    types: "guard allow-recipient $USDL --execute",
    code: 1,
    says: ["everything that it receives is lost"],
  },
  {
    name: "guard allow-recipient decodes why the chain would refuse the guard itself",
    types: "guard allow-recipient $GUARD --execute",
    code: 1,
    says: ["InvalidRecipient"],
  },
  {
    name: "guard unpause warns where the service signs with another key",
    first: [PAUSE],
    options: { attestor: NOBODY },
    types: "guard unpause",
    says: ["Certificates of $SIGNER will count", "signs with $NOBODY, which the guard will refuse"],
  },
];

const ROLES: readonly Row[] = [
  {
    name: "guard grant-role admin asks for a proof by the new key",
    types: "guard grant-role admin $SUCCESSOR --execute",
    code: 1,
    says: ["I control $SUCCESSOR and will administer an Assay guard on chain 31337."],
  },
  {
    name: "guard grant-role admin and revoke-role admin hand over",
    types: [
      "guard grant-role admin $SUCCESSOR --admin-proof $PROOF_OF_SUCCESSOR --execute",
      "guard revoke-role admin $ADMIN --execute",
    ],
    sends: [...Array(3).fill("grantRole confirmed"), ...Array(3).fill("revokeRole confirmed")],
    becomes: { admins: ["$SUCCESSOR"], operators: ["$SUCCESSOR"], pausers: ["$PAUSER", "$SUCCESSOR"] },
  },
  {
    name: "guard grant-role gives no power to the attestation key",
    types: "guard grant-role admin $SIGNER --execute",
    code: 1,
    says: ["the judge of trades must not choose the routes"],
  },
  {
    name: "guard grant-role gives no power to the guard's own contracts",
    types: "guard grant-role admin $GUARD --execute",
    code: 1,
    says: ["one of the guard's own contracts"],
  },
  {
    name: "guard revoke-role keeps the only admin",
    types: "guard revoke-role admin $ADMIN --execute",
    code: 1,
    says: ["is the only admin"],
  },
  {
    name: "guard revoke-role takes no half of an admin's roles",
    types: "guard revoke-role pauser $ADMIN --execute",
    code: 1,
    says: ["can always pause"],
  },
  {
    name: "a command names the role that may, and who holds it",
    with: "stranger",
    types: ALLOW_NOBODY,
    code: 1,
    says: ["allowRecipient is for an operator ($ADMIN)"],
  },
  {
    name: "--from must be an account that may",
    types: "guard allow-recipient $NOBODY --from $STRANGER",
    code: 1,
    says: ["$STRANGER may not do this"],
  },
];

describe("Changes of a guard", () => {
  adminTable(testWorld(), [...CHANGES.flatMap(rowsOf), ...APPLY, ...ROUTES, ...ROLES]);
});
