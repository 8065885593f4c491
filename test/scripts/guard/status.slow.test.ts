/** `assay guard status`: what is read, and what is called wrong. */
import { mkdir, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { RouteExecutor__factory } from "../../../types/contracts/factories/contracts/RouteExecutor__factory.ts";
import { PlainToken__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/PlainToken__factory.ts";
import { adminsOf, typedBy } from "../../support/admin.ts";
import { adminTable, NOBODY, type Row } from "../../support/adminTable.ts";
import { expectSaid } from "../../support/said.ts";
import { testWorld } from "../../support/world.ts";
import { poisonExecutor } from "./poisonedExecutor.ts";

const AS_IS = {
  admin: "$ADMIN",
  pauser: "$PAUSER",
  delay: 0,
  signer: "$SIGNER",
  paused: false,
  recipients: [],
  routes: [
    { route: "$V2", selector: "0x38ed1739" },
    { route: "$V3", selector: "0x414bf389" },
  ],
};

const ROWS: readonly Row[] = [
  {
    name: "shows everything, with names where they are known",
    types: "guard status",
    says: [
      "$ADMIN",
      "$PAUSER",
      "$EXECUTOR",
      "uniswap-v2 of the registry",
      "Service signs    $SIGNER, as the guard wants",
      "Trading          on",
      "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
      "No desired state",
    ],
  },
  {
    name: "is one JSON object for programs",
    types: "guard status --json",
    after: (_, said) => {
      const parsed = JSON.parse(said);
      expect(parsed).to.deep.include({ chainId: 31337, paused: false, desired: false, drift: [] });
      expect(parsed.routes).to.have.length(2);
    },
  },
  {
    name: "checks nothing without a desired state",
    types: "guard status --check",
    code: 2,
    says: ["31337.desired.json"],
  },
  {
    name: "ends with 0 where all is as desired",
    desired: AS_IS,
    types: "guard status --check",
    says: ["All as desired"],
  },
  {
    name: "ends with 1 on a difference when it checks",
    desired: { ...AS_IS, pauser: null },
    types: "guard status --check",
    code: 1,
    says: ["pauser: $PAUSER, should be nobody"],
  },
  {
    name: "ends with 0 on a difference when it only shows",
    desired: { ...AS_IS, pauser: null },
    types: "guard status",
  },
  {
    name: "sees that the service would sign with a key that the guard refuses",
    desired: AS_IS,
    options: { attestor: NOBODY },
    types: "guard status --check",
    code: 1,
    says: ["$NOBODY, which the guard REFUSES"],
  },
  {
    name: "does not judge the service's key where nobody here knows it",
    desired: AS_IS,
    options: { attestor: null },
    types: "guard status --check",
    says: ["not known here (no ATTESTOR_KEYSTORE)"],
  },
  {
    name: "shows what files name where the RPC gives no events, and does not call that checked",
    desired: AS_IS,
    rpc: (method) =>
      method === "eth_getLogs" ? { error: { code: -32005, message: "limit exceeded" } } : null,
    types: "guard status --check",
    code: 1,
    says: ["Routes           2", "there may be more"],
  },
  {
    name: "leaves guard apply nothing to do where the RPC gives no events",
    desired: AS_IS,
    rpc: (method) =>
      method === "eth_getLogs" ? { error: { code: -32005, message: "limit exceeded" } } : null,
    types: "guard apply",
    code: 2,
  },
  {
    name: "refuses a desired file that is not JSON",
    desired: "{",
    types: "guard status",
    code: 2,
    says: ["is not JSON"],
  },
  {
    name: "refuses a desired file of another form",
    desired: { routes: 1 },
    types: "guard status",
    code: 2,
    says: ["routes"],
  },
  {
    name: "refuses a desired file of another guard",
    desired: { guard: "$NOBODY" },
    types: "guard status",
    code: 2,
    says: ["is about the guard $NOBODY"],
  },
];

describe("guard status", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);
  adminTable(chain, ROWS);

  it("finds an allowance of the executor that no view of the guard shows, until anyone has cleared it", async () => {
    const admin = await adminAt();
    const { executor } = chain.deployment;
    const [token, thief] = [chain.token("USDL"), NOBODY];
    await poisonExecutor(chain, token, thief, 5n);
    await setDesired(admin);
    expectSaid(
      await typedBy(admin, "guard status --check"),
      1,
      `${thief} may take 5 raw units`,
      `clearAllowance(${token}, ${thief})`,
    );
    const { text } = await typedBy(admin, "guard status --check --json");
    expect(JSON.parse(text).allowances).to.deep.equal([{ token, spender: thief, units: "5" }]);
    const stranger = new Wallet(chain.accounts.pauser.privateKey, chain.provider);
    await (await RouteExecutor__factory.connect(executor, stranger).clearAllowance(token, thief)).wait();
    expectSaid(await typedBy(admin, "guard status --check"), 0);
  });

  it("shows what a token says that nobody here knows, and does not call it wrong", async () => {
    const admin = await adminAt();
    await setDesired(admin);
    const deployer = new Wallet(chain.accounts.deployer.privateKey, chain.provider);
    const token = await new PlainToken__factory(deployer).deploy("UNKNOWN", 18);
    await token.waitForDeployment();
    const unknown = await token.getAddress();
    await poisonExecutor(chain, unknown, NOBODY, 7n);
    expectSaid(
      await typedBy(admin, "guard status --check"),
      0,
      `${unknown}, not known here, says that ${NOBODY} may take 7`,
    );
  });
});

/** A desired state that names nothing: only what is wrong by itself is a difference. */
async function setDesired({
  world,
  records,
}: Awaited<ReturnType<ReturnType<typeof adminsOf>>>): Promise<void> {
  await mkdir(world.deploymentsDir, { recursive: true });
  await writeFile(records.path("desired.json"), "{}");
}
