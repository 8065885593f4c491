/** What a person reads of a verification: about twelve lines, the most important first. */
import { expect } from "chai";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { type SummaryOptions, sentenceOf, summaryOf } from "../../../attestor/view/summary.ts";
import { NEXT, READERS } from "../../../workshop/vectors/documents/readers.ts";
import { answerOf, type Changes, jobOf } from "../../../workshop/vectors/documents/service.ts";
import { inSession } from "../../../workshop/vectors/documents/sessions.ts";
import { readerOf } from "../../../workshop/vectors/documentVector.ts";
import { addressFor, GUARD, NOW, OWNER, SIGNER } from "../fixtures.ts";

const READER = readerOf(READERS.everything);
const TRUSTING = readerOf(READERS["the guard and the key"]);

async function told(given: Changes | object = {}, reader = READER, options: Partial<SummaryOptions> = {}) {
  const document = "report" in given ? given : await answerOf(given as Changes);
  return summaryOf(verifyReport(document, reader), { now: NOW + 10, ...options });
}
type Lines = Awaited<ReturnType<typeof told>>;

/** The labels of the lines; a line that goes on with the one before has none. */
const labels = (lines: Lines) => lines.map(({ label }) => label).filter((label) => label !== "");
const under = (lines: Lines, label: string): string[] => {
  const first = lines.findIndex((line) => line.label === label);
  const next = lines.findIndex((line, index) => index > first && line.label !== "");
  return first < 0 ? [] : lines.slice(first, next < 0 ? undefined : next).map(({ text }) => text);
};
const textOf = (lines: Lines) => lines.map(({ label, text }) => `${label} ${text}`).join("\n");

