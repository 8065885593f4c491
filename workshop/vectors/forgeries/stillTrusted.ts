/** What a dishonest service can still state and be VALID to everybody: docs/guard/threat-model.md lists it. */
import { id } from "ethers";
import { sourceName } from "../../../attestor/sources.ts";
import { NOW, quote, signedReading } from "../../../test/attestor/fixtures.ts";
import { type Row, row } from "./rows.ts";
import { EVERYTHING, failed, type Lies, liquidityOf, REGISTRY, SAMPLES } from "./service.ts";

const MADE_UP = {
  ...SAMPLES,
  samples: SAMPLES.samples.map((sample) => ({ ...sample, impact10kBps: "1" })),
};
const FINNHUB = sourceName(REGISTRY.assets[0]!.priceSources[1]!);
const observed = (facts: (facts: any) => void): Lies => ({ facts, observed: true });

export const STILL_TRUSTED: Readonly<Record<string, Lies>> = {
  "another price by a provider that signs nothing": observed(({ references }) => {
    references[1].price = "199.5";
  }),
  "another price by a publisher that signs, without its signatures, where the policy asks for no more of them":
    observed(({ settlement }) => {
      settlement[0].price = "1.001";
    }),
  "the failure of a source over HTTP that answered": observed(({ references, failures }) => {
    // The price on the chain stays, so that there are two sources.
    references.splice(1, 1);
    failures.push(failed(FINNHUB));
  }),
  "an older price that its publisher signed, within the policy's age": observed(({ references }) => {
    references[0] = signedReading({ price: "200.3", publishedAt: NOW - 55 });
  }),
  "that a provider does not call the token halted": observed(({ token }) => {
    token.halts[1].rawHash = id("another answer");
  }),
  "another factor of a token whose storage nobody proves": observed(({ token }) => {
    token.factor.value = "1.2501";
  }),
  "that nothing is announced for such a token": observed(({ token }) => {
    token.announcement.change = null;
  }),
  "liquidity by samples that it made up": observed((facts) => {
    facts.liquidity = liquidityOf(MADE_UP);
  }),
  "a regular session on a day on which the exchange was closed unforeseen": observed((facts) => {
    facts.session = { source: "nyse-calendar", state: "regular" };
  }),
  "that a judgement was made at its time, and not later with what was known then": {},
  "a worse of the routes that the guard allows": observed((facts) => {
    facts.quote.amountOutRaw = ((BigInt(quote("buy").amountOutRaw) * 999n) / 1_000n).toString();
  }),
};

export const STILL_TRUSTED_ROWS: readonly Row[] = Object.entries(STILL_TRUSTED).map(([name, lies]) => {
  const samples = name.startsWith("liquidity") ? MADE_UP : SAMPLES;
  return row(`still trusted: ${name}`, lies, { ...EVERYTHING, samples }, { verdict: "VALID" });
});
