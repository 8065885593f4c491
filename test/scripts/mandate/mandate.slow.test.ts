/** `assay mandate`, by an owner at a local chain. */

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { Contract, Wallet, ZeroAddress } from "ethers";
import type { PlainCall } from "../../../attestor/evm/reads.ts";
import { isSafeFileWhole } from "../../../attestor/evm/safeFile.ts";
import { uintWord } from "../../../attestor/evm/words.ts";
import { POLICIES } from "../../../attestor/policies/policy.ts";
import { readMandate } from "../../../chain/guard/mandates.ts";
import { mandateContracts } from "../../../chain/mandateContracts.ts";
import { grantCall, ownerCall, SAFE } from "../../../chain/mandates/calls.ts";
import { isEnabled, mandateOf, ownersOf } from "../../../chain/mandates/reads.ts";
import { SAFE_CONTRACTS } from "../../../devnet/artifacts.ts";
import type { AnyCommand } from "../../../scripts/command.ts";
import { createMandate } from "../../../scripts/mandate/create.ts";
import { deployMandates } from "../../../scripts/mandate/deploy.ts";
import { grantMandate, revokeMandate } from "../../../scripts/mandate/grant.ts";
import { listMandates } from "../../../scripts/mandate/list.ts";

import { adminsOf, behind, type FakeAdmin, keys } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { runGiven, type Words } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const DAY = 86_400;
const EXECUTE = { execute: true };

