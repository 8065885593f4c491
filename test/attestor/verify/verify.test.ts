import { expect } from "chai";
import { id, Wallet } from "ethers";
import fc from "fast-check";
import { hashIntent } from "../../../attestor/certificate/certificate.ts";
import { executeCallData } from "../../../attestor/certificate/guardCall.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { EVIDENCE_SCHEMA } from "../../../attestor/evidence/evidence.ts";
import { POLICIES, parsePolicies, policyById } from "../../../attestor/policies/policy.ts";
import { parseRegistry } from "../../../attestor/registry.ts";
import { evaluate } from "../../../attestor/report.ts";
import { sentenceOf } from "../../../attestor/steps.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { type Verification, verifyDocument, verifyReport } from "../../../attestor/verify/verify.ts";
import {
  addressFor,
  bendsOf,
  CHAIN_ID,
  copy,
  DOLLAR_KEY,
  DOMAIN,
  facts,
  GUARD,
  judgement,
  NOW,
  named,
  prepared,
  REGISTRY,
  reportOn,
  SIDES,
  SIGNER,
  soundReport,
  soundTrade,
  TRUST,
} from "../fixtures.ts";
import BENDS from "./bends.json" with { type: "json" };

/** The text with one character replaced; null where it stays no JSON, or the same. */
function flipped(text: string, at: number, character: string): string | null {
  const changed = text.slice(0, at) + character + text.slice(at + 1);
  try {
    if (canonicalJsonOf(changed) === canonicalJsonOf(text)) return null;
  } catch {
    return null;
  }
  return changed;
}
const canonicalJsonOf = (text: string) => JSON.stringify(JSON.parse(text));

