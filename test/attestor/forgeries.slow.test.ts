/** What a forger would try: none of it is VALID, under any trust of the reader. */
import { expect } from "chai";
import { AbiCoder, id, keccak256 } from "ethers";
import fc from "fast-check";
import { hashIntent } from "../../attestor/certificate/certificate.ts";
import { buildExecution } from "../../attestor/certificate/execution.ts";
import { approveCallData } from "../../attestor/certificate/guardCall.ts";
import { signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { executorOf } from "../../attestor/evm/address.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import { sentenceOf } from "../../attestor/steps.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { KnownGuard } from "../../attestor/verify/issuer.ts";
import { verifyDocument, verifyReport } from "../../attestor/verify/verify.ts";
import {
  addressFor,
  bendsOf,
  CHAIN_ID,
  copy,
  DOLLAR,
  DOMAIN,
  facts,
  GUARD,
  judgement,
  NOW,
  named,
  PRIVATE_KEY,
  prepared,
  quote,
  REGISTRY,
  reportOn,
  SIGNER,
  STOCK,
  soundReport,
  soundTrade,
  TRUST,
} from "./fixtures.ts";
import FORGERIES from "./forgeries.json" with { type: "json" };
import { failed } from "./verify/forgedSources.ts";

const FORGERS_KEY = id("a forger's own key");
const FORGER = signerFromPrivateKey(FORGERS_KEY, DOMAIN).address;
const THEIRS = addressFor("a guard of the forger's");

/** What this installation would know of the guard by itself. */
const RECORD: KnownGuard = {
  chainId: CHAIN_ID,
  address: GUARD,
  record: "deployments/31337.json",
  keys: [{ address: SIGNER.address, endedAt: null }],
};

/** A report on bent evidence, as the service would make it if the facts were so. */
function bentReport(bend: (evidence: any) => void, report: Report = soundReport()): Report {
  const evidence = copy(report.evidence);
  bend(evidence);
  return copy(evaluate(policyById("STRICT_LIVE"), evidence));
}

/** A whole trade of a forger: made from nothing, every hash right, signed by a key of their own. */
async function fromNothing(guard = THEIRS) {
  const report = bentReport((evidence) =>
    Object.assign(evidence.guard, {
      address: guard,
      executor: executorOf(guard),
      signer: FORGER,
      attestor: FORGER,
    }),
  );
  return copy(await prepared(report, undefined, FORGERS_KEY));
}

describe("a trade that a forger made from nothing and signed", () => {
  it("hangs together as a true one does: only its issuer is not trusted", async () => {
    const result = verifyReport(await fromNothing());
    expect(result.isConsistent).to.equal(true);
    expect(result.issuance?.signer).to.equal(FORGER);
  });

  it("is UNVERIFIABLE without a reason to trust, and names the flags that would settle it but not its own guard", async () => {
    const result = verifyReport(await fromNothing());
    expect(result.verdict).to.equal("UNVERIFIABLE");
    const sentence = sentenceOf(result);
    expect(sentence).to.match(
      /^UNVERIFIABLE: Issued by 0x\w{40}, and nothing says that you may trust this key: /,
    );
    expect(sentence).to.contain("--guard <chainId>:<address>").and.contain("--signer 0x…");
    expect(sentence).to.not.contain(THEIRS);
  });

  it("a trade that a forger made from nothing and signed is UNVERIFIABLE beside deployments that know other guards, also on the same chain", async () => {
    expect(verifyReport(await fromNothing(), { known: [RECORD] }).verdict).to.equal("UNVERIFIABLE");
  });

  it("a trade that a forger made from nothing and signed is UNVERIFIABLE when it names a guard that is known, whose record does not know the key", async () => {
    const result = verifyReport(await fromNothing(GUARD), { known: [RECORD] });
    expect(result.verdict).to.equal("UNVERIFIABLE");
    expect(sentenceOf(result)).to.contain("deployments/31337.json does not know");
  });

  it("a trade that a forger made from nothing and signed is INVALID for who names the true guard or the true key", async () => {
    const forged = await fromNothing();
    for (const trust of [{ guard: TRUST.guard }, { signer: TRUST.signer }, TRUST])
      expect(verifyReport(forged, trust).verdict).to.equal("INVALID");
    const own = await fromNothing(GUARD);
    expect(verifyReport(own, { guard: TRUST.guard }).verdict).to.equal("UNVERIFIABLE");
    expect(verifyReport(own, { signer: TRUST.signer }).verdict).to.equal("INVALID");
    expect(verifyReport(own, TRUST).verdict).to.equal("INVALID");
  });

  it("a trade that a forger made from nothing and signed is INVALID with the true guard's address over its own, in each place or in all of them", async () => {
    const text = JSON.stringify(await fromNothing());
    expect(verifyDocument(text.replaceAll(THEIRS, GUARD), TRUST).verdict).to.equal("INVALID");
    const places = text.split(THEIRS).length - 1;
    for (let place = 0; place < places; place++) {
      let seen = -1;
      const changed = text.replaceAll(THEIRS, (match) => (++seen === place ? GUARD : match));
      expect(verifyDocument(changed, { guard: TRUST.guard }).verdict, String(place)).to.equal("INVALID");
    }
  });

  it("a trade that a forger made from nothing and signed is INVALID with a signer named that did not sign", async () => {
    const forged = await fromNothing(GUARD);
    forged.execution.certificate.signer = SIGNER.address;
    expect(verifyReport(forged, { known: [RECORD] }).verdict).to.equal("INVALID");
  });
});

describe("who is trusted", () => {
  const verdict = (document: unknown, trust: Parameters<typeof verifyReport>[1]) =>
    verifyReport(document, trust).verdict;

  it("who is trusted is a key that is named, or one that a deployment beside the program knows, with or without --guard", async () => {
    const document = await soundTrade();
    expect(verdict(document, { signer: SIGNER.address.toLowerCase() })).to.equal("VALID");
    expect(verdict(document, { known: [RECORD] })).to.equal("VALID");
    expect(verdict(document, { guard: TRUST.guard, known: [RECORD] })).to.equal("VALID");
    const sentence = sentenceOf(verifyReport(document, { guard: TRUST.guard, known: [RECORD] }));
    expect(sentence).to.equal(
      `VALID: Issued by ${SIGNER.address}, the key of the guard that you named, for the guard ${GUARD} on chain 31337: version 2 of job_9f2c, ALLOW. Registry 2026-09-21 is missing: which token is which stock, and whose prices count, is the issuer's word. Name it with --registry.`,
    );
  });

  it("who is trusted is nobody where the guard is named and its key is not known: the verdict names the flags that would settle it", async () => {
    const result = verifyReport(await soundTrade(), { guard: TRUST.guard });
    expect(result.verdict).to.equal("UNVERIFIABLE");
    expect(sentenceOf(result)).to.contain("--rpc URL").and.contain("--signer 0x…");
  });

  it("who is trusted is not a guard of the same address on another chain", async () => {
    const document = await soundTrade();
    expect(verdict(document, { known: [{ ...RECORD, chainId: 1 }] })).to.equal("UNVERIFIABLE");
    expect(verdict(document, { guard: { chainId: 1, address: GUARD }, known: [RECORD] })).to.equal("INVALID");
  });

  it("is no key that the record says was replaced: it could backdate", async () => {
    const keys = [
      { address: SIGNER.address, endedAt: NOW - 10 },
      { address: addressFor("the next key"), endedAt: null },
    ];
    const document = await soundTrade();
    for (const trust of [{}, { guard: TRUST.guard }, { signer: SIGNER.address }]) {
      const result = verifyReport(document, { ...trust, known: [{ ...RECORD, keys }] });
      expect(result.verdict).to.equal("UNVERIFIABLE");
      expect(sentenceOf(result)).to.contain("could backdate").and.contain("--rpc URL");
    }
  });

  it("who is trusted is a key that came back after it was replaced", async () => {
    const keys = [
      { address: SIGNER.address, endedAt: NOW - 20 },
      { address: addressFor("a key in between"), endedAt: NOW - 10 },
      { address: SIGNER.address, endedAt: null },
    ];
    expect(verdict(await soundTrade(), { known: [{ ...RECORD, keys }] })).to.equal("VALID");
  });

  it("is contradicted by an executor that the guard did not create", async () => {
    const foreign = bentReport((evidence) => {
      evidence.guard.executor = addressFor("other");
    });
    expect(verdict(copy(await prepared(foreign)), {})).to.equal("INVALID");
  });

  it("who is trusted is contradicted by a registry that knows another trade", async () => {
    const document = await soundTrade();
    const registry = { ...REGISTRY, routes: REGISTRY.routes.slice(1) };
    // The record of another registry is a conflict, which the reader settles by giving the one of that time.
    expect(verdict(document, { known: [{ ...RECORD, registry }] })).to.equal("UNVERIFIABLE");
    expect(verdict(document, { known: [{ ...RECORD, registry }], registry: REGISTRY })).to.equal("VALID");
    expect(named(verifyReport(document, { known: [{ ...RECORD, registry: REGISTRY }] }), "ok")).to.include(
      "registry",
    );
  });
});

describe("an execution that a wallet would act on", () => {
  const evil = addressFor("an attacker");
  const bends: Record<string, (execution: any) => void> = {
    ...bendsOf(FORGERIES.execution),
    "data of relayedCall": ({ relayedCall, guardCall }) => (relayedCall.data = guardCall.data),
    "an approval without end": ({ approval }) => (approval.amount = (2n ** 256n - 1n).toString()),
    "an approval of somebody else, whole": ({ approval }) =>
      Object.assign(approval, {
        spender: evil,
        calls: [{ ...approval.calls[0], data: approveCallData(evil, approval.amount) }],
      }),
    "upper-case call data": ({ guardCall }) => (guardCall.data = inCapitals(guardCall.data)),
  };
  const inCapitals = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
  const foreign = "from gas gasPrice nonce accessList authorizationList type note __proto__".split(" ");
  for (const name of ["guardCall", "relayedCall", "approval"])
    for (const member of foreign)
      bends[`${member} of ${name}`] = (execution) =>
        Object.defineProperty(execution[name], member, { value: "0x1", enumerable: true, writable: true });
  for (const [name, bend] of Object.entries(bends))
    it(`judges a forged document INVALID: ${name}`, async () => {
      const document = await soundTrade();
      bend(document.execution);
      expect(verifyReport(document, TRUST).verdict).to.equal("INVALID");
    });

  it("an execution that a wallet would act on is INVALID with any digit of a call changed, in any of its places", async () => {
    const document = await soundTrade();
    fc.assert(
      fc.property(
        fc.constantFrom(["guardCall", "data"], ["relayedCall", "data"]),
        fc.nat(),
        fc.integer({ min: 1, max: 15 }),
        ([call, member], place, change) => {
          const changed = copy(document);
          const text = changed.execution[call!][member!];
          const at = 2 + (place % (text.length - 2));
          const digit = (Number.parseInt(text[at], 16) ^ change).toString(16);
          changed.execution[call!][member!] = text.slice(0, at) + digit + text.slice(at + 1);
          expect(verifyReport(changed, TRUST).verdict).to.equal("INVALID");
        },
      ),
    );
  }).timeout(120_000);

  it("an execution that a wallet would act on is UNVERIFIABLE with a part that this program cannot read", async () => {
    const document = await soundTrade();
    document.execution.laterCall = { to: GUARD, data: "0x" };
    const result = verifyReport(document, TRUST);
    expect(result.verdict).to.equal("UNVERIFIABLE");
    expect(sentenceOf(result)).to.contain("laterCall");
  });

  /** Certified by the true key, which a service that errs could do: the route is called for something else. */
  async function withRouteCall(call: unknown[]) {
    const document = await soundTrade();
    const types = ["uint256", "uint256", "address[]", "address", "uint256"];
    const data = `0x38ed1739${AbiCoder.defaultAbiCoder().encode(types, call).slice(2)}`;
    const { tradeIntent, certificate } = document.execution;
    tradeIntent.message.callDataHash = keccak256(data);
    certificate.message.intentHash = hashIntent(tradeIntent.message);
    const signature = await SIGNER.sign(certificate.message);
    document.execution = copy(
      buildExecution(document.report, {
        tradeIntent: tradeIntent.message,
        certificate: certificate.message,
        signature,
        signer: certificate.signer,
        routeCallData: data,
        currentAllowance: "0",
      }),
    );
    return document;
  }

  it("an execution that a wallet would act on is INVALID where the route's call data is for another path, amount or recipient than was quoted", async () => {
    const { quote: quoted, guard, figures } = soundReport().evidence;
    const sound = [quoted!.amountInRaw, figures.minAmountOutRaw, quoted!.path, guard.executor, NOW + 300];
    expect(verifyReport(await withRouteCall(sound), TRUST).verdict).to.equal("VALID");
    for (const [index, value] of [
      [0, "1"],
      [2, [DOLLAR, addressFor("a token of the attacker's"), STOCK]],
      [3, evil],
    ] as const) {
      const bent = await withRouteCall(sound.with(index, value as string));
      expect(named(verifyReport(bent, TRUST), "wrong"), String(index)).to.deep.equal(["route call"]);
    }
  });
});

describe("facts that contradict each other, signed by the true key", () => {
  const SUNDAY = 1_789_920_000;
  const OTHER = addressFor("another token");
  const bends: Record<string, (evidence: any) => void> = {
    "one provider in two letter cases": ({ references }) => (references[1].provider = "Pyth"),
    "one provider with a blank behind it": ({ references }) => (references[1].provider = "pyth "),
    "one provider in wide letters": ({ references }) => (references[1].provider = "ｐｙｔｈ"),
    "one provider with an invisible letter": ({ references }) => (references[1].provider = "py\u200bth"),
    "a price received after it was judged": ({ references }) => (references[0].receivedAt = NOW + 6),
    "a dollar's price received after it was judged": ({ settlement }) => (settlement[0].receivedAt = NOW + 6),
    "a dollar's provider in two letter cases": ({ settlement }) =>
      settlement.push({ ...settlement[0], provider: settlement[0].provider.toUpperCase() }),
    "an announcement received after it was judged": ({ token }) => (token.announcement.receivedAt = NOW + 6),
    "a source that failed after it was judged": ({ failures }) =>
      failures.push(failed("erc-8056", { subject: "factor", at: NOW + 6 })),
    "liquidity older than its window": ({ liquidity }) => (liquidity.updatedAt = NOW - 8 * 86_400),
    "liquidity of the future": ({ liquidity }) => (liquidity.updatedAt = NOW + 60),
    "liquidity without a time": ({ liquidity }) => (liquidity.updatedAt = null),
    "grade A at 51 bps": ({ liquidity }) => (liquidity.impact10kBps = "50.0001"),
    "grade B at 48 bps": ({ liquidity }) => (liquidity.grade = "B"),
    "grade A without a route": ({ liquidity }) => (liquidity.impact10kBps = null),
    "a grade on two samples": ({ liquidity }) => (liquidity.sampleN = 2),
    "fees of a route that names none": ({ quote }) => (quote.fees = [500]),
    "more fees than hops": ({ quote }) => (quote.fees = [3_000, 3_000]),
    "a path that comes back": ({ quote }) => (quote.path = [DOLLAR, STOCK, DOLLAR, STOCK]),
    "a detour through one pool": ({ quote }) =>
      Object.assign(quote, { selector: "0x414bf389", fees: [500], path: [DOLLAR, OTHER, STOCK] }),
    "a V3 pool without a fee": ({ quote }) => Object.assign(quote, { selector: "0x414bf389", fees: [] }),
    "two fees of one V3 pool": ({ quote }) =>
      Object.assign(quote, { selector: "0x04e45aaf", fees: [500, 3_000] }),
    "an owner who may not be paid": ({ guard }) => (guard.recipientAllowed = false),
  };
  for (const [name, bend] of Object.entries(bends))
    it(`judges facts that contradict each other INVALID: ${name}`, async () => {
      const report = bentReport(bend);
      expect(named(verifyReport(report), "wrong")).to.deep.equal(["facts"]);
      if (report.decision === "DENY") return;
      const document = copy(await prepared(report));
      expect(named(verifyReport(document, TRUST), "wrong")).to.include("facts");
    });

  /** Evidence of a moment and a session of the real calendar. */
  function inSession(capturedAt: number, state: string, source = "nyse-calendar"): Report {
    const shift = capturedAt - NOW;
    return bentReport((evidence) => {
      evidence.session = { source, state };
      evidence.capturedAt = capturedAt;
      evidence.chain.blockTimestamp += shift;
      evidence.liquidity.updatedAt += shift;
      evidence.references[0].proof = null;
      for (const reference of [...evidence.references, ...evidence.settlement]) {
        reference.publishedAt += shift;
        reference.receivedAt += shift;
      }
      const { factor, announcement, halts } = evidence.token;
      for (const statement of [factor, announcement, ...halts]) statement.receivedAt += shift;
    });
  }
  const isConsistent = (report: Report) => verifyReport(copy(report)).isConsistent;
  /** A quote of the registry's other route. */
  const v3 = {
    ...quote("buy"),
    routeName: "v3",
    route: REGISTRY.routes[1]!.address,
    selector: "0x414bf389",
  };

  it("facts that contradict each other, signed by the true key are INVALID: a session more open than the named calendar allows", () => {
    for (const source of ["nyse-calendar", "NYSE-Calendar"])
      for (const state of ["regular", "pre-market", "post-market", "overnight"])
        expect(isConsistent(inSession(SUNDAY, state, source)), state).to.equal(false);
    const preMarket = Date.UTC(2026, 8, 21, 12) / 1_000;
    expect(isConsistent(inSession(preMarket, "regular"))).to.equal(false);
    expect(isConsistent(inSession(preMarket, "post-market"))).to.equal(false);
    const christmas = Date.UTC(2026, 11, 25, 16) / 1_000;
    expect(isConsistent(inSession(christmas, "regular"))).to.equal(false);
  });

  it("facts that contradict each other, signed by the true key are none where the session is less open, or just changed while the facts were read", () => {
    for (const state of ["closed", "overnight", "pre-market", "post-market", "regular"])
      expect(isConsistent(inSession(NOW, state)), state).to.equal(true);
    const close = Date.UTC(2026, 8, 21, 20) / 1_000;
    expect(isConsistent(inSession(close + 60, "regular"))).to.equal(true);
    expect(isConsistent(inSession(close + 180, "regular"))).to.equal(false);
  });

  it("facts that contradict each other, signed by the true key are not looked for where the calendar is none that is known here, and that is said", () => {
    const result = verifyReport(copy(inSession(SUNDAY, "regular", "simulated")));
    expect(result.isConsistent).to.equal(true);
    expect(result.steps.find(({ name }) => name === "stated")?.detail).to.contain(
      "by simulated, which is no calendar known here",
    );
  });

  it("facts that contradict each other, signed by the true key are none for any report that the service makes of facts that agree", () => {
    for (const given of [
      facts(),
      facts({ quote: { ...v3, fees: [500] } }),
      facts({ liquidity: null }),
      facts({ liquidity: { ...facts().liquidity!, grade: null, sampleN: 2 } }),
      facts({ liquidity: { ...facts().liquidity!, grade: "D", impact10kBps: null } }),
    ])
      expect(isConsistent(reportOn(judgement({ facts: given })))).to.equal(true);
  });

  it("are INVALID where the given registry knows the route by another name or without the fee tier", () => {
    for (const [fits, given] of [
      [true, { fees: [3_000] }],
      [false, { fees: [10_000] }],
      [false, { fees: [500], routeName: "v2" }],
    ] as const) {
      const quoted = { ...v3, ...given, fees: [...given.fees] };
      const report = copy(reportOn(judgement({ facts: facts({ quote: quoted }) })));
      expect(verifyReport(report, { registry: REGISTRY }).isConsistent).to.equal(fits);
    }
  });
});

describe("a job around a report", () => {
  async function job(): Promise<any> {
    const { report, execution } = await soundTrade();
    const { evidenceHash, createdAt } = report;
    const confirmed = {
      blockNumber: 4_203,
      blockHash: id("block 4203"),
      confirmations: 3,
      gasUsed: "150000",
      amountInRaw: "1000000000",
      amountOutRaw: "3984047873317239000",
      evidenceHash,
      at: "2026-09-21T14:14:00.000Z",
    };
    return {
      jobId: report.jobId,
      clientRequestId: "order-1",
      createdAt: "2026-09-21T14:00:00.000Z",
      expiresAt: "2026-09-22T14:00:00.000Z",
      intent: copy(report.evidence.intent),
      payment: { phase: "paid", state: "settled", transaction: id("payment") },
      entitlement: { granted: true, reason: "paid" },
      reports: [
        { version: 1, kind: "initial", decision: "ALLOW", evidenceHash: id("version 1"), createdAt },
        { version: 2, kind: "prepare", decision: "ALLOW", evidenceHash, createdAt },
      ],
      report,
      execution,
      executions: [
        {
          executionId: "exe_1",
          transactionHash: id("transaction"),
          reportVersion: 2,
          state: "confirmed",
          confirmed,
          submittedAt: "2026-09-21T14:13:40.000Z",
        },
      ],
      // As beside a trade that the client carried out.
      confirmed: { ...confirmed },
      receipt: null,
    };
  }

  it("a job around a report is VALID where it says the same, and lists what nobody checked", async () => {
    const result = verifyReport(await job(), TRUST);
    expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
    expect(result.steps.find(({ name }) => name === "not checked")?.detail).to.equal(
      "Nothing here vouches for clientRequestId, createdAt, expiresAt, payment.transaction, other reports, executions (a chain confirms them), confirmed (a chain confirms it).",
    );
  });

  it("a job around a report is UNVERIFIABLE without its execution: a job's report alone is not signed", async () => {
    const { execution: _, ...unsigned } = await job();
    const result = verifyReport(unsigned, TRUST);
    expect([result.verdict, result.isConsistent]).to.deep.equal(["UNVERIFIABLE", true]);
  });

  const bends: Record<string, (job: any) => void> = {
    ...bendsOf(FORGERIES.job),
    "the version twice in the list": (job) => job.reports.push(job.reports[1]),
    "evidence of its own": (job) => (job.evidence = { ...job.report.evidence, jobId: "other" }),
  };
  for (const [name, bend] of Object.entries(bends))
    it(`judges a forged document INVALID: ${name}`, async () => {
      const document = await job();
      bend(document);
      const result = verifyReport(document, TRUST);
      expect(result.verdict).to.equal("INVALID");
      expect(named(result, "wrong")).to.deep.equal(["envelope"]);
    });

  it("says nothing about versions and transactions of other versions but that it did not check them", async () => {
    const document = await job();
    document.reports[0].evidenceHash = "anything";
    document.executions[0].reportVersion = 1;
    document.executions[0].confirmed.evidenceHash = id("version 1");
    expect(verifyReport(document, TRUST).verdict).to.equal("VALID");
  });
});

describe("a report that another key than the evidence's signed", () => {
  it("a report that another key than the evidence's signed is INVALID also for who trusts that other key", async () => {
    const document = copy(await prepared(soundReport(), undefined, FORGERS_KEY));
    const result = verifyReport(document, { signer: FORGER });
    expect(result.verdict).to.equal("INVALID");
    expect(canonicalHash(document.report.evidence)).to.equal(document.report.evidenceHash);
    expect(PRIVATE_KEY).to.not.equal(FORGERS_KEY);
  });
});
