/** `assay mandate create` and `deploy`, by an owner at a local chain. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { Contract, Wallet, ZeroAddress } from "ethers";
import { POLICIES } from "../../../attestor/policies/policy.ts";
import { mandateContracts } from "../../../chain/mandateContracts.ts";
import { SAFE } from "../../../chain/mandates/calls.ts";
import { SAFE_CONTRACTS } from "../../../devnet/artifacts.ts";
import { behind } from "../../support/admin.ts";
import { adminTable, type Row } from "../../support/adminTable.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { mandateOwner } from "../../support/mandateOwner.ts";
import { expectSaid } from "../../support/said.ts";
import { testWorld } from "../../support/world.ts";

const DAY = 86_400;
const SINGLETON = SAFE_CONTRACTS.singleton.abi;

const TERMS: Readonly<Record<string, string>> = {
  "--owner": "$STRANGER",
  "--agent": "$SUCCESSOR",
  "--stocks": "AAPLx,TSLAx:2.5",
  "--per-trade": "100",
  "--per-day": "500",
  "--budget": "5000",
};
const refused = (change: Readonly<Record<string, string>>, says: string): Row => {
  const typed = Object.entries({ ...TERMS, ...change }).map(([name, value]) => `${name} "${value}"`);
  return {
    name: `refuses ${JSON.stringify(change).slice(0, 60)}: ${says}`,
    types: `mandate create ${typed.join(" ")} --execute`,
    code: 2,
    says: [says],
  };
};
const REFUSALS: readonly Row[] = [
  refused({ "--agent": "$STRANGER" }, "--agent must be a key of its own"),
  refused({ "--stocks": "AAPLx, TSLAx,AAPLx:5" }, "--stocks: AAPLx is named twice."),
  refused({ "--stocks": "AAPLx,MSFTx" }, "--stocks: MSFTx is unknown. Known are AAPLx, TSLAx"),
  refused({ "--stocks": "AAPLx:1:2" }, "--stocks: AAPLx:1:2 must be a symbol"),
  refused({ "--token": "USDT" }, "--token must be one of USDL."),
  refused({ "--per-day": "0" }, "--per-day must be an amount above 0"),
  refused({ "--per-day": "1.2345678" }, "--per-day must be an amount above 0 with up to 6 decimals"),
  refused({ "--budget": "0" }, "--budget must be an amount above 0"),
  refused({ "--policies": "LAX" }, "--policies: LAX is unknown. Known are"),
  refused({ "--policies": Array(17).fill("STRICT_LIVE").join(",") }, "This is no mandate"),
  refused({ "--expires": "2020-01-01" }, "--expires is past"),
  refused({ "--expires": "soon" }, "--expires must be days (30d)"),
  refused({ "--expires": "2027-02-30" }, "--expires must be days (30d)"),
];

describe("assay mandate create", () => {
  const chain = testWorld();
  const {
    ownersAt,
    owner,
    revoker,
    agent,
    run,
    done,
    terms,
    send,
    asSafe,
    made,
    granted,
    blocks,
    create,
    here,
  } = mandateOwner(chain);
  adminTable(chain, REFUSALS);

  it("makes a Safe with a mandate in one transaction, where the dry run said, and says what the agent can do", async () => {
    const line = `create --owner ${owner()} ${terms()}`;
    const shown = [
      "buy     AAPLx, TSLAx with USDL",
      "sell    at most 2.5 TSLAx in all, for USDL",
      "for     at most 100 USDL a trade, 500 USDL within 24 hours, 5000 USDL in all",
      "judged  by STRICT_LIVE",
      "revoked by the Safe",
    ];
    const safe = made(await done(line, ...shown));
    expect(await chain.provider.getCode(safe)).to.equal("0x");
    const before = await blocks();
    const next = `Next: send USDL to the Safe ${safe}.`;
    expect(made(await done(`${line} --execute`, ...shown, next))).to.equal(safe);
    expect(await blocks()).to.equal(before + 1);
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
    expect(await create("--salt 1")).to.not.equal(safe);
  });

  it("names the terms that make the Safe of a dry run later, and asks nobody to pay it before", async () => {
    const unbounded = terms().replace(" --budget 5000", "");
    const line = `create --owner ${owner()} ${unbounded} --expires 36h`;
    let dry = "";
    for (const how of ["--print", `--safe ${here().path("make.json")}`, ""]) {
      dry = await done(`${line} ${how}`, "Send nothing there before it exists.");
      expect(dry).to.not.contain("Next:");
    }
    const [, fixed] = /repeat them with (--expires \S+ --budget \S+)\. /.exec(dry) ?? [];
    const expiresAt = Math.floor(chain.clock.now() / 1000) + 36 * 3_600;
    chain.clock.advance(DAY * 1000);
    expect(await create(fixed, unbounded)).to.equal(made(dry));
    expect((await granted(made(dry))).mandate?.expiresAt).to.equal(expiresAt);
  });

  it("is content with a Safe that somebody made first, where its mandate is the one that was asked for", async () => {
    for (const [salt, moment] of [
      ["20", "eth_estimateGas"],
      ["21", "eth_sendRawTransaction"],
    ] as const) {
      const line = `create --owner ${owner()} ${terms()} --salt ${salt}`;
      const dry = await done(`${line} --print`);
      const call = { to: SAFE.factory, data: /data +(0x\w+)/.exec(dry)?.[1] as string };
      let others = 0;
      await using rpc = await flakyRpc(chain.url, async (method) => {
        if (method === moment && others++ === 0) await send(7, call);
        return null;
      });
      const sent = await run(`${line} --execute`, behind(here(), rpc));
      expectSaid(sent, 0, "This Safe is there already: ", "Granted: ", "Next: ");
    }
    const line = `create --owner ${owner()} ${terms()} --salt 20`;
    const safe = /already: (0x\w{40})/.exec(await done(line))?.[1] as string;
    const grant = (more: string) => run(`grant --safe-address ${safe} ${terms()} ${more} --execute`);
    const add = SINGLETON.encodeFunctionData("addOwnerWithThreshold", [revoker(), 1]);
    for (const [change, words, code] of [
      // As trades leave it.
      [() => grant("--budget 4000 --stocks AAPLx,TSLAx:1"), "Granted: ", 0],
      [() => grant("--budget 6000"), "has granted another mandate", 1],
      [() => grant("--stocks AAPLx,TSLAx:3"), "has granted another mandate", 1],
      [() => grant("--per-trade 99"), "has granted another mandate", 1],
      [() => run(`revoke --safe-address ${safe} --agent ${agent()} --execute`), "has granted nothing", 1],
      [() => asSafe(safe, { to: safe, data: add }), `is of 1 of ${revoker()}, ${owner()}`, 1],
    ] as const) {
      await change();
      const again = await run(`${line} --execute`);
      expectSaid(again, code, words, "Another --salt makes another one.");
    }
  });

  it("caps a trade by a day, and all of them by the days until the end, where nothing else is said", async () => {
    const { mandate } = await granted(
      await create("--expires 2d", terms().replace(/ --per-trade 100| --budget 5000/g, "")),
    );
    const [perTrade, perDay, budget] = [mandate?.perTrade, mandate?.perDay, mandate?.budget];
    expect([perTrade, perDay, budget]).to.deep.equal(["500000000", "500000000", "1500000000"]);
  });

  it("deploys module and setup of a guard where they are missing, from any account", async () => {
    const line = `create --owner ${owner()} ${terms()}`;
    await done("deploy --execute", "The module is at", "The setup is at");
    const without = (missing: string) =>
      flakyRpc(chain.url, (method, _, [address]) =>
        method === "eth_getCode" && String(address).toLowerCase() === missing.toLowerCase()
          ? { result: "0x" }
          : null,
      );
    await using noFactory = await without(SAFE.factory);
    expectSaid(
      await run("deploy --execute", behind(here(), noFactory)),
      0,
      `WARNING  Safe 1.4.1 is not on this chain: there is no factory at ${SAFE.factory}.`,
    );
    const guard = Wallet.createRandom().address;
    const other = await ownersAt();
    // What a record names counts, also where later code would stand elsewhere.
    const elsewhere = { module: guard, setup: mandateContracts(guard).setup.address };
    const { chainId, deployedAtBlock } = chain.deployment;
    const record = { chainId, guard: chain.deployment.guard, deployedAtBlock, mandates: elsewhere };
    await mkdir(other.path("deployments"), { recursive: true });
    await writeFile(other.path("deployments/31337.json"), JSON.stringify(record));
    expectSaid(await run(line, other), 1, `There is no contract at ${guard} yet`);
    await rm(other.path("deployments/31337.json"));
    await writeFile(other.path("data/chain/deployment.json"), JSON.stringify({ ...chain.deployment, guard }));
    const before = await blocks();
    expectSaid(await run(line, other), 1, "run assay mandate deploy");
    const { module, setup } = mandateContracts(guard);
    const places = [`deploy the module at ${module.address}`, `The setup is at ${setup.address}`];
    expectSaid(await run("deploy", other), 0, ...places);
    expect(await blocks()).to.equal(before);
    await using noDeployer = await without(module.to);
    const refused = await run("deploy --execute", behind(other, noDeployer));
    expectSaid(refused, 1, "This chain lacks the CREATE2 deployer at ");
    expectSaid(await run("deploy --execute", other), 0);
    expect(await chain.provider.getCode(module.address)).to.not.equal("0x");
  });

  it("asks which settlement token is meant where there are two", async () => {
    const before = await blocks();
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
    const line = `create --owner ${owner()} ${terms()}`;
    expectSaid(await run(line, two), 2, "assay mandate create: --token must be one of USDL, USDT.");
    expectSaid(await run(`${line} --token USDT`, two), 0, "with USDT");
    expect(await blocks()).to.equal(before);
  });
});