describe("verification of a report", () => {
  it("verification of a report is consistent for a sound one, under every policy, on both sides, allowed or denied, and not VALID", () => {
    for (const policy of POLICIES.values())
      for (const side of SIDES)
        for (const session of [facts().session, null]) {
          const report = reportOn(judgement({ policy, side, facts: facts({ session }, side) }));
          const result = verifyDocument(JSON.stringify(report), TRUST);
          expect([result.verdict, result.isConsistent]).to.deep.equal(["UNVERIFIABLE", true]);
          expect(named(result, "unknown")).to.deep.equal(["issuer"]);
          expect(result.evidenceHash).to.equal(report.evidenceHash);
          expect(result.report).to.deep.equal(report);
          expect([result.intentHash, result.issuance]).to.deep.equal([null, null]);
        }
  });

  it("says first, and plainly, that nobody signed a report", () => {
    const result = verifyReport(copy(soundReport()));
    expect(result.steps[0]).to.include({ name: "issuer", outcome: "unknown" });
    expect(result.steps[0]?.detail).to.match(/^It is consistent, but nobody signed it, so anybody could/);
    expect(sentenceOf(result)).to.match(/^UNVERIFIABLE: It is consistent, but nobody signed it/);
  });

  it("verification of a report is VALID however the text is laid out", async () => {
    const report = await prepared(soundReport());
    const backwards = (value: any): any =>
      Array.isArray(value)
        ? value.map(backwards)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .map(([key, item]) => [key, backwards(item)])
                .reverse(),
            )
          : value;
    for (const text of [
      JSON.stringify(report, null, 4),
      JSON.stringify(backwards(report)),
      `\n${JSON.stringify(report)}\n`,
    ])
      expect(verifyDocument(text, TRUST).verdict).to.equal("VALID");
  });

  it("verification of a report does not judge what accompanies the report, and says so", async () => {
    const { report, execution } = await soundTrade();
    const result = verifyReport({ ...report, execution, jobToken: "secret", note: "trust me" }, TRUST);
    expect(result.verdict).to.equal("VALID");
    const detail = result.steps.find(({ name }) => name === "not checked")?.detail;
    expect(detail).to.equal("Nothing here vouches for jobToken, note.");
    expect(JSON.stringify(result.steps)).to.not.contain("secret");
  });

  it("verification of a report is INVALID when any one character of the evidence changes", () => {
    const report = soundReport();
    const text = JSON.stringify(report.evidence);
    const whole = (evidence: string) =>
      JSON.stringify({ ...report, evidence: 0 }).replace('"evidence":0', () => `"evidence":${evidence}`);
    expect(verifyDocument(whole(text)).isConsistent).to.equal(true);
    let changes = 0;
    const check = (at: number, character: string) => {
      const changed = flipped(text, at, character);
      if (changed === null) return;
      changes++;
      expect(verifyDocument(whole(changed)).verdict, `${at}: ${text.slice(at - 9, at + 9)}`).to.equal(
        "INVALID",
      );
    };
    for (let at = 0; at < text.length; at++)
      check(at, text[at] === "1" ? "2" : /[a-z]/.test(text[at] ?? "") ? (text[at] ?? "").toUpperCase() : "1");
    expect(changes).to.be.greaterThan(1_500);
  }).timeout(120_000);

  it("verification of a report is INVALID when a member of the evidence is taken away, added or turned into another type", () => {
    const report = soundReport();
    for (const name of Object.keys(report.evidence)) {
      const less = copy(report);
      delete less.evidence[name];
      expect(verifyReport(less).verdict, name).to.equal("INVALID");
      for (const value of [null, 0, "", [], {}]) {
        const other = copy(report);
        if (JSON.stringify(other.evidence[name]) === JSON.stringify(value)) continue;
        other.evidence[name] = value;
        expect(verifyReport(other).verdict, name).to.equal("INVALID");
      }
    }
    for (const extra of ['"extra":1', '"__proto__":{"paused":true}', '"constructor":null'])
      for (const where of ['"evidence":{', '"intent":{', '"guard":{']) {
        const text = JSON.stringify(report).replace(where, `${where}${extra},`);
        expect(verifyDocument(text).verdict, `${where}${extra}`).to.equal("INVALID");
      }
  });

  it("verification of a report is INVALID when anything that was concluded is changed", () => {
    const bends: Record<string, (report: any) => void> = {
      ...bendsOf(BENDS.conclusions),
      "case of the evidence hash": (report) => (report.evidenceHash = report.evidenceHash.toUpperCase()),
      "a finding's words": ({ findings }) => (findings[6].message += "!"),
      "a finding gone": ({ findings }) => findings.pop(),
      "a finding twice": ({ findings }) => findings.push(findings[0]),
      "the order of findings": ({ findings }) => findings.reverse(),
    };
    for (const [name, bend] of Object.entries(bends)) {
      const report = copy(soundReport());
      bend(report);
      expect(verifyReport(report).verdict, name).to.equal("INVALID");
    }
  });

  /** Evidence changed and hashed again, as a forger would: only judging it again can tell. */
  function forged(bend: (evidence: any) => void) {
    const evidence = copy(soundReport().evidence);
    bend(evidence);
    return {
      ...copy(evaluate(policyById("STRICT_LIVE"), evidence)),
      evidenceHash: canonicalHash(evidence),
      evidence,
    };
  }

  /** Beside the plain ones, by the step that tells of it. */
  const forgeries: Record<string, Record<string, (evidence: any) => void>> = {
    coherence: {
      "a quote for other tokens": ({ quote }) => quote.path.reverse(),
      "an output on another chain": ({ intent, trade }) => {
        intent.outputAssetKey = trade.stockAssetKey = intent.outputAssetKey.replace(String(CHAIN_ID), "1");
      },
      "a token traded for itself": (evidence) => {
        evidence.quote = null;
        evidence.intent.inputAssetKey = evidence.intent.outputAssetKey;
      },
      "another stock": ({ trade }) => (trade.stockAssetKey = DOLLAR_KEY),
    },
    schema: {
      "an address in lower case": ({ guard }) => (guard.address = guard.address.toLowerCase()),
      "an amount as long as a book": ({ quote }) => (quote.amountOutRaw = "x".repeat(100_000)),
      "readings without end": (evidence) => (evidence.references = Array(1_000).fill(evidence.references[0])),
    },
  };
  const forms = Object.entries(BENDS.evidence).flatMap(([step, plain]) =>
    Object.entries({ ...bendsOf(plain), ...forgeries[step] }).map(([name, bend]) => ({ step, name, bend })),
  );
  for (const { step, name, bend } of forms)
    it(`verification of a report is INVALID for evidence with ${name}, though the hash is right`, () => {
      let result: Verification;
      try {
        result = verifyReport(forged(bend));
      } catch {
        // What cannot even be judged is hashed alone.
        const evidence = copy(soundReport().evidence);
        bend(evidence);
        result = verifyReport({ ...copy(soundReport()), evidence, evidenceHash: canonicalHash(evidence) });
      }
      expect(result.verdict).to.equal("INVALID");
      expect(named(result, "wrong")).to.include(step);
      expect(named(result, "ok")).to.include("evidence hash");
      for (const { detail } of result.steps) expect(detail.length).to.be.lessThan(600);
    });

  it("verification of a report is INVALID for numbers that JSON cannot carry from one reader to the next", () => {
    const text = JSON.stringify(soundReport());
    for (const number of ["1e400", "-0", "1790000000.5", "9007199254740993"]) {
      const result = verifyDocument(text.replace('"capturedAt":1790000000', `"capturedAt":${number}`));
      expect(result.verdict, number).to.equal("INVALID");
      expect(named(result, "wrong")).to.deep.equal(["numbers", "evidence hash"]);
    }
  });

  it("verification of a report is INVALID for a number with a fraction that a reader would lose, wherever it stands", () => {
    const text = JSON.stringify({ ...soundReport(), note: { 'a\\"1.5': ["1.5", 7] } });
    expect(verifyDocument(text).isConsistent).to.equal(true);
    for (const [from, to] of [
      ['"capturedAt":1790000000', '"capturedAt":1790000000.0000000000000000000001'],
      ['"sampleN":40', '"sampleN":40.0'],
      ['"sampleN":40', '"sampleN":4e1'],
      ['"sampleN":40', '"sampleN":40E0'],
      ['"version":2', '"version":2.0000000000000000000001'],
      ['"1.5",7', '"1.5",7.5'],
    ] as const) {
      const result = verifyDocument(text.replace(from, to));
      expect(result.verdict, to).to.equal("INVALID");
      expect(named(result, "wrong"), to).to.include("numbers");
    }
  });

  it("quotes no more of a document than a person can read", () => {
    const { steps } = verifyReport({ ...copy(soundReport()), evidenceHash: "x".repeat(1_000_000) });
    for (const { detail } of steps) expect(detail.length).to.be.lessThan(600);
  });

  it("verification of a report is UNVERIFIABLE for a schema that it does not know", () => {
    for (const schema of ["assay.evidence/1", "assay.evidence/3", "", null, 1, undefined]) {
      const evidence = { ...soundReport().evidence, schema };
      const clean = copy(evidence);
      const result = verifyReport({ ...soundReport(), evidence: clean, evidenceHash: canonicalHash(clean) });
      expect(result.verdict).to.equal("UNVERIFIABLE");
      expect(named(result, "unknown")).to.deep.equal(["schema"]);
      expect(result.steps[0]?.detail).to.contain(EVIDENCE_SCHEMA);
    }
  });

  describe("by a policy that is not built in", () => {
    const definition = { ...copy(policyById("STRICT_LIVE").definition), version: 7, maxImpactBps: 45 };
    const [policy] = parsePolicies([definition]);
    const report = reportOn(judgement({ policy: policy! }));
    let document: any;
    before(async () => {
      document = copy(await prepared(report, policy!));
    });

    it("judges a report by a policy that is not built in UNVERIFIABLE", () => {
      const result = verifyReport(document, TRUST);
      expect(result.verdict).to.equal("UNVERIFIABLE");
      expect(named(result, "unknown")).to.deep.equal(["policy"]);
    });

    it("verification of a report by a policy that is not built in is VALID once the policy is given, and still INVALID when changed", () => {
      const options = { ...TRUST, policies: [policy!] };
      expect(verifyReport(document, options).verdict).to.equal("VALID");
      const changed = { ...document, report: { ...document.report, decision: "DENY" } };
      expect(verifyReport(changed, options).verdict).to.equal("INVALID");
    });
  });

  describe("with the registry given", () => {
    it("verification of a report with the registry given is VALID when it is the one of the evidence", async () => {
      const document = await soundTrade();
      const result = verifyReport(document, { ...TRUST, registry: REGISTRY });
      expect(result.verdict).to.equal("VALID");
      expect(named(result, "absent")).to.not.include("registry");
    });

    it("verification of a report with the registry given is INVALID when it is another", () => {
      const registry = parseRegistry({ ...copy(REGISTRY), version: "other" });
      expect(named(verifyReport(copy(soundReport()), { registry }), "wrong")).to.deep.equal(["registry"]);
    });

    it("judges a report INVALID whose trade the registry contradicts, or does not know", () => {
      const unknown = addressFor("no route of this registry");
      const bends: ((evidence: any) => void)[] = [
        ({ trade }) => (trade.symbol = "OTHERx"),
        ({ trade }) => (trade.outputDecimals = 17),
        ({ registry }) => (registry.version = "other"),
        ({ quote }) => (quote.route = unknown),
        ({ intent, trade }) => {
          intent.outputAssetKey = trade.stockAssetKey = `eip155:${CHAIN_ID}:${unknown}`;
        },
      ];
      for (const bend of bends)
        expect(named(verifyReport(forged(bend), { registry: REGISTRY }), "wrong")).to.include("registry");
    });
  });

  it("is UNVERIFIABLE for what is no report", () => {
    const nothings: unknown[] = [
      null,
      undefined,
      true,
      7,
      "report",
      [],
      {},
      [soundReport()],
      { report: null },
      { evidence: {} },
      { evidenceHash: "0x" },
      { evidence: [], evidenceHash: id("") },
      { evidence: "x", evidenceHash: id("") },
      { evidence: {}, evidenceHash: 7 },
      { type: "about:blank", title: "Not Found", status: 404 },
      { jobId: "job", reports: [{ version: 1, decision: null }], executions: [] },
      JSON.parse('{"__proto__":{"evidence":{},"evidenceHash":"0x"}}'),
    ];
    for (const nothing of nothings) {
      expect(verifyReport(nothing).verdict, JSON.stringify(nothing)).to.equal("UNVERIFIABLE");
      expect(verifyDocument(JSON.stringify(nothing) ?? "").verdict).to.equal("UNVERIFIABLE");
    }
  });

  it("verification of a report is UNVERIFIABLE for text that is no JSON, or that two readers could read differently", () => {
    const text = JSON.stringify(soundReport());
    for (const odd of [
      "",
      "{",
      "<html>",
      text.slice(1),
      `${text}${text}`,
      text.replace("{", '{"decision":"DENY",'),
    ])
      expect(verifyDocument(odd).verdict).to.equal("UNVERIFIABLE");
  });

  it("never throws and never runs out of stack on any input", () => {
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    const base = copy(soundReport());
    const hostile: unknown[] = [
      deep,
      { report: deep },
      { report: { evidence: deep, evidenceHash: "0x" } },
      { ...base, evidence: { ...base.evidence, references: deep } },
      { ...base, findings: deep },
      { ...base, decision: deep },
      { report: base, execution: deep },
      { report: base, jobId: deep },
      { report: base, execution: { tradeIntent: deep, certificate: { domain: { chainId: deep } } } },
    ];
    for (const document of hostile) expect(verifyReport(document).verdict).to.not.equal("VALID");
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(...Object.keys(base)), (a, b, name) => {
        expect(verifyReport(a).verdict).to.equal("UNVERIFIABLE");
        expect(verifyReport({ report: a, execution: b }).verdict).to.not.equal("VALID");
        expect(verifyReport({ ...base, execution: b }, TRUST).verdict).to.equal(
          b === null ? "UNVERIFIABLE" : "INVALID",
        );
        verifyReport({ ...base, [name]: a });
      }),
    );
  });
});

