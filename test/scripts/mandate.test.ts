/** `guard mandate`, by an owner at a local chain. */
import { readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { Contract, Wallet, ZeroAddress } from "ethers";
import { isSafeFileWhole } from "../../attestor/evm/safeFile.ts";
import { SAFE } from "../../attestor/mandates/calls.ts";
import { POLICIES } from "../../attestor/policies/policy.ts";
import { readMandate } from "../../chain/guard/mandates.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { SAFE_CONTRACTS } from "../../devnet/artifacts.ts";
import {
  type CreateArguments,
  createMandate,
  deployMandates,
  grantMandate,
  listMandates,
  revokeMandate,
} from "../../scripts/mandate.ts";
import type { AdminContext } from "../../scripts/session/context.ts";
import { adminsOf, type FakeAdmin, keys } from "../support/admin.ts";
import { testWorld } from "../support/world.ts";

const DAY = 86_400;
const EXECUTE = { execute: true };

describe("guard mandate", () => {
  const chain = testWorld();
  const ownersAt = adminsOf(chain, () => ({
    accounts: keys(user(3).privateKey, user(4).privateKey),
    now: chain.clock.now,
  }));
  let here: FakeAdmin;
  const user = (index: number) => chain.accounts.users[index]!;
  const [owner, revoker, agent, second] = [
    () => user(3).address,
    () => user(4).address,
    () => user(5).address,
    () => user(6).address,
  ];
  before(async () => {
    here = await ownersAt();
  });

  async function run<Args>(
    command: (world: AdminContext, args: Args) => Promise<number>,
    args: NoInfer<Args>,
    as = here,
  ) {
    return { code: await command(as.world, args), text: as.take() };
  }
  const terms = (): CreateArguments => ({
    ...{
      owner: owner(),
      agent: agent(),
      stocks: "AAPLx,TSLAx:2.5",
      perTrade: "100",
      perDay: "500",
      budget: "5000",
    },
  });
  const made = (text: string) => /make the Safe (0x\w{40})/.exec(text)?.[1] as string;
  const granted = async (safe: string, to = agent()) =>
    readMandate(chain.provider, { module: chain.deployment.mandates!.module, safe, agent: to });
  const blocks = () => chain.provider.getBlockNumber();
  const create = async (more: Partial<CreateArguments> = {}) => {
    const { code, text } = await run(createMandate, { ...terms(), ...more, ...EXECUTE });
    expect(code, text).to.equal(0);
    return made(text);
  };

  it("makes a Safe with a mandate in one transaction, where the dry run said, and says what the agent can do", async () => {
    const dry = await run(createMandate, terms());
    expect(dry.code, dry.text).to.equal(0);
    expect(await chain.provider.getCode(made(dry.text))).to.equal("0x");
    const before = await blocks();
    const sent = await run(createMandate, { ...terms(), ...EXECUTE });
    expect(sent.code, sent.text).to.equal(0);
    expect(await blocks()).to.equal(before + 1);
    const safe = made(sent.text);
    expect(safe).to.equal(made(dry.text));
    for (const line of [
      "buy     AAPLx, TSLAx with USDL",
      "sell    at most 2.5 TSLAx in all, for USDL",
      "for     at most 100 USDL a trade, 500 USDL within 24 hours, 5000 USDL in all",
      "judged  by STRICT_LIVE",
      "revoked by the Safe",
      `Next: send USDL to the Safe ${safe}.`,
    ]) {
      expect(dry.text).to.contain(line);
      expect(sent.text).to.contain(line);
    }
    const expiresAt = (Math.floor(chain.clock.now() / 1000 / DAY) + 31) * DAY - 1;
    expect((await granted(safe)).mandate).to.deep.equal({
      settlementToken: chain.token("USDL"),
      ...{ expiresAt, revoker: ZeroAddress },
      ...{ perTrade: "100000000", perDay: "500000000", budget: "5000000000" },
      stocks: [
        { token: chain.token("AAPLx"), sellable: "0" },
        { token: chain.token("TSLAx"), sellable: "2500000000000000000" },
      ],
      policies: [POLICIES.get("STRICT_LIVE")!.definitionHash],
    });
    const asked = new Contract(safe, SAFE_CONTRACTS.singleton.abi, chain.provider);
    expect([...(await asked.getFunction("getOwners")())]).to.deep.equal([owner()]);
    const again = await run(createMandate, terms());
    expect(again.text).to.contain("This Safe is there already");
    expect(await create({ salt: "1" })).to.not.equal(safe);
  });

  it("caps a trade by a day, and all of them by the days until the end, where nothing else is said", async () => {
    const { mandate } = await granted(
      await create({ perTrade: undefined, budget: undefined, expires: "2d" } as object),
    );
    const [perTrade, perDay, budget] = [mandate?.perTrade, mandate?.perDay, mandate?.budget];
    expect([perTrade, perDay, budget]).to.deep.equal(["500000000", "500000000", "1500000000"]);
  });

  it("refuses what is no mandate, or would bound nobody, and sends nothing", async () => {
    const before = await blocks();
    for (const [change, words] of [
      [{ agent: owner() }, "--agent must be a key of its own"],
      [{ agent: undefined }, "--agent is needed."],
      [{ owner: "0x12" }, "--owner must be 0x and 40 hexadecimal digits"],
      [{ stocks: "AAPLx,MSFTx" }, "--stocks: MSFTx is unknown. Known are AAPLx, TSLAx"],
      [{ stocks: "AAPLx:1:2" }, "--stocks: AAPLx:1:2 must be a symbol"],
      [{ token: "USDT" }, "--token must be one of USDL."],
      [{ perDay: "0" }, "--per-day must be an amount above 0"],
      [{ perDay: "1.2345678" }, "--per-day must be an amount above 0 with up to 6 decimals"],
      [{ budget: "-1" }, "--budget must be an amount above 0"],
      [{ policies: "LAX" }, "--policies: LAX is unknown. Known are"],
      [{ expires: "2020-01-01" }, "--expires is past"],
      [{ expires: "soon" }, "--expires must be days (30d)"],
      [{ stocks: Array(65).fill("AAPLx").join(",") }, "This is no mandate"],
      [{ salt: "x" }, "--salt must be a whole number."],
    ] as const) {
      const { code, text } = await run(createMandate, { ...terms(), ...change, ...EXECUTE });
      expect(text).to.contain(words);
      expect(code, words).to.equal(2);
    }
    expect(await blocks()).to.equal(before);
  });

  it("grants by the Safe's only owner, also where the module is not enabled yet, and lists what is left", async () => {
    const safe = await create({ salt: "2" });
    const other = { safeAddress: safe, agent: second(), stocks: "NVDAx", perDay: "50", revoker: revoker() };
    const { code, text } = await run(grantMandate, { ...other, ...EXECUTE });
    expect(code, text).to.equal(0);
    expect((await granted(safe, second())).mandate?.revoker).to.equal(revoker());
    const listed = await run(listMandates, { safeAddress: safe });
    expect(listed.text).to.contain(`Agent    ${agent()} can`).and.contain(`Agent    ${second()} can`);
    expect(listed.text).to.contain("so far 0 USDL within 24 hours; at most 100 USDL now");
    expect(listed.text).to.contain(`revoked by the Safe, or by ${revoker()}, who can do nothing else`);

    const plain = await plainSafe([owner()], 1n);
    const dry = await run(grantMandate, { ...other, safeAddress: plain });
    expect(dry.text).to.contain("enable the module and grant this mandate");
    expect((await run(listMandates, { safeAddress: plain })).text)
      .to.contain("NOT enabled")
      .and.contain("No agent was ever");
    const sent = await run(grantMandate, { ...other, safeAddress: plain, ...EXECUTE });
    expect(sent.code, sent.text).to.equal(0);
    expect(sent.text).to.contain("Granted: ");
    expect((await granted(plain, second())).mandate?.perDay).to.equal("50000000");
  });

  it("writes files for Safes whose owners sign together, and sends nothing of theirs", async () => {
    const safe = await plainSafe([owner(), revoker()], 2n);
    const asked = { ...terms(), safeAddress: safe };
    const refused = await run(grantMandate, { ...asked, ...EXECUTE });
    expect(refused.text).to.contain(`This is for 2 of ${owner()}, ${revoker()}: write a file for the Safe`);
    const path = here.path("grant.json");
    const { code, text } = await run(grantMandate, { ...asked, safe: path });
    expect(code, text).to.equal(0);
    const file = JSON.parse(await readFile(path, "utf8"));
    expect(isSafeFileWhole(file)).to.equal(true);
    expect(file.meta.createdFromSafeAddress).to.equal(safe);
    const calls = file.transactions.map(({ to, contractMethod }: any) => [to, contractMethod.name]);
    expect(calls).to.deep.equal([
      [safe, "enableModule"],
      [chain.deployment.mandates!.module, "grant"],
    ]);
    // An owner that is a Safe itself makes the new one by such a file.
    const making = await run(createMandate, { ...terms(), owner: safe, safe: path });
    expect(making.code, making.text).to.equal(0);
    const [creation] = JSON.parse(await readFile(path, "utf8")).transactions;
    expect(creation.to).to.equal(SAFE.factory);
    const factory = SAFE_CONTRACTS.factory.abi;
    const data = factory.encodeFunctionData(
      "createProxyWithNonce",
      Object.values(creation.contractInputsValues),
    );
    const answer = await chain.provider.call({ to: SAFE.factory, data });
    expect(factory.decodeFunctionResult("createProxyWithNonce", answer)[0]).to.equal(made(making.text));
  });

  it("revokes by the owner or by the revoker, at once", async () => {
    for (const [from, salt] of [
      [owner(), "3"],
      [revoker(), "4"],
    ] as const) {
      const safe = await create({ salt, revoker: revoker() });
      const name = { safeAddress: safe, agent: agent() };
      const { code, text } = await run(revokeMandate, { ...name, from, ...EXECUTE });
      expect(code, text).to.equal(0);
      expect(text).to.contain(`   sender  ${from}`).and.contain("Revoked: from this block on");
      expect((await granted(safe)).mandate).to.equal(null);
      expect((await run(revokeMandate, { ...name, ...EXECUTE })).text).to.contain("Nothing to do");
      expect((await run(listMandates, name)).text).to.contain("no mandate, or revoked");
    }
    const safe = await create({ salt: "5" });
    const stranger = await ownersAt({ accounts: keys(user(7).privateKey) });
    const refused = await run(revokeMandate, { safeAddress: safe, agent: agent(), ...EXECUTE }, stranger);
    expect([refused.code, refused.text.includes(`This is for 1 of ${owner()}`)]).to.deep.equal([1, true]);
  });

  it("tells what is no Safe, and what the chain would refuse", async () => {
    const name = { agent: agent(), safeAddress: chain.token("USDL") };
    expect((await run(listMandates, name)).text).to.equal(`There is no Safe at ${chain.token("USDL")}.`);
    expect((await run(listMandates, { ...name, safeAddress: agent() })).text).to.equal(
      `There is no Safe at ${agent()}.`,
    );
    const safe = await create({ salt: "6" });
    chain.clock.advance(2 * 3_600_000);
    await chain.mine();
    // The clock of who types it is behind.
    const slow = await ownersAt({ now: () => chain.clock.now() - 2 * 3_600_000 });
    const late = await run(grantMandate, { ...terms(), safeAddress: safe, expires: "1h" }, slow);
    expect(late.text).to.match(
      /The chain would refuse to grant this mandate: MandateExpired\(expiresAt: \d+\)\./,
    );
  });

  it("deploys module and setup of a guard where they are not there yet, by whoever pays", async () => {
    expect((await run(deployMandates, EXECUTE)).text)
      .to.contain("The module stands at")
      .and.contain("The setup stands at");
    const guard = Wallet.createRandom().address;
    const other = await ownersAt();
    // What a file names counts, also where later code would stand elsewhere.
    const elsewhere = { module: guard, setup: chain.deployment.mandates!.setup };
    const own = JSON.stringify({ ...chain.deployment, mandates: elsewhere });
    await writeFile(other.path("data/chain/deployment.json"), own);
    expect((await run(createMandate, terms(), other)).text).to.contain(
      `There is no contract at ${guard} yet`,
    );
    await writeFile(
      other.path("data/chain/deployment.json"),
      JSON.stringify({ ...chain.deployment, guard, mandates: undefined }),
    );
    const before = await blocks();
    const create = await run(createMandate, terms(), other);
    expect(create.text).to.contain("run guard mandate deploy");
    const dry = await run(deployMandates, {}, other);
    const { module, setup } = mandateContracts(guard);
    expect(dry.text)
      .to.contain(`deploy the module at ${module.address}`)
      .and.contain(`The setup stands at ${setup.address}`);
    expect(await blocks()).to.equal(before);
    const sent = await run(deployMandates, EXECUTE, other);
    expect(sent.code, sent.text).to.equal(0);
    expect(await chain.provider.getCode(module.address)).to.not.equal("0x");
  });

  async function plainSafe(owners: string[], threshold: bigint): Promise<string> {
    const wallet = new Wallet(user(8).privateKey, chain.provider);
    const nobody = [ZeroAddress, "0x", SAFE.fallbackHandler, ZeroAddress, 0, ZeroAddress];
    const setup = SAFE_CONTRACTS.singleton.abi.encodeFunctionData("setup", [owners, threshold, ...nobody]);
    const make = new Contract(SAFE.factory, SAFE_CONTRACTS.factory.abi, wallet).getFunction(
      "createProxyWithNonce",
    );
    const address = await make.staticCall(SAFE.singleton, setup, 7n);
    await (await make.send(SAFE.singleton, setup, 7n)).wait();
    return address;
  }
});