describe("the summary of a verification", () => {
  it("has the verdict and the trade first, then whose, why, and on what it rests, in about twelve lines", async () => {
    const lines = await told();
    expect(lines[0]!.text).to.equal(
      "VALID. Buy at least 3.9562 ACMEx, a token of the stock ACME, for 1,000 USDT6. The policy STRICT_LIVE allows it; it can be executed until 2026-09-21 14:15:18 UTC.",
    );
    expect(labels(lines).join()).to.equal(
      "Owner,Policy,Price,Issued,Log,Proved,Signed,Your node,On trust,Unchecked",
    );
    expect(lines.length).to.be.at.most(12);
    const [issued] = under(lines, "Issued");
    expect(issued).to.match(new RegExp(`^by ${SIGNER.address}, .*\\. Guard ${GUARD} on chain 31337$`));
    expect(under(lines, "Price")).to.deep.equal([
      "0.50 % above the stock (50.2505 bps): a share of ACME costs 200 USD, and 201.005 USD through the token",
    ]);
    expect(under(lines, "Signed")).to.deep.equal([
      '"price of Equity.US.ACME/USD" (test keys of the local world)',
    ]);
  });

  it("says by the reader's clock where the trade has expired, also of what is not VALID", async () => {
    const result = verifyReport(await answerOf(), READER);
    const until = result.executableUntil!;
    expect(sentenceOf(result, { now: until })).to.match(
      /^VALID\. .*; it can be executed until 2026-09-21 14:15:18 UTC\.$/,
    );
    expect(sentenceOf(result, { now: until + 1 })).to.match(
      /^VALID, EXPIRED\. .*; it could be executed until 2026-09-21 14:15:18 UTC\.$/,
    );
  });

  it("says that a judgement is of the future, and that a report has no certificate", async () => {
    const result = verifyReport(await answerOf(), READER);
    expect(sentenceOf(result, { now: NOW - 300 })).to.match(/^VALID\. /);
    expect(sentenceOf(result, { now: NOW - 301 })).to.match(/^VALID, OF THE FUTURE\. /);
    const alone = verifyReport(await answerOf({ unsigned: true }), READER);
    expect(sentenceOf(alone, { now: NOW })).to.match(
      /^VALID\. .* allows it; no certificate to execute it is in this document\.$/,
    );
  });

  it("says whose trade it is, and that the output goes to somebody else", async () => {
    expect(under(await told(), "Owner")).to.deep.equal([`${OWNER}, who is also the recipient`]);
    const [mallory, recipient] = ["another owner", "another recipient"].map(addressFor);
    const owned = (change: object): Changes => ({
      knows: "observed",
      intent: (intent) => Object.assign(intent, { ownerAddress: mallory, recipientAddress: mallory }, change),
    });
    const other = await told(owned({}));
    expect(other[0]!.text).to.match(/^VALID/);
    expect(under(other, "Owner")).to.deep.equal([`${mallory}, who is also the recipient`]);
    const paid = await told(owned({ recipientAddress: recipient }));
    expect(paid[0]!.text).to.match(/^VALID/);
    expect(under(paid, "Owner")).to.deep.equal([
      `${mallory}. The recipient is another address: ${recipient}`,
    ]);
  });

  it("says where the policy's definition came from, also to a strict reader", async () => {
    const judgedAt = "; judged at 2026-09-21 14:13:20 UTC";
    const known = under(await told(), "Policy");
    expect(known).to.deep.equal([`STRICT_LIVE version 3, as this program defines it${judgedAt}`]);
    const lax: Changes = { knows: "observed", unsigned: true, policy: NEXT };
    for (const strict of [false, true]) {
      const lines = await told(lax, { ...readerOf(READERS["the service's policies"]), strict });
      expect(under(lines, "Policy")).to.deep.equal([
        `STRICT_LIVE version 4, as the service defines it${judgedAt}`,
      ]);
      expect(lines[0]!.text).to.match(strict ? /^UNVERIFIABLE\. Only the service vouches/ : /^VALID/);
      expect(textOf(lines)).to.contain("--policies");
    }
  });

  it("says what is proved, and on which condition, with the flag that removes it", async () => {
    const [proved] = under(await told(), "Proved");
    expect(proved).to.match(
      /^the block's number and time, pool 0x\w{40}, the guard's key, .*, announced changes of that number$/,
    );
    for (const strict of [false, true]) {
      const [conditional] = under(await told({}, { ...TRUSTING, strict }), "Proved");
      expect(conditional).to.equal(
        `${proved}; provided that block 4200 is on the chain (--header FILE checks it)`,
      );
    }
  });

  it("has one line for each thing on the service's word, with the flag that would check it", async () => {
    const { registry: _, samples: __, ...reader } = TRUSTING;
    const lines = await told({}, reader);
    const trusted = under(lines, "On trust");
    const flags = trusted.map((text) => /\((--[\w-]+) \w+ checks it\)/.exec(text)?.[1] ?? "");
    expect(flags).to.deep.equal(["--samples", "--rpc", "", "--log-key", "--registry", ""]);
    expect(trusted[2]).to.match(
      /^what a source stated without a signature: "price of ACME", .* \("finnhub"\)/,
    );
    expect(lines.length).to.be.at.most(16);
  });

  it("tells a denial, and who stands for it", async () => {
    const lines = await told({ evidence: ({ session }: any) => (session.state = "closed") });
    expect(lines[0]!.text).to.match(/^VALID, DENIED\. Buy .*\. The policy STRICT_LIVE does not allow it\.$/);
    expect(under(lines, "Issued")[0]).to.match(
      /^by the decision log assay\.example\.com\/log, which you trust/,
    );
  });

  it("tells the trade as the guard executed it, where a node was asked", async () => {
    const executed = {
      transactionHash: `0x${"ab".repeat(32)}`,
      blockNumber: 4_203,
      amountSpent: "1000000000",
      amountOut: "3984047873317239000",
    };
    expect(under(await told({}, READER, { executed }), "Executed")).to.deep.equal([
      `1,000 USDT6 for 3.98404 ACMEx, in block 4203, transaction ${executed.transactionHash}`,
    ]);
  });

  it("tells nothing of a document that is INVALID but what is wrong with it", async () => {
    const document = await answerOf();
    document.jobId = "job_other";
    document.execution.approval.spender = addressFor("an attacker");
    const lines = await told(document);
    expect(lines[0]!.text).to.equal(
      "INVALID. Do not act on this document. These members beside the report contradict it: jobId.",
    );
    expect(labels(lines)).to.deep.equal(["Also"]);
    expect(textOf(lines)).to.not.match(/ACME|USDT6|STRICT_LIVE/);
  });

  it("says first what is missing from a document that is UNVERIFIABLE, and calls the rest its claims", async () => {
    const lines = await told({}, readerOf(READERS.nothing));
    expect(lines[0]!.text).to.match(
      /^UNVERIFIABLE\. It was signed by 0x\w{40}, and you named nobody whom you trust\. .*--guard.*--signer 0x…/,
    );
    expect(labels(lines).slice(0, 2)).to.deep.equal(["It says", "Owner"]);
    // Its own guard is no reason to trust it.
    expect(lines[0]!.text).to.not.contain(GUARD);
    const ended = await told({ log: "none" }, readerOf(READERS["a replaced key"]));
    expect(ended[0]!.text).to.contain("with an earlier date").and.contain("--rpc");
  });

  it("says how to fetch a report again that was saved before the log had its entry", async () => {
    const { report } = await answerOf({ unsigned: true });
    report.log.proof = null;
    // As POST /a2mcp/verify answers it.
    const answer = { ...report, hints: [], jobToken: "secret" };
    for (const trust of [READERS["a record with a log"], READERS.nothing]) {
      const [first] = summaryOf(verifyReport(answer, readerOf(trust)), { now: NOW });
      expect(first!.text).to.match(
        /^UNVERIFIABLE\. .*Fetch it again in a few seconds, from GET \/v1\/jobs\/job_9f2c\/report/,
      );
    }
  });

  it("shows nothing of what stands beside report and execution but its name", async () => {
    const url = "https://evil.example/sign";
    const given = { ...(await jobOf()), signUrl: url, note: { owner: url }, confirmedBy: [url] };
    const lines = await told(given);
    expect(lines[0]!.text).to.match(/^VALID/);
    expect(textOf(lines)).to.not.contain("evil");
    expect(under(lines, "Unchecked").join("\n")).to.match(/signUrl, note, confirmedBy/);
  });

  it("has what a service calls its sources in quotes, so that no name vouches for itself", async () => {
    const { registry: _, ...reader } = TRUSTING;
    const tape = 'Nasdaq tape", signed by "Nasdaq';
    const named = await told(
      {
        knows: "observed",
        facts: ({ references }) =>
          Object.assign(references[1], { provider: tape, symbol: "ACME, proved by Nasdaq" }),
      },
      reader,
    );
    expect(textOf(named)).to.contain(
      '"price of ACME, proved by Nasdaq" ("Nasdaq tape\\", signed by \\"Nasdaq")',
    );
    const session = inSession("regular", "NYSE, signed", NOW);
    const lines = await told(session, readerOf(READERS["chain 56"]));
    expect(textOf(lines)).to.contain(
      'that the market session is regular: "NYSE, signed" is no calendar known',
    );
  });
});