describe("verification of a report with its execution", () => {
  it("verification of a report with its execution is VALID for a sound one, and tells the hash of its trade intent", async () => {
    for (const policy of POLICIES.values())
      for (const side of SIDES) {
        const report = reportOn(judgement({ policy, side }));
        const document = copy(await prepared(report, policy));
        const result = verifyReport(document, { ...TRUST, registry: REGISTRY });
        expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
        expect(result.intentHash).to.equal(hashIntent(document.execution.tradeIntent.message));
        expect(result.issuance).to.include({ signer: SIGNER.address, guard: GUARD, chainId: CHAIN_ID });
        expect(named(result, "absent")).to.deep.equal(["proofs", "stated"]);
      }
  });

  it("verification of a report with its execution is UNVERIFIABLE for a denied report, which nobody signs", () => {
    const report = reportOn(judgement({ facts: facts({ session: null }) }));
    const document = { jobId: report.jobId, reportVersion: 2, report, execution: null };
    const result = verifyReport(copy(document), TRUST);
    expect([result.verdict, result.isConsistent]).to.deep.equal(["UNVERIFIABLE", true]);
  });

  it("judges a trade VALID without its calls, and with typed data that lists the domain's type", async () => {
    const { execution, ...rest } = await soundTrade();
    const { tradeIntent, certificate } = execution;
    certificate.types.EIP712Domain = [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ];
    delete certificate.signer;
    const result = verifyReport({ ...rest, execution: { tradeIntent, certificate } }, TRUST);
    expect(result.verdict).to.equal("VALID");
    expect(result.steps.find(({ name }) => name === "calls")?.detail).to.equal(
      "Not in this document: guardCall, relayedCall, approval.",
    );
  });

  it("verification of a report with its execution is INVALID for a prepared trade that does not name its job or its version", async () => {
    for (const name of ["jobId", "reportVersion"] as const) {
      const { [name]: taken, ...rest } = await prepared(reportOn(judgement()));
      expect(verifyReport(rest, TRUST).verdict, `without ${name}`).to.equal("INVALID");
      expect(verifyReport({ ...rest, [`${name}s`]: taken }, TRUST).verdict, `misspelt ${name}`).to.equal(
        "INVALID",
      );
    }
  });

  it("compares an execution beside a bare report with that report", async () => {
    const { report, execution } = await soundTrade();
    expect(verifyReport({ ...report, execution }, TRUST).verdict).to.equal("VALID");
    execution.tradeIntent.message.amountIn = "1";
    expect(verifyReport({ ...report, execution }, TRUST).verdict).to.equal("INVALID");
  });

  type Bend = (execution: any, document: any) => void;
  /** Beside the plain ones, by the step that tells of it. */
  const bends: Record<string, Record<string, Bend>> = {
    "trade intent": {
      "the intent's types": ({ tradeIntent }) => tradeIntent.types.TradeIntent.pop(),
    },
    certificate: {
      "an execution that is a list": (_, document) => (document.execution = []),
      "an execution that is a word": (_, document) => (document.execution = "none"),
      "an execution that is false": (_, document) => (document.execution = false),
    },
    signature: {
      "the signature": ({ certificate }) => (certificate.signature = `0x${"11".repeat(64)}1b`),
    },
    calls: {
      "the call's data": ({ guardCall }) => (guardCall.data = guardCall.data.replace(/.$/, "f")),
      "the route's call data": ({ guardCall }) => (guardCall.args.routeCallData += "00"),
      "other route call data in a call that is whole": ({ guardCall, relayedCall }) => {
        const data = `${guardCall.args.routeCallData.slice(0, 10)}${"ff".repeat(64)}`;
        guardCall.args.routeCallData = relayedCall.args.routeCallData = data;
        guardCall.data = executeCallData(guardCall.args);
      },
      "how much is approved": ({ approval }) => (approval.amount = "1".repeat(70)),
    },
    envelope: {
      "the job around the report": (_, document) => (document.jobId = "job_other"),
      "the version around the report": (_, document) => (document.reportVersion = 1),
    },
  };
  for (const [step, plain] of Object.entries(BENDS.execution))
    for (const [name, bend] of Object.entries<Bend>({ ...bendsOf(plain), ...bends[step] }))
      it(`judges a report with its execution INVALID: ${name}`, async () => {
        const document = await soundTrade();
        bend(document.execution, document);
        const result = verifyReport(document, TRUST);
        expect(result.verdict).to.equal("INVALID");
        expect(named(result, "wrong")).to.include(step);
      });

  it("verification of a report with its execution is INVALID for the other signature of the same digest, and for other ways to write this one", async () => {
    const document = await soundTrade();
    const { signature } = document.execution.certificate;
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.slice(130);
    const twin = `${signature.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${v === "1b" ? "1c" : "1b"}`;
    const compact = signature.slice(0, 130);
    for (const odd of [
      twin,
      compact,
      signature.toUpperCase(),
      `${compact}0${Number(v === "1c")}`,
      `${signature}00`,
    ]) {
      document.execution.certificate.signature = odd;
      expect(named(verifyReport(document), "wrong"), odd).to.include("signature");
    }
  });

  it("verification of a report with its execution is INVALID when a key signed that the reader does not trust, or that is not the guard's", async () => {
    const document = await soundTrade();
    expect(named(verifyReport(document, { signer: addressFor("mine") }), "wrong")).to.deep.equal(["issuer"]);

    const stranger = signerFromPrivateKey(id("a stranger's key"), DOMAIN);
    const signature = await stranger.sign(document.execution.certificate.message);
    Object.assign(document.execution.certificate, { signature, signer: stranger.address });
    expect(named(verifyReport(document), "wrong")).to.include("signature");
    expect(stranger.address).to.equal(new Wallet(id("a stranger's key")).address);
  });

  it("verification of a report with its execution is INVALID for a certificate on a denied report", async () => {
    const document = await soundTrade();
    const denied = reportOn(judgement({ facts: facts({ session: null }) }));
    const result = verifyReport({ ...document, report: denied });
    expect(result.verdict).to.equal("INVALID");
    expect(named(result, "wrong")).to.include("trade intent");
  });

  it("verification of a report with its execution is INVALID for the execution of another version", async () => {
    const { execution } = await soundTrade();
    const report = copy(reportOn(judgement({ reportVersion: 3, capturedAt: NOW + 1 })));
    expect(named(verifyReport({ report, execution }), "wrong")).to.include("certificate");
  });

  it("verification of a report with its execution is UNVERIFIABLE when the reader names a key and nothing is signed", () => {
    const result = verifyReport(copy(soundReport()), { signer: SIGNER.address });
    expect(result.verdict).to.equal("UNVERIFIABLE");
    expect(named(result, "unknown")).to.deep.equal(["issuer"]);
  });
});
