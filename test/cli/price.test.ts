import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { toHex } from "../../attestor/evm/hash.ts";
import { assay } from "../../cli/commands.ts";
import { signedUpdate } from "../../devnet/hermes/update.ts";
import { NOW, signedReading } from "../attestor/fixtures.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { signedReport } from "../support/providers/dataStreams.ts";

const ROUTERS = join(import.meta.dirname, "../attestor/publishers/routers.json");
const ROUTED = JSON.parse(readFileSync(ROUTERS, "utf8")).updates[0].data;
const [AAPL, CRYPTO] = [signedReport("AAPL"), signedReport("v3")];

/** What the command prints of these, by the name of the file that holds them. */
async function price(args: string[], files: Record<string, string> = {}) {
  const { world, shown } = fakeConsole([], files);
  const code = await assay(["price", ...args], world);
  return { code, out: shown, last: shown.at(-1) };
}
/** The same of a document on standard input. */
const priceOf = (document: object, ...args: string[]) =>
  price(["-", ...args], { "-": JSON.stringify(document) });

describe("assay price", () => {
  it("prints what a report of Chainlink says: publisher, keys, signers, feed, price, time and session", async () => {
    const { code, out, last } = await price([AAPL]);
    expect(code).to.equal(0);
    expect(out[0]).to.equal("Chainlink Data Streams");
    expect(out.filter((line) => line.startsWith("  signer "))).to.have.length(6);
    for (const [name, value] of [
      ["keys", "chainlink configuration 0x00094baebfda9b87680d8e59aa20a3e565126640ee7caeab3cd965e5568b17ee"],
      ["feed", "0x000bbd87a23775b4c11092ae9a1fc7b3393636ae1dbb9f1ef460f845c0f4cff1"],
      ["price", "313.25735 USD ± 0.05265"],
      ["signed at", "2026-09-09T18:00:00.000Z (1788976800)"],
      ["session", "regular"],
    ] as const)
      expect(out).to.include(`  ${name.padEnd(12)}${value}`);
    expect(last).to.match(/^VALID: 1 price\(s\), signed by chainlink configuration 0x00094bae/);
  });

  it("takes an update of Pyth as a file of hexadecimal digits, as Hermes answers it, and as evidence has it", async () => {
    const bytes = Buffer.from(ROUTED.slice(2), "hex");
    const answers = (["hex", "base64"] as const).map((encoding) =>
      JSON.stringify({ binary: { encoding, data: [bytes.toString(encoding)] } }),
    );
    for (const text of [`${ROUTED}\n`, ROUTED.slice(2), bytes.toString("base64"), ...answers]) {
      const { code, last } = await price(["update"], { update: text });
      expect([code, last]).to.eql([0, "VALID: 2 price(s), signed by pyth router set 0."]);
    }
    const { code, out } = await priceOf(signedReading(), "--local");
    expect(code).to.equal(0);
    expect(out).to.include(`  ${"price".padEnd(12)}200 USD ± 0.1`);
  });

  it("holds a price of evidence against what was signed", async () => {
    for (const [member, value] of [
      ["price", "1"],
      ["publishedAt", NOW],
      ["provider", "chainlink"],
    ] as const) {
      const told = await priceOf({ ...signedReading(), [member]: value }, "--local");
      const last = `INVALID: 1 of 1 price(s) prove nothing: what was signed reads otherwise: ${member}.`;
      expect(told).to.include({ code: 1, last });
    }
    for (const proof of [null, { format: "pyth-lazer", data: "0x01" }])
      expect((await priceOf({ ...signedReading(), proof })).code).to.equal(2);
  });

  it("vouches for no answer of which it cannot read every update", async () => {
    const answers = [
      { binary: { encoding: "hex", data: [ROUTED.slice(2), ROUTED.slice(2, -2)] } },
      { reports: [{ fullReport: AAPL }, { fullReport: AAPL.slice(0, -64) }] },
    ];
    for (const answer of answers) {
      const last = "UNVERIFIABLE: 1 signed update(s) are of no publisher that is known here.";
      expect(await priceOf(answer)).to.include({ code: 2, last });
    }
  });

  it("takes the answers of Data Streams, of one report and of many", async () => {
    for (const answer of [{ report: { fullReport: AAPL } }, { reports: [{ fullReport: AAPL }] }])
      expect((await priceOf(answer)).code).to.equal(0);
  });

  it("leaves with 1 where something proves nothing, and with 2 where nobody here can tell", async () => {
    // The last digit of the price: the seventh word of what was signed.
    const digit = 2 + 64 * (8 + 7) - 1;
    const forged = await price([`${AAPL.slice(0, digit)}1${AAPL.slice(digit + 1)}`]);
    expect(forged.code).to.equal(1);
    expect(forged.last).to.match(/INVALID: 1 of 1 price\(s\) prove nothing: signature 0 is by nobody/);
    const feed = { feedId: `0x${"1".repeat(64)}`, price: 1n, confidence: 0n, exponent: 0, publishedAt: NOW };
    const test = await price([toHex(signedUpdate([feed], NOW))]);
    expect(String([test.code, test.last])).to.match(/1,INVALID: .*test keys, which are published/);
    const other = await price([CRYPTO]);
    const last = "UNVERIFIABLE: 1 of 1 price(s) cannot be checked: reports of schema v3 are not known here.";
    expect(other).to.include({ code: 2, last });
    for (const text of ["0x1234", "0xzz"]) expect((await price([text])).code).to.equal(2);
    expect((await price(["file"], { file: "no update" })).code).to.equal(2);
    expect((await price([])).code).to.equal(2);
  });

  it("prints the same as JSON", async () => {
    const { out } = await price([AAPL, "--json"]);
    const printed = JSON.parse(out.join("\n"));
    expect(printed).to.include({ verdict: "VALID" });
    expect(printed.prices[0].check.price).to.include({ price: "313.25735", session: "regular" });
  });
});
