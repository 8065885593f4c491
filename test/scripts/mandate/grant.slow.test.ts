/** `assay mandate grant`, `list` and `revoke`, by an owner at a local chain. */
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { Contract } from "ethers";
import type { PlainCall } from "../../../attestor/evm/reads.ts";
import { isSafeFileWhole } from "../../../attestor/evm/safeFile.ts";
import { uintWord } from "../../../attestor/evm/words.ts";
import { grantCall, SAFE } from "../../../chain/mandates/calls.ts";
import { isEnabled, mandateOf, ownersOf } from "../../../chain/mandates/reads.ts";
import { SAFE_CONTRACTS } from "../../../devnet/artifacts.ts";
import { behind, keys } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { mandateOwner } from "../../support/mandateOwner.ts";
import { expectSaid } from "../../support/said.ts";
import { testWorld } from "../../support/world.ts";

const SINGLETON = SAFE_CONTRACTS.singleton.abi;

describe("assay mandate grant, list and revoke", () => {
  const chain = testWorld();
  const {
    ownersAt,
    user,
    owner,
    revoker,
    agent,
    second,
    run,
    done,
    terms,
    moduleHere,
    wallet,
    send,
    asSafe,
    made,
    granted,
    create,
    plainSafe,
    here,
  } = mandateOwner(chain);

  it("reads back what it sent, and says where the chain has something else", async () => {
    const safe = await create("--salt 22");
    const grant = `grant --safe-address ${safe} ${terms()} --per-day 400 --execute`;
    const revoke = `revoke --safe-address ${safe} --agent ${agent()} --execute`;
    const own = mandateOf(moduleHere(), safe, agent());
    const before = await chain.provider.call(own);
    const none = await chain.provider.call(mandateOf(moduleHere(), safe, revoker()));
    const others = await chain.provider.call(ownersOf(await plainSafe([second()], 1n)));
    await using rpc = await flakyRpc(chain.url);
    for (const [line, { data }, result, words] of [
      [grant, own, before, "has granted another mandate"],
      [grant, own, none, "has granted nothing"],
      [grant, isEnabled(safe, moduleHere()), uintWord(0), "has not enabled the module"],
      [grant, ownersOf(safe), others, `is of 1 of ${second()}`],
      [grant, { data: null }, null, /was mined in block \d+ and reverted: /],
      [revoke, own, before, "still has a mandate of"],
    ] as const) {
      rpc.sent.length = 0;
      rpc.decide = async (method, _, params) => {
        if (rpc.sent.length > 0 && (params[0] as PlainCall | undefined)?.data === data && data !== null)
          return { result };
        if (data !== null || method !== "eth_getTransactionReceipt") return null;
        const receipt = await chain.provider.send(method, params);
        return { result: receipt && { ...receipt, status: "0x0" } };
      };
      expectSaid(await run(line, behind(here(), rpc)), 1, words);
    }
  });

  it("lists what the Safe holds and what the guard may take of it, and revokes a mandate without end", async () => {
    const safe = await create("--salt 23");
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
    const name = `--safe-address ${safe} --agent ${agent()}`;
    const { mandate } = await granted(safe);
    await asSafe(
      safe,
      grantCall(moduleHere(), agent(), { ...mandate!, expiresAt: (2n ** 64n - 1n) as never }),
    );
    await done(
      `list ${name}`,
      "Holds    5 USDL",
      "WARNING  The guard may take 1.5 USDL: with this token no agent can trade",
      "until   9999-12-31T23:59:59Z",
    );
    await done(`revoke ${name} --execute`);
    expect((await granted(safe)).mandate).to.equal(null);
  });

  it("shows of a stock that a Safe granted twice the entry that the module knows", async () => {
    const safe = await create("--salt 24");
    const { mandate } = await granted(safe);
    const stocks = ["0", "5000000000000000000"].map((sellable) => ({
      token: chain.token("AAPLx"),
      sellable,
    }));
    await asSafe(safe, grantCall(moduleHere(), agent(), { ...mandate!, stocks }));
    await done(`list --safe-address ${safe}`, "buy     AAPLx with USDL", "sell    nothing");
  });

  it("grants by the Safe's only owner, also where the module is not enabled yet, and lists what is left", async () => {
    const safe = await create("--salt 2");
    const other = `--stocks NVDAx --per-day 50 --revoker ${revoker()}`;
    for (const key of [owner(), safe])
      expectSaid(
        await run(`grant --safe-address ${safe} --agent ${key} ${other} --execute`),
        2,
        "--agent must be a key of its own",
      );
    await done(`grant --safe-address ${safe} --agent ${second()} ${other} --execute`);
    expect((await granted(safe, second())).mandate?.revoker).to.equal(revoker());
    await done(
      `list --safe-address ${safe}`,
      `Agent    ${agent()} can`,
      `Agent    ${second()} can`,
      "so far 0 USDL within 24 hours; at most 100 USDL now",
      `revoked by the Safe, or by ${revoker()}, who can do nothing else`,
    );
    const json = JSON.parse(await done(`list --safe-address ${safe} --json`));
    expect([json.safe, json.enabled]).to.deep.equal([safe, true]);
    expect(json.agents.map((one: any) => [one.agent, one.spentRaw, one.leftRaw])).to.have.deep.members([
      [agent(), "0", "100000000"],
      [second(), "0", "50000000"],
    ]);

    const plain = await plainSafe([owner()], 1n);
    const grant = `grant --safe-address ${plain} --agent ${second()} ${other}`;
    await done(grant, "enable the module and grant this mandate");
    await done(`list --safe-address ${plain}`, "NOT enabled", "No agent was ever");
    await done(`${grant} --execute`, "Granted: ");
    expect((await granted(plain, second())).mandate?.perDay).to.equal("50000000");
  });

  it("writes files for Safes whose owners sign together, and sends nothing of theirs", async () => {
    const safe = await plainSafe([owner(), revoker()], 2n);
    const grant = `grant --safe-address ${safe} ${terms()}`;
    const alone = (owners: string) => `This is for 2 of ${owners}: write a file for the Safe`;
    expectSaid(await run(`${grant} --execute`), 1, alone(`${owner()}, ${revoker()}`));
    const path = here().path("grant.json");
    await done(`${grant} --safe ${path}`);
    const file = JSON.parse(await readFile(path, "utf8"));
    expect(isSafeFileWhole(file)).to.equal(true);
    expect(file.meta.createdFromSafeAddress).to.equal(safe);
    const calls = file.transactions.map(({ to, contractMethod }: any) => [to, contractMethod.name]);
    expect(calls).to.deep.equal([
      [safe, "enableModule"],
      [moduleHere(), "grant"],
    ]);
    const joint = await create("--salt 25");
    const add = SINGLETON.encodeFunctionData("addOwnerWithThreshold", [revoker(), 2]);
    await asSafe(joint, { to: joint, data: add });
    const revoke = `revoke --safe-address ${joint} --agent ${agent()}`;
    expectSaid(await run(`${revoke} --execute`), 1, alone(`${revoker()}, ${owner()}`));
    await done(`${revoke} --safe ${path}`);
    const [revocation] = JSON.parse(await readFile(path, "utf8")).transactions;
    expect([revocation.to, revocation.contractMethod.name]).to.deep.equal([moduleHere(), "revoke"]);
    // An owner that is a Safe itself makes the new one by such a file.
    const making = await done(`create --owner ${safe} ${terms()} --safe ${path}`);
    const [creation] = JSON.parse(await readFile(path, "utf8")).transactions;
    expect(creation.to).to.equal(SAFE.factory);
    const factory = SAFE_CONTRACTS.factory.abi;
    const data = factory.encodeFunctionData(
      "createProxyWithNonce",
      Object.values(creation.contractInputsValues),
    );
    const answer = await chain.provider.call({ to: SAFE.factory, data });
    expect(factory.decodeFunctionResult("createProxyWithNonce", answer)[0]).to.equal(made(making));
  });

  it("revokes by the owner or by the revoker, at once", async () => {
    for (const [from, salt] of [
      [owner(), "3"],
      [revoker(), "4"],
    ] as const) {
      const safe = await create(`--salt ${salt} --revoker ${revoker()}`);
      const name = `--safe-address ${safe} --agent ${agent()}`;
      const words = [`Caller   ${from}`, "Revoked: from this block on"];
      await done(`revoke ${name} --from ${from} --execute`, ...words);
      expect((await granted(safe)).mandate).to.equal(null);
      await done(`revoke ${name} --execute`, "Nothing to do");
      await done(`list ${name}`, "no mandate, or revoked");
    }
    const safe = await create("--salt 5");
    const stranger = await ownersAt({ accounts: keys(user(7).privateKey) });
    const refused = await run(`revoke --safe-address ${safe} --agent ${agent()} --execute`, stranger);
    expectSaid(refused, 1, `This is for 1 of ${owner()}`);
  });

  it("tells what is no Safe, and what the chain would refuse", async () => {
    for (const address of [chain.token("USDL"), agent()])
      expectSaid(
        await run(`list --safe-address ${address} --agent ${agent()}`),
        1,
        `There is no Safe at ${address}.`,
      );
    // Its fallback takes any call, and answers nothing.
    const deposits = await (await wallet(8).sendTransaction({ data: "0x6001600c60003960016000f300" })).wait();
    const silent = deposits?.contractAddress as string;
    expectSaid(await run(`list --safe-address ${silent}`), 1, `There is no Safe at ${silent}.`);
    const safe = await create("--salt 6");
    chain.clock.advance(2 * 3_600_000);
    await chain.mine();
    // The clock of who types it is behind.
    const slow = await ownersAt({ now: () => chain.clock.now() - 2 * 3_600_000 });
    const late = await run(`grant --safe-address ${safe} ${terms()} --expires 1h`, slow);
    expectSaid(late, 1, /The chain would refuse to grant this mandate: MandateExpired\(expiresAt: \d+\)\./);
  });
});
