/** What a dishonest service can still say and be VALID, before a reader who has the registry: docs/guard/threat-model.md lists it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { sourceName } from "../../../attestor/sources.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { judgement, NOW, prepared, quote, reportOn, signedReading, TRUST } from "../fixtures.ts";
import { failed, honest, LISTED } from "./forgedSources.ts";

const FINNHUB = sourceName(LISTED.assets[0]!.priceSources[1]!);

const LIES: Record<string, (given: Facts) => void> = {
  "another price by a provider that signs nothing": ({ references }) => {
    references[1] = { ...references[1]!, price: "199.5" };
  },
  "another price by a publisher that signs, without its signatures, where the policy asks for no more of them":
    ({ settlement }) => {
      settlement[0] = { ...settlement[0]!, price: "1.001", proof: null };
    },
  "the failure of a source over HTTP that answered": ({ references, failures }) => {
    // The fixtures' price on the chain stays, so that there are two sources.
    references.splice(1, 1);
    failures.push(failed(FINNHUB));
  },
  "an older price that its publisher signed, within the policy's age": ({ references }) => {
    references[0] = signedReading({ price: "200.3", publishedAt: NOW - 55 });
  },
  "that a provider does not call the token halted": ({ token }) => {
    token.halts[1] = { ...token.halts[1]!, halted: false };
  },
  "another factor of a token whose storage nobody proves": (given) => {
    given.token.factor = { ...given.token.factor!, value: "1.2501" };
  },
  "that nothing is announced for such a token": (given) => {
    given.token.announcement = { ...given.token.announcement!, change: null };
  },
  "liquidity by samples that it made up": (given) => {
    given.liquidity = { ...given.liquidity!, sampleN: 900, impact10kBps: "1", impact1kBps: "0.1" };
  },
  "a regular session on a day on which the exchange was closed unforeseen": (given) => {
    given.session = { source: "nyse-calendar", state: "regular" };
  },
  "a worse of the routes that the guard allows": (given) => {
    const { amountOutRaw } = quote("buy");
    given.quote = { ...given.quote!, amountOutRaw: ((BigInt(amountOutRaw) * 999n) / 1000n).toString() };
  },
};

describe("what a reader with every flag still takes from the service", () => {
  for (const [name, lie] of Object.entries(LIES))
    it(`is VALID where the service states ${name}`, async () => {
      const given = honest();
      lie(given);
      const report = reportOn(judgement({ registry: LISTED, facts: given }));
      expect(report.decision).to.equal("ALLOW");
      const result = verifyReport(await prepared(report), { ...TRUST, registry: LISTED });
      expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
    });

  it("is what the threat model lists", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/guard/threat-model.md"), "utf8");
    const [, section] = page.split("### What VALID with every flag still trusts\n");
    const lines = section!
      .split("\n## ")[0]!
      .split("\n")
      .filter((line) => line.startsWith("- "));
    expect(lines.map((line) => line.slice(2))).to.deep.equal(Object.keys(LIES));
  });
});
