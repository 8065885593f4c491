/** Trades within a mandate, on a real chain with a real Safe: judged, certified, sent by the agent, verified; and refused. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { approveCallData } from "../../../attestor/certificate/guardCall.ts";
import { grantCall, revokeCall } from "../../../attestor/mandates/calls.ts";
import type { Mandate } from "../../../attestor/mandates/mandate.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { evaluate } from "../../../attestor/report.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { connectJsonRpc } from "../../../chain/jsonRpc.ts";
import { unixSeconds } from "../../../devnet/clock.ts";
import { MandateModule__factory } from "../../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { countingRpc } from "../../support/countingRpc.ts";
import { tokenOf } from "../../support/dollars.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { expectProblem, expectStatus, insisted } from "../../support/http.ts";
import { leaseToAnother } from "../../support/leases.ts";
import {
  type MandatedSafe,
  mandatedSafe,
  mandateFinding,
  mandateFor,
  sendMandateCall,
} from "../../support/mandates.ts";
import { deniedBy, startService, testService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { verifiedWith } from "../../support/verified.ts";
import { testWorld } from "../../support/world.ts";

const UNIT = 10n ** 18n;

describe("a trade within a mandate", () => {
  const world = testWorld();
  const service = testService(world);
  let mandated: MandatedSafe;
  before(async () => {
    mandated = await mandatedSafe(world);
  });
  const tick = async (seconds?: number) => {
    await world.tick(seconds);
    await service.recordLiquidity();
  };
  beforeEach(() => tick());

  const trust = () => ({
    signer: world.accounts.attestation.address,
    guard: { chainId: world.deployment.chainId, address: world.deployment.guard },
  });
  /** What came of a transaction that was submitted. */
  const submitted = async (jobId: string, hash: string) => {
    const find = ({ executions }: any) =>
      executions.find((one: any) => one.transactionHash === hash && one.state !== "submitted");
    await service.submit(jobId, hash);
    return find(await service.jobWhen(jobId, (job) => find(job) !== undefined));
  };
  const module = () => world.deployment.mandates!.module;
  const wrongIn = (document: any) =>
    verifyReport(document, trust()).steps.flatMap(({ name, outcome }) => (outcome === "wrong" ? [name] : []));
  const sell = (amount: bigint) => ({
    inputAssetKey: world.assetKey("AAPLx"),
    outputAssetKey: world.assetKey("USDL"),
    amountInRaw: String(amount),
  });
  /** A trade that is judged against the last close, at any hour. */
  const atAnyHour = { policyId: "LAST_CLOSE" };

  describe("as its agent makes it", () => {
    it("is judged by the mandate at the block, sent by the agent, confirmed, and VALID offline with the mandate proved", async () => {
      const { job, prepared } = await service.newPrepared(mandated.body);
      const { evidence } = prepared.report;
      expect(evidence.intent.mandate).to.deep.equal(mandated.body.mandate);
      expect(evidence.mandate).to.deep.include({ enabled: true, allowance: "0", spentWithinDay: "0" });
      expect(evidence.mandate.granted).to.deep.equal({
        ...mandateFor(world),
        expiresAt: evidence.mandate.granted.expiresAt,
      });
      const { observed, limit, outcome } = mandateFinding(prepared.report);
      expect({ observed, limit, outcome }).to.deep.equal({
        observed: "250000000",
        limit: "300000000",
        outcome: "pass",
      });
      const hash = await sendMandateCall(mandated.agent, prepared.execution);
      const execution = await submitted(job.jobId, hash);
      expect(execution.state, execution.reason).to.equal("confirmed");
      const { verdict, steps, facts } = verifyReport(prepared, trust());
      expect(verdict, JSON.stringify(steps)).to.equal("VALID");
      expect(steps.find(({ name }) => name === "proved")?.detail).to.contain("the mandate");
      const ofMandate = facts.filter(({ name }) => /mandate|module|spent|allowance/.test(name));
      expect(ofMandate.map(({ name, kind }) => [name, kind])).to.deep.equal([
        ["module enabled by the Safe", "proved"],
        ["mandate", "proved"],
        ["spent within the day", "proved"],
        ["the Safe's allowance to the guard", "observed"],
      ]);
      const bought = tokenOf(world, "AAPLx", mandated.owner);
      expect(await bought.getFunction("balanceOf")(mandated.safe)).to.be.above(5n * UNIT);
    });

    it("counts what was spent before: beyond the day's cap it is denied by the service and reverted by the chain", async () => {
      const { job, prepared } = await service.newPrepared(mandated.body);
      expect(prepared.report.evidence.mandate).to.include({ spentWithinDay: "250000000" });
      const beside = await service.newPrepared(mandated.body);
      await submitted(job.jobId, await sendMandateCall(mandated.agent, prepared.execution));
      // It was certified before the other one was counted.
      const refused = await submitted(
        beside.job.jobId,
        await sendMandateCall(mandated.agent, beside.prepared.execution),
      );
      expect(refused).to.include({ state: "reverted", reportVersion: 2 });
      expect(refused.reason).to.contain("within the mandate");
      const { report } = await service.newJob(mandated.body);
      expect(deniedBy(report)).to.deep.equal(["mandate"]);
      expect(mandateFinding(report)).to.include({ observed: "250000000", limit: "0" });
    });

    it("counts a sell by all that it earns, and what is left of the stock", async () => {
      const seller = await mandatedSafe(world);
      const { job, prepared } = await service.newPrepared({ ...seller.body, ...sell(UNIT) });
      const earned = prepared.report.evidence.quote.amountOutRaw;
      expect(mandateFinding(prepared.report)).to.include({ outcome: "pass", observed: earned });
      const hash = await sendMandateCall(seller.agent, prepared.execution);
      const execution = await submitted(job.jobId, hash);
      expect(execution.state, execution.reason).to.equal("confirmed");
      const { evidence } = (await service.newJob(seller.body)).report;
      expect(evidence.mandate.granted.stocks[0].sellable).to.equal(String(UNIT));
      expect(evidence.mandate.spentWithinDay).to.equal(execution.confirmed.amountOutRaw);
    });

    it("is INVALID for a reader who knows another module as the guard's, by name or by the guard's record", async () => {
      const { prepared } = await service.newPrepared({ ...(await mandatedSafe(world)).body });
      const told = (more: object) => {
        const { verdict, steps } = verifyReport(prepared, { ...trust(), ...more });
        return [verdict, steps.find(({ name }) => name === "module")?.outcome];
      };
      const record = (known: string) => {
        const { guard, signer } = trust();
        const keys = [{ address: signer, endedAt: null }];
        return { known: [{ ...guard, record: "deployments/31337.json", keys, module: known }] };
      };
      const other = walletOf(world, 5).address;
      expect(told({})).to.deep.equal(["VALID", undefined]);
      for (const named of [(known: string) => ({ module: known }), record]) {
        expect(told(named(module()))).to.deep.equal(["VALID", "ok"]);
        expect(told(named(other))).to.deep.equal(["INVALID", "wrong"]);
      }
    });

    it("is not told apart from another's call of the module by its form alone", async () => {
      const { job } = await service.newPrepared(mandated.body);
      const data = MandateModule__factory.createInterface().encodeFunctionData("revoke", [
        mandated.safe,
        mandated.owner.address,
      ]);
      const call = { mandateCall: { to: module(), data } };
      const other = await submitted(job.jobId, await sendMandateCall(mandated.agent, call));
      expect(other.state).to.equal("mismatched");
      const { prepared } = await service.newPrepared({ ...mandated.body, ...atAnyHour });
      expect(prepared.execution).to.equal(null);
    });
  });

  it("costs the node no request more than another trade: the mandate is read with the block", async () => {
    await using rpc = await countingRpc(world.url);
    await using counted = await startService(world, "sqlite::memory:", { RPC_URL: rpc.url });
    // A call alone is of the service's background.
    const ofJob = (methods: readonly string[]) => methods.length > 1;
    const requestsOf = async (body: Record<string, unknown>) => {
      await world.tick();
      await counted.recordLiquidity();
      const before = rpc.requests.length;
      await counted.newJob(body);
      return rpc.requests.slice(before).filter(ofJob).length;
    };
    // What was asked at the last blocks is asked for ahead at the next.
    for (const body of [{}, mandated.body]) await requestsOf(body);
    expect(await requestsOf(mandated.body)).to.equal(await requestsOf({}));
  });

  describe("whose mandate is proved", () => {
    it("is not consistent with any part of the mandate changed", async () => {
      const { report } = await service.newJob({ ...mandated.body, ...atAnyHour });
      const one = "1";
      const bends: Record<string, (mandate: any) => void> = {
        "the Safe without the module": (of) => (of.enabled = false),
        "no mandate": (of) => (of.granted = null),
        "another settlement token": ({ granted }) => (granted.settlementToken = world.token("USDT")),
        "another expiry": ({ granted }) => (granted.expiresAt += 1),
        "another revoker": ({ granted }) => (granted.revoker = mandated.owner.address),
        "another cap of a trade": ({ granted }) => (granted.perTrade += one),
        "another cap of a day": ({ granted }) => (granted.perDay += one),
        "another budget": ({ granted }) => (granted.budget += one),
        "another stock": ({ granted }) => (granted.stocks[1].token = world.token("NVDAx")),
        "more to sell": ({ granted }) => (granted.stocks[1].sellable = one),
        "a stock less": ({ granted }) => granted.stocks.pop(),
        "a stock more": ({ granted }) => granted.stocks.push({ token: world.token("NVDAx"), sellable: "0" }),
        "another policy": ({ granted }) =>
          (granted.policies[0] = policyById("EXTENDED_HOURS").definitionHash),
        "a policy less": ({ granted }) => granted.policies.pop(),
        "another sum of the window": (of) => (of.window.spent = of.spentWithinDay = one),
        "another beginning of the window": ({ window }) => (window.firstHour += 1),
      };
      expect(wrongIn(report)).to.deep.equal([]);
      for (const [name, bend] of Object.entries(bends)) {
        const evidence = structuredClone(report.evidence);
        bend(evidence.mandate);
        const judged = evaluate(policyById("LAST_CLOSE"), evidence, undefined, true);
        const wrong = wrongIn({ ...judged, proofs: report.proofs });
        // What the proofs do not reach at all is not proved either.
        expect(
          wrong.some((step) => /^(mandate state|state proof)$/.test(step)),
          `${name}: ${wrong}`,
        ).to.equal(true);
      }
    });

    it("counts the hours of the last day alone, each by its proof", async () => {
      const patient = await mandatedSafe(world, { perTrade: "100000000" });
      const amount = { ...patient.body, ...atAnyHour, amountInRaw: "100000000" };
      const trade = async () => {
        const { job, prepared } = await service.newPrepared(amount);
        expect(prepared.execution, JSON.stringify(deniedBy(prepared.report))).to.not.equal(null);
        const hash = await sendMandateCall(patient.agent, prepared.execution);
        expect((await submitted(job.jobId, hash)).state).to.equal("confirmed");
      };
      await trade();
      await tick(3 * 3_600);
      await trade();
      await tick(23 * 3_600);
      const { report } = await service.newJob(amount);
      const { window, spentWithinDay } = report.evidence.mandate;
      expect([window.spent, spentWithinDay]).to.deep.equal(["200000000", "100000000"]);
      expect(window.past.filter((spent: string) => spent !== "0")).to.deep.equal(["100000000"]);
      expect(
        verifyReport(report, trust()).facts.some(({ name, kind }) => name === "mandate" && kind === "proved"),
      ).to.equal(true);
      // Another story of the hours, which the evidence itself does not contradict.
      const evidence = structuredClone(report.evidence);
      evidence.mandate.window.past.fill("0");
      evidence.mandate.spentWithinDay = window.spent;
      expect(
        wrongIn({ ...evaluate(policyById("LAST_CLOSE"), evidence, undefined, true), proofs: report.proofs }),
      ).to.deep.equal(["mandate state"]);
      await tick(2 * 86_400);
      const later = (await service.newJob(amount)).report.evidence.mandate;
      expect([later.window.past, later.spentWithinDay]).to.deep.equal([[], "0"]);
    });
  });

  describe("that the module would refuse", () => {
    let denied: MandatedSafe;
    before(async () => {
      denied = await mandatedSafe(world, {}, walletOf(world, 2));
    });
    const now = () => unixSeconds(world.clock);
    /** What the trade counts is 250 dollars of each; the limit is 0 where no amount would pass. */
    const cases: [name: string, changes: () => Partial<Mandate>, message: RegExp, limit?: string][] = [
      [
        "above the cap of a trade",
        () => ({ perTrade: "249999999" }),
        /249999999 raw units a trade/,
        "249999999",
      ],
      ["above the cap of a day", () => ({ perDay: "249999999" }), /249999999 within 24/, "249999999"],
      ["above the budget", () => ({ budget: "249999999" }), /249999999 left in all/, "249999999"],
      ["after its expiry", () => ({ expiresAt: now() + 5 }), /expired at 20/],
      ["by another policy", () => ({ policies: [] }), /does not name the policy 0x/],
      [
        "in another settlement token",
        () => ({ settlementToken: world.token("USDT") }),
        /settlement token is/,
      ],
      ["of another stock", () => ({ stocks: [] }), /does not name the stock 0x/],
    ];
    for (const [name, changes, message, limit = "0"] of cases)
      it(`is denied ${name}`, async () => {
        await denied.grant(changes());
        await tick();
        const { report } = await service.newJob(denied.body);
        expect(deniedBy(report)).to.deep.equal(["mandate"]);
        const finding = mandateFinding(report);
        expect(finding).to.include({ outcome: "fail", observed: "250000000", limit });
        expect(finding.message).to.match(message);
        expect(verifyReport(report, trust()).isConsistent).to.equal(true);
      });

    it("is denied of more of a stock than can be sold", async () => {
      await denied.grant({ stocks: [{ token: world.token("AAPLx"), sellable: String(UNIT / 2n - 1n) }] });
      await tick();
      const { report } = await service.newJob({ ...denied.body, ...sell(UNIT / 2n) });
      expect(mandateFinding(report)).to.include({ outcome: "fail", limit: "0" });
      expect(mandateFinding(report).message).to.contain(
        "lets 499999999999999999 raw units of the stock be sold",
      );
    });

    it("is denied while the Safe lets the guard take the input token, which is read and not proved", async () => {
      await denied.grant();
      const data = (value: string) => approveCallData(world.deployment.guard, value);
      await denied.call({ to: world.token("USDL"), data: data("7") });
      await tick();
      const { report } = await service.newJob(denied.body);
      const { evidence: bought } = report;
      const finding = mandateFinding(report);
      expect(finding).to.include({ outcome: "fail", limit: "0" });
      expect(finding.message).to.contain("allowance to the guard is 7");
      // Of a sell in the same block another token counts.
      const selling = (await service.newJob({ ...denied.body, ...sell(UNIT / 10n) })).report.evidence;
      expect([selling.mandate.allowance, selling.chain.blockNumber]).to.deep.equal([
        "0",
        bought.chain.blockNumber,
      ]);
      await denied.call({ to: world.token("USDL"), data: data("0") });
    });

    it("is denied once the mandate is revoked, and where there never was one", async () => {
      await denied.grant();
      await denied.call(revokeCall(module(), denied.safe, denied.agent.address));
      await tick();
      for (const agent of [denied.agent.address, denied.owner.address]) {
        const { report } = await service.newJob({ ...denied.body, mandate: { safe: denied.safe, agent } });
        expect(report.evidence.mandate.granted).to.equal(null);
        expect(mandateFinding(report)).to.include({ outcome: "fail", limit: "0" });
        expect(mandateFinding(report).message).to.contain("there is none, or it was revoked");
      }
    });

    it("is denied for an owner that has enabled no module, though it granted a mandate", async () => {
      const [owner, agent] = [walletOf(world, 3), walletOf(world, 4)];
      await (await owner.sendTransaction(grantCall(module(), agent.address, mandateFor(world)))).wait();
      await tick();
      const named = { safe: owner.address, agent: agent.address };
      const { report } = await service.newJob({ ownerAddress: owner.address, mandate: named });
      expect(report.evidence.mandate.enabled).to.equal(false);
      expect(mandateFinding(report).message).to.contain("has not enabled the module");
      expect(wrongIn(report)).to.deep.equal([]);
    });

    it("keeps its proofs where a contract that is no Safe says that it enabled the module, and is taken at its storage", async () => {
      // Creation code of ten bytes that answer 1 to everything.
      const data = "0x600a600c600039600a6000f3600160005260206000f3";
      const made = await (await walletOf(world, 4).sendTransaction({ data })).wait();
      const liar = made!.contractAddress!;
      await tick();
      const named = { safe: liar, agent: denied.agent.address };
      const { report } = await service.newJob({ ownerAddress: liar, mandate: named });
      expect(report.evidence.mandate.enabled).to.equal(false);
      expect(report.proofs).to.not.equal(undefined);
      expect(wrongIn(report)).to.deep.equal([]);
    });

    it("is no request where owner or recipient is another than the Safe", async () => {
      const { mandate } = denied.body;
      const other = denied.owner.address;
      const pathOf = async (body: Record<string, unknown>) =>
        expectProblem(await service.post("/v1/jobs", service.jobBody(body)), 400, "invalid_request").body
          .errors[0].path;
      expect(await pathOf({ mandate })).to.equal("ownerAddress");
      expect(await pathOf({ ...denied.body, recipientAddress: other })).to.equal("recipientAddress");
      for (const agent of ["0x", ZeroAddress])
        expect(await pathOf({ ...denied.body, mandate: { ...mandate, agent } })).to.equal("mandate.agent");
      const oneShot = await service.verify(service.verifyBody({ mandate }));
      expect(expectProblem(oneShot, 400, "invalid_request").body.errors[0].path).to.equal("ownerAddress");
      expectStatus(await service.verify(service.verifyBody(denied.body)), 200);
    });

    it("is not judged by a service whose guard has no module", async () => {
      const { mandates: _, ...without } = world.deployment;
      const file = join(world.dataDir, "without-mandates.json");
      await writeFile(file, JSON.stringify(without));
      await using plain = await startService(world, "sqlite::memory:", { DEPLOYMENT_FILE: file });
      const answers = [
        await plain.post("/v1/jobs", plain.jobBody(denied.body)),
        await plain.verify(plain.verifyBody(denied.body)),
      ];
      for (const answer of answers)
        expect(expectProblem(answer, 422, "unsupported_mandate").body.errors[0].path).to.equal("mandate");
      expectStatus(await plain.post("/v1/jobs", plain.jobBody()), 201);
    });
  });

  describe("that changes after it was judged", () => {
    // Its log has no signed checkpoint until the lease is free, so that what is judged waits to be certified.
    const waiting = ofSuite(() => startService(world, "sqlite::memory:", { LOG_WAIT_MS: "50" }));
    const lease = () => waiting.server.db.deleteFrom("leases").where("name", "=", "log-publisher").execute();
    const changes: [string, (of: MandatedSafe) => Promise<unknown>, number][] = [
      ["is certified as it was judged where nothing changed", async () => {}, 2],
      ["is judged again once the owner granted another one", (of) => of.grant({ perDay: "400000000" }), 3],
      [
        "is judged again once it was revoked",
        (of) => of.call(revokeCall(module(), of.safe, of.agent.address)),
        3,
      ],
      ["is judged again once it expired", () => world.tick(21), 3],
      [
        "is judged again once the Safe lets the guard take something, an allowance that stands",
        (of) => of.call({ to: world.token("USDL"), data: approveCallData(world.deployment.guard, "1") }),
        3,
      ],
    ];
    for (const [name, change, version] of changes)
      it(name, async () => {
        const expiresAt = name.includes("expired") ? unixSeconds(world.clock) + 20 : undefined;
        const changed = await mandatedSafe(world, expiresAt === undefined ? {} : { expiresAt });
        await leaseToAnother(waiting.server.db, "log-publisher", world.clock.now() + 86_400_000);
        await waiting.recordLiquidity();
        const { jobId } = await waiting.newJob(changed.body);
        expectProblem(await waiting.prepare(jobId), 503, "unavailable");
        await change(changed);
        await lease();
        const { body } = expectStatus(await insisted(() => waiting.prepare(jobId)), 200);
        expect(body.report.version).to.equal(version);
        expect(body.execution === null).to.equal(/revoked|expired|allowance/.test(name));
      });
  });

  describe("by a node that lies", () => {
    const abi = MandateModule__factory.createInterface();
    let told: Record<string, number[]> = { windowOf: [0, 0] };
    const node = ofSuite(() =>
      flakyRpc(world.url, (method, _, params) => {
        const { to, data = "" } = (params[0] ?? {}) as { to?: string; data?: string };
        if (method !== "eth_call" || to?.toLowerCase() !== module().toLowerCase()) return null;
        const name = abi.parseTransaction({ data })?.name ?? "";
        return told[name] === undefined
          ? null
          : { result: abi.encodeFunctionResult(name as any, told[name]) };
      }),
    );
    const lied = ofSuite(() => startService(world, "sqlite::memory:", { RPC_URL: node.url }));

    it("has no proofs, and another node says otherwise", async () => {
      await lied.recordLiquidity();
      const { report } = await lied.newJob({ ...mandated.body, policyId: "LAST_CLOSE" });
      expect(report.evidence.mandate.window).to.deep.equal({ spent: "0", firstHour: 0, past: [] });
      expect(report.evidence.proofs).to.equal(null);
      const flags = ["-", "--signer", trust().signer];
      const { code, text } = await verifiedWith(flags, connectJsonRpc(world.url), { document: report });
      expect(code, text).to.equal(2);
      expect(text).to.match(/^unknown +read again +mandate: different/m);
      const honest = (await service.newJob({ ...mandated.body, policyId: "LAST_CLOSE" })).report;
      const again = await verifiedWith(flags, connectJsonRpc(world.url), { document: honest });
      expect(again.text).to.match(/^ok +read again +the Safe's allowance to the guard: the same/m);
      // With the proofs of the honest one the lie is found offline.
      const forged = { ...report, evidence: { ...report.evidence, proofs: honest.evidence.proofs } };
      const judged = evaluate(policyById("LAST_CLOSE"), forged.evidence, undefined, true);
      expect(wrongIn({ ...judged, proofs: honest.proofs })).to.include("mandate state");
    });

    it("is not judged where more was spent by hours than in all", async () => {
      told = { windowOf: [0, Math.floor(world.clock.now() / 3_600_000) - 25], spentInHour: [5] };
      await lied.recordLiquidity();
      expectProblem(await lied.post("/v1/jobs", lied.jobBody(mandated.body)), 503, "upstream_unavailable");
    });
  });
});
