/** What the client holds a prepared trade against before a wallet signs. */
import { expect } from "chai";
import {
  type AskedTrade,
  checkTrade as checkByClock,
  createClient,
  TradeRefused,
} from "../../client/client.ts";
import { testService } from "../support/service.ts";
import { testWorld } from "../support/world.ts";

describe("checkTrade of the client", () => {
  const world = testWorld();
  const service = testService(world);
  let asked: AskedTrade;
  let prepared: Parameters<typeof checkByClock>[0];
  let trust: Parameters<typeof checkByClock>[2];
  /** The world's time, unless a test says another. */
  const checkTrade = (...[trade, what, by, now]: Parameters<typeof checkByClock>) =>
    checkByClock(trade, what, by, now ?? Math.floor(world.clock.now() / 1000));

  before(async () => {
    const { deployment, accounts } = world;
    const guard = { chainId: deployment.chainId, address: deployment.guard };
    trust = { guard, signer: accounts.attestation.address };
    const client = createClient({ baseUrl: service.url, apiKey: service.key });
    asked = service.verifyBody() as unknown as AskedTrade;
    const job = await client.createJob({ ...asked, clientRequestId: "checked" });
    prepared = await client.prepare(job.jobId);
  });
  const refusal = (...given: Parameters<typeof checkByClock>): string => {
    try {
      checkTrade(...given);
    } catch (error) {
      if (error instanceof TradeRefused) return error.code;
      throw error;
    }
    return "none";
  };

  it("gives the calls of the trade that was asked for, with addresses in any case", () => {
    const { execution, verification } = checkTrade(prepared, asked, trust);
    expect(verification.verdict).to.equal("VALID");
    expect(execution.approval.amount).to.equal(asked.amountInRaw);
    const lower = { ...asked, ownerAddress: asked.ownerAddress.toLowerCase() };
    expect(refusal(prepared, lower, trust)).to.equal("none");
    expect(refusal(prepared, { ...asked, recipientAddress: asked.ownerAddress }, trust)).to.equal("none");
  });

  it("refuses a sound trade that is another one, in any member", () => {
    const stranger = world.accounts.users[1]!.address;
    for (const other of [
      { ownerAddress: stranger },
      { recipientAddress: stranger },
      { inputAssetKey: asked.outputAssetKey },
      { outputAssetKey: asked.inputAssetKey },
      { amountInRaw: "250000001" },
      { policyId: "OTHER" },
      { maxSlippageBps: 49 },
    ])
      expect(refusal(prepared, { ...asked, ...other }, trust), JSON.stringify(other)).to.equal("other_trade");
  });

  it("refuses a trade of another guard, of another key, and one whose calls are changed", () => {
    const stranger = world.accounts.users[1]!.address;
    expect(refusal(prepared, asked, { ...trust, signer: stranger })).to.equal("not_valid");
    const guard = { ...trust.guard, address: stranger };
    expect(refusal(prepared, asked, { ...trust, guard })).to.equal("not_valid");
    const changed = structuredClone(prepared);
    changed.execution!.approval.amount = "250000001";
    expect(refusal(changed, asked, trust)).to.equal("not_valid");
    const called = structuredClone(prepared);
    called.execution!.guardCall.to = stranger;
    expect(refusal(called, asked, trust)).to.equal("not_valid");
  });

  it("refuses a sound trade whose certificate or trade intent is over, by the clock where no time is given", async () => {
    const ends = ({ execution }: typeof prepared) => [
      Number(execution!.certificate.message.expiresAt),
      Number(execution!.tradeIntent.message.deadline),
    ];
    const client = createClient({ baseUrl: service.url, apiKey: service.key });
    const short = await client.createJob({ ...asked, clientRequestId: "short" });
    const brief = await client.prepare(short.jobId, { deadlineSeconds: 10 });
    const [[expiresAt, deadline], [briefExpiresAt, briefDeadline]] = [ends(prepared), ends(brief)];
    expect(expiresAt, "the certificate ends first").to.be.lessThan(deadline!);
    expect(briefDeadline, "the trade intent ends first").to.be.lessThan(briefExpiresAt!);
    for (const [trade, end] of [
      [prepared, expiresAt!],
      [brief, briefDeadline!],
    ] as const) {
      expect(refusal(trade, asked, trust, end - 1)).to.equal("none");
      for (const now of [end, end + 1, end + 86_400, end * 1000])
        expect(refusal(trade, asked, trust, now), String(now)).to.equal("expired");
      expect(() => checkTrade(trade, asked, trust, NaN)).to.throw(RangeError);
    }
    // The world's time is long past.
    expect(() => checkByClock(prepared, asked, trust)).to.throw(TradeRefused, "The trade's time is over");
  });

  it("checks nothing where no guard or no signer is named, instead of less", () => {
    const { guard, signer } = trust;
    const lacking = [
      undefined,
      {},
      { guard },
      { signer },
      { guard: undefined, signer },
      { guard: null, signer },
      { guard: { address: guard.address }, signer },
      { guard: { chainId: guard.chainId }, signer },
      { guard, signer: undefined },
      { guard, signer: null },
      { guard, signer: "" },
      { guard, signer: [signer, signer] },
    ];
    for (const given of lacking)
      expect(() => checkTrade(prepared, asked, given as never), JSON.stringify(given)).to.throw(
        RangeError,
        /^(guard|signer) must be /,
      );
  });

  it("compares the limits that were asked for, each of them", async () => {
    const client = createClient({ baseUrl: service.url, apiKey: service.key });
    const limits = { maxPremiumBps: 40, maxReferenceAgeSeconds: 60 };
    const { jobId } = await client.createJob({ ...asked, limits, clientRequestId: "limited" });
    const trade = await client.prepare(jobId);
    const refused = (other?: AskedTrade["limits"]) => refusal(trade, { ...asked, limits: other }, trust);
    expect(refused(limits)).to.equal("none");
    for (const other of [
      undefined,
      { maxPremiumBps: 40 },
      { ...limits, maxPremiumBps: 41 },
      { ...limits, maxImpactBps: 1 },
    ])
      expect(refused(other), JSON.stringify(other)).to.equal("other_trade");
    expect(refusal(prepared, { ...asked, limits }, trust)).to.equal("other_trade");
  });

  it("says of a denied trade which checks did not pass, and what would let them", async () => {
    const client = createClient({ baseUrl: service.url, apiKey: service.key });
    const wide = { ...asked, maxSlippageBps: 5_000 };
    const { jobId } = await client.createJob({ ...wide, clientRequestId: "wide" });
    const trade = await client.prepare(jobId);
    const denial = (given: typeof trade): TradeRefused => {
      try {
        checkTrade(given, wide, trust);
      } catch (error) {
        if (error instanceof TradeRefused) return error;
      }
      return expect.fail("it was not refused");
    };
    const { code, message, findings } = denial(trade);
    const [finding] = findings;
    expect([code, findings.length, finding!.check]).to.deep.equal(["denied", 1, "slippage"]);
    expect(message).to.equal(`The trade is denied. slippage: ${finding!.message}`);
    const worded = structuredClone(trade);
    worded.report.findings.find(({ check }) => check === "slippage")!.message = "Pay more.";
    expect(denial(worded), "words that the evidence does not give").to.have.property("code", "not_valid");
    const withheld = { ...prepared, execution: null };
    expect(refusal(withheld, asked, trust), "an allowed trade without its calls").to.equal("not_valid");
  });
});