describe("assay mandate", () => {
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

  async function run(command: AnyCommand, given: Words, as = here) {
    return { code: await runGiven(command, given, as.world), text: as.take() };
  }
  const terms = (): Words => ({
    owner: owner(),
    agent: agent(),
    stocks: "AAPLx,TSLAx:2.5",
    perTrade: "100",
    perDay: "500",
    budget: "5000",
  });
  const moduleHere = () => mandateContracts(chain.deployment.guard).module.address;
  const wallet = (index: number) => new Wallet(user(index).privateKey, chain.provider);
  const send = async (index: number, call: PlainCall) => (await wallet(index).sendTransaction(call)).wait();
  const SINGLETON = SAFE_CONTRACTS.singleton.abi;
  /** As the Safe, by its only owner. */
  const asSafe = (safe: string, { to, data }: PlainCall) =>
    send(3, ownerCall(safe, owner(), { to, data, operation: 0 }));
  const made = (text: string) => /make the Safe (0x\w{40})/.exec(text)?.[1] as string;
  const granted = async (safe: string, to = agent()) =>
    readMandate(chain.provider, { module: moduleHere(), safe, agent: to });
  const blocks = () => chain.provider.getBlockNumber();
  const create = async (more: Words = {}) => {
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
    ]) {
      expect(dry.text).to.contain(line);
      expect(sent.text).to.contain(line);
    }
    const expiresAt = (Math.floor(chain.clock.now() / 1000 / DAY) + 31) * DAY - 1;
    expect((await granted(safe)).mandate).to.deep.equal({
      settlementToken: chain.token("USDL"),
      expiresAt,
      revoker: ZeroAddress,
      perTrade: "100000000",
      perDay: "500000000",
      budget: "5000000000",
      stocks: [
        { token: chain.token("AAPLx"), sellable: "0" },
        { token: chain.token("TSLAx"), sellable: "2500000000000000000" },
      ],
      policies: [POLICIES.get("STRICT_LIVE")!.definitionHash],
    });
    const asked = new Contract(safe, SINGLETON, chain.provider);
    expect([...(await asked.getFunction("getOwners")())]).to.deep.equal([owner()]);
    expect(sent.text).to.contain(`Next: send USDL to the Safe ${safe}.`);
    expect(await create({ salt: "1" })).to.not.equal(safe);
  });

  it("names the terms that make the Safe of a dry run later, and asks nobody to pay it before", async () => {
    const change = { expires: "36h", budget: undefined } as object;
    for (const how of [{}, { print: true }, { safe: here.path("make.json") }])
      expect((await run(createMandate, { ...terms(), ...change, ...how })).text)
        .to.contain("Send nothing there before it exists.")
        .and.not.contain("Next:");
    const dry = await run(createMandate, { ...terms(), ...change });
    const [, expires, budget] = /repeat them with --expires (\S+) --budget (\S+)\. /.exec(dry.text) ?? [];
    const expiresAt = Math.floor(chain.clock.now() / 1000) + 36 * 3_600;
    chain.clock.advance(DAY * 1000);
    expect(await create({ expires, budget })).to.equal(made(dry.text));
    expect((await granted(made(dry.text))).mandate?.expiresAt).to.equal(expiresAt);
  });

  it("is content with a Safe that somebody made first, where its mandate is the one that was asked for", async () => {
    for (const [salt, moment] of [
      ["20", "eth_estimateGas"],
      ["21", "eth_sendRawTransaction"],
    ] as const) {
      const asked = { ...terms(), salt };
      const { text: dry } = await run(createMandate, { ...asked, print: true });
      const call = { to: SAFE.factory, data: /data +(0x\w+)/.exec(dry)?.[1] as string };
      let others = 0;
      await using rpc = await flakyRpc(chain.url, async (method) => {
        if (method === moment && others++ === 0) await send(7, call);
        return null;
      });
      const { code, text } = await run(createMandate, { ...asked, ...EXECUTE }, behind(here, rpc));
      expect(code, text).to.equal(0);
      expect(text).to.contain("This Safe is there already: ").and.contain("Granted: ").and.contain("Next: ");
    }
    const asked = { ...terms(), salt: "20" };
    const { text } = await run(createMandate, asked);
    const safe = /already: (0x\w{40})/.exec(text)?.[1] as string;
    const grant = (more: object) => run(grantMandate, { ...asked, ...more, safeAddress: safe, ...EXECUTE });
    const add = SINGLETON.encodeFunctionData("addOwnerWithThreshold", [revoker(), 1]);
    for (const [change, words, code] of [
      // As trades leave it.
      [() => grant({ budget: "4000", stocks: "AAPLx,TSLAx:1" }), "Granted: ", 0],
      [() => grant({ budget: "6000" }), "has granted another mandate", 1],
      [() => grant({ stocks: "AAPLx,TSLAx:3" }), "has granted another mandate", 1],
      [() => grant({ perTrade: "99" }), "has granted another mandate", 1],
      [() => run(revokeMandate, { safeAddress: safe, agent: agent(), ...EXECUTE }), "has granted nothing", 1],
      [() => asSafe(safe, { to: safe, data: add }), `is of 1 of ${revoker()}, ${owner()}`, 1],
    ] as const) {
      await change();
      const again = await run(createMandate, { ...asked, ...EXECUTE });
      expect(again.text).to.contain(words).and.contain("Another --salt makes another one.");
      expect(again.code, words).to.equal(code);
    }
  });

  it("reads back what it sent, and says where the chain has something else", async () => {
    const safe = await create({ salt: "22" });
    const asked = { ...terms(), perDay: "400", safeAddress: safe, ...EXECUTE };
    const own = mandateOf(moduleHere(), safe, agent());
    const before = await chain.provider.call(own);
    const none = await chain.provider.call(mandateOf(moduleHere(), safe, revoker()));
    const others = await chain.provider.call(ownersOf(await plainSafe([second()], 1n)));
    await using rpc = await flakyRpc(chain.url);
    for (const [command, { data }, result, words] of [
      [grantMandate, own, before, "has granted another mandate"],
      [grantMandate, own, none, "has granted nothing"],
      [grantMandate, isEnabled(safe, moduleHere()), uintWord(0), "has not enabled the module"],
      [grantMandate, ownersOf(safe), others, `is of 1 of ${second()}`],
      [grantMandate, { data: null }, null, /was mined in block \d+ and reverted: /],
      [revokeMandate, own, before, "still has a mandate of"],
    ] as const) {
      rpc.sent.length = 0;
      rpc.decide = async (method, _, params) => {
        if (rpc.sent.length > 0 && (params[0] as PlainCall | undefined)?.data === data && data !== null)
          return { result };
        if (data !== null || method !== "eth_getTransactionReceipt") return null;
        const receipt = await chain.provider.send(method, params);
        return { result: receipt && { ...receipt, status: "0x0" } };
      };
      const { code, text } = await run(command, asked, behind(here, rpc));
      expect(text).to.match(words instanceof RegExp ? words : new RegExp(words));
      expect(code, text).to.equal(1);
    }
  });

  it("lists what the Safe holds and what the guard may take of it, and revokes a mandate without end", async () => {
    const safe = await create({ salt: "23" });
    const usdl = new Contract(chain.token("USDL"), [
      "function transfer(address, uint256)",
      "function approve(address, uint256)",
    ]);
    const of = (name: string, ...args: unknown[]) => ({
      to: chain.token("USDL"),
      data: usdl.interface.encodeFunctionData(name, args),
    });
    await send(7, of("transfer", safe, 5_000_000n));
    await asSafe(safe, of("approve", chain.deployment.guard, 1_500_000n));
    const name = { safeAddress: safe, agent: agent() };
    const { mandate } = await granted(safe);
    await asSafe(
      safe,
      grantCall(moduleHere(), agent(), { ...mandate!, expiresAt: (2n ** 64n - 1n) as never }),
    );
    const { code, text } = await run(listMandates, name);
    expect(code, text).to.equal(0);
    for (const line of [
      "Holds    5 USDL",
      "WARNING  The guard may take 1.5 USDL: with this token no agent can trade",
      "until   9999-12-31T23:59:59Z",
    ])
      expect(text).to.contain(line);
    const revoked = await run(revokeMandate, { ...name, ...EXECUTE });
    expect([revoked.code, (await granted(safe)).mandate], revoked.text).to.deep.equal([0, null]);
  });

  it("shows of a stock that a Safe granted twice the entry that the module knows", async () => {
    const safe = await create({ salt: "24" });
    const { mandate } = await granted(safe);
    const stocks = ["0", "5000000000000000000"].map((sellable) => ({
      token: chain.token("AAPLx"),
      sellable,
    }));
    await asSafe(safe, grantCall(moduleHere(), agent(), { ...mandate!, stocks }));
    expect((await run(listMandates, { safeAddress: safe })).text)
      .to.contain("buy     AAPLx with USDL")
      .and.contain("sell    nothing");
  });

  it("caps a trade by a day, and all of them by the days until the end, where nothing else is said", async () => {
    const { mandate } = await granted(
      await create({ perTrade: undefined, budget: undefined, expires: "2d" }),
    );
    const [perTrade, perDay, budget] = [mandate?.perTrade, mandate?.perDay, mandate?.budget];
    expect([perTrade, perDay, budget]).to.deep.equal(["500000000", "500000000", "1500000000"]);
  });

  it("refuses what is no mandate, or would bound nobody, and sends nothing", async () => {
    const before = await blocks();
    for (const [change, words] of [
      [{ agent: owner() }, "--agent must be a key of its own"],
      [{ agent: undefined }, "--agent is needed."],
      [{ agent: ZeroAddress }, "--agent must not be the zero address."],
      [{ owner: ZeroAddress }, "--owner must not be the zero address."],
      [{ stocks: "AAPLx, TSLAx,AAPLx:5" }, "--stocks: AAPLx is named twice."],
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
      [{ expires: "2027-02-30" }, "--expires must be days (30d)"],
      [{ policies: Array(17).fill("STRICT_LIVE").join(",") }, "This is no mandate"],
      [{ salt: "1".repeat(180) }, "--salt must be a whole number."],
      [{ salt: "x" }, "--salt must be a whole number."],
    ] as const) {
      const { code, text } = await run(createMandate, { ...terms(), ...change, ...EXECUTE });
      expect(text).to.contain(words);
      expect(code, words).to.equal(2);
    }
    const two = await ownersAt();
    const { assets } = chain.deployment.registry;
    const usdl = assets.find(({ symbol }) => symbol === "USDL")!;
    const [address, symbol] = [chain.token("USDT"), "USDT"];
    const other = { ...usdl, symbol, address, assetKey: usdl.assetKey.replace(usdl.address, address) };
    const registry = { ...chain.deployment.registry, assets: [...assets, other] };
    await writeFile(
      two.path("data/chain/deployment.json"),
      JSON.stringify({ ...chain.deployment, registry }),
    );
    const unsaid = await run(createMandate, terms(), two);
    expect([unsaid.code, unsaid.text]).to.deep.equal([
      2,
      "assay: --token must be one of USDL, USDT.\nSee assay --help.",
    ]);
    expect((await run(createMandate, { ...terms(), token: "USDT" }, two)).text).to.contain("with USDT");
    expect(await blocks()).to.equal(before);
  });

  it("grants by the Safe's only owner, also where the module is not enabled yet, and lists what is left", async () => {
    const safe = await create({ salt: "2" });
    const other = { safeAddress: safe, agent: second(), stocks: "NVDAx", perDay: "50", revoker: revoker() };
    for (const key of [owner(), safe, ZeroAddress]) {
      const refused = await run(grantMandate, { ...other, agent: key, ...EXECUTE });
      expect([refused.code, /^assay: --agent must (not )?be /.test(refused.text)]).to.deep.equal([2, true]);
    }
    const { code, text } = await run(grantMandate, { ...other, ...EXECUTE });
    expect(code, text).to.equal(0);
    expect((await granted(safe, second())).mandate?.revoker).to.equal(revoker());
    const listed = await run(listMandates, { safeAddress: safe });
    expect(listed.text).to.contain(`Agent    ${agent()} can`).and.contain(`Agent    ${second()} can`);
    expect(listed.text).to.contain("so far 0 USDL within 24 hours; at most 100 USDL now");
    expect(listed.text).to.contain(`revoked by the Safe, or by ${revoker()}, who can do nothing else`);

    const json = JSON.parse((await run(listMandates, { safeAddress: safe, json: true })).text);
    expect([json.safe, json.enabled]).to.deep.equal([safe, true]);
    expect(json.agents.map((one: any) => [one.agent, one.spentRaw, one.leftRaw])).to.have.deep.members([
      [agent(), "0", "100000000"],
      [second(), "0", "50000000"],
    ]);

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
      [moduleHere(), "grant"],
    ]);
    const joint = await create({ salt: "25" });
    const add = SINGLETON.encodeFunctionData("addOwnerWithThreshold", [revoker(), 2]);
    await asSafe(joint, { to: joint, data: add });
    const name = { safeAddress: joint, agent: agent() };
    const { text: alone } = await run(revokeMandate, { ...name, ...EXECUTE });
    expect(alone).to.contain(`This is for 2 of ${revoker()}, ${owner()}: write a file for the Safe`);
    expect((await run(revokeMandate, { ...name, safe: path })).code).to.equal(0);
    const [revocation] = JSON.parse(await readFile(path, "utf8")).transactions;
    expect([revocation.to, revocation.contractMethod.name]).to.deep.equal([moduleHere(), "revoke"]);
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
    expect((await run(listMandates, name)).text).to.equal(
      `assay: There is no Safe at ${chain.token("USDL")}.`,
    );
    expect((await run(listMandates, { ...name, safeAddress: agent() })).text).to.equal(
      `assay: There is no Safe at ${agent()}.`,
    );
    // Its fallback takes any call, and answers nothing.
    const deposits = await (await wallet(8).sendTransaction({ data: "0x6001600c60003960016000f300" })).wait();
    const silent = deposits?.contractAddress as string;
    expect((await run(listMandates, { safeAddress: silent })).text).to.equal(
      `assay: There is no Safe at ${silent}.`,
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

  it("deploys module and setup of a guard where they are missing, from any account", async () => {
    expect((await run(deployMandates, EXECUTE)).text)
      .to.contain("The module is at")
      .and.contain("The setup is at");
    for (const [missing, words, code] of [
      [SAFE.factory, `WARNING  Safe 1.4.1 is not on this chain: there is no factory at ${SAFE.factory}.`, 0],
      [mandateContracts(chain.deployment.guard).module.to, "This chain lacks the CREATE2 deployer at ", 1],
    ] as const) {
      await using rpc = await flakyRpc(chain.url, (method, _, [address]) =>
        method === "eth_getCode" && String(address).toLowerCase() === missing.toLowerCase()
          ? { result: "0x" }
          : null,
      );
      const { code: is, text } = await run(deployMandates, EXECUTE, behind(here, rpc));
      expect(text).to.contain(words);
      expect(is).to.equal(code);
    }
    const guard = Wallet.createRandom().address;
    const other = await ownersAt();
    // What a record names counts, also where later code would stand elsewhere.
    const elsewhere = { module: guard, setup: mandateContracts(guard).setup.address };
    const { chainId, deployedAtBlock } = chain.deployment;
    const record = { chainId, guard: chain.deployment.guard, deployedAtBlock, mandates: elsewhere };
    await mkdir(other.path("deployments"), { recursive: true });
    await writeFile(other.path("deployments/31337.json"), JSON.stringify(record));
    expect((await run(createMandate, terms(), other)).text).to.contain(
      `There is no contract at ${guard} yet`,
    );
    await rm(other.path("deployments/31337.json"));
    await writeFile(other.path("data/chain/deployment.json"), JSON.stringify({ ...chain.deployment, guard }));
    const before = await blocks();
    const create = await run(createMandate, terms(), other);
    expect(create.text).to.contain("run assay mandate deploy");
    const dry = await run(deployMandates, {}, other);
    const { module, setup } = mandateContracts(guard);
    expect(dry.text)
      .to.contain(`deploy the module at ${module.address}`)
      .and.contain(`The setup is at ${setup.address}`);
    expect(await blocks()).to.equal(before);
    const sent = await run(deployMandates, EXECUTE, other);
    expect(sent.code, sent.text).to.equal(0);
    expect(await chain.provider.getCode(module.address)).to.not.equal("0x");
  });

  async function plainSafe(owners: string[], threshold: bigint): Promise<string> {
    const nobody = [ZeroAddress, "0x", SAFE.fallbackHandler, ZeroAddress, 0, ZeroAddress];
    const setup = SINGLETON.encodeFunctionData("setup", [owners, threshold, ...nobody]);
    const make = new Contract(SAFE.factory, SAFE_CONTRACTS.factory.abi, wallet(8)).getFunction(
      "createProxyWithNonce",
    );
    const address = await make.staticCall(SAFE.singleton, setup, 7n);
    await (await make.send(SAFE.singleton, setup, 7n)).wait();
    return address;
  }
});
