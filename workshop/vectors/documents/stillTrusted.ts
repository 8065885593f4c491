/** What a dishonest service can still state and be VALID to everybody: docs/guard/threat-model.md lists it. */
import { id } from "ethers";
import { sourceName } from "../../../attestor/sources.ts";
import { NOW, quote, signedReading } from "../../../test/attestor/fixtures.ts";
import { READERS } from "./readers.ts";
import type { Row } from "./rows.ts";
import { answerOf, type Bend, failed, liquidityOf, REGISTRY, SAMPLES } from "./service.ts";

const MADE_UP = {
  ...SAMPLES,
  samples: SAMPLES.samples.map((sample) => ({ ...sample, impact10kBps: "1" })),
};
const FINNHUB = sourceName(REGISTRY.assets[0]!.priceSources[1]!);

/** By what is stated: how the facts are bent. */
export const STILL_TRUSTED: Readonly<Record<string, Bend>> = {
  "another price by a provider that signs nothing": ({ references }) => (references[1].price = "199.5"),
  "another price by a publisher that signs, without its signatures, where the policy asks for no more of them":
    ({ settlement }) => (settlement[0].price = "1.001"),
  "the failure of a source over HTTP that answered"({ references, failures }) {
    // The price on the chain stays, so that there are two sources.
    references.splice(1, 1);
    failures.push(failed(FINNHUB));
  },
  "an older price that its publisher signed, within the policy's age": ({ references }) =>
    (references[0] = signedReading({ price: "200.3", publishedAt: NOW - 55 })),
  "that a provider does not call the token halted": ({ token }) =>
    (token.halts[1].rawHash = id("another answer")),
  "another factor of a token whose storage nobody proves": ({ token }) => (token.factor.value = "1.2501"),
  "that nothing is announced for such a token": ({ token }) => (token.announcement.change = null),
  "liquidity by samples that it made up": (facts) => (facts.liquidity = liquidityOf(MADE_UP)),
  "a regular session on a day on which the exchange was closed unforeseen": (facts) =>
    (facts.session = { source: "nyse-calendar", state: "regular" }),
  "that a judgement was made at its time, and not later with what was known then": () => {},
  "a worse of the routes that the guard allows": (facts) =>
    (facts.quote.amountOutRaw = ((BigInt(quote("buy").amountOutRaw) * 999n) / 1_000n).toString()),
};

export const STILL_TRUSTED_ROWS: readonly Row[] = Object.entries(STILL_TRUSTED).map(([name, facts]) => ({
  name: `still trusted: ${name}`,
  document: () => answerOf({ knows: "observed", facts }),
  trust: { ...READERS.everything, samples: name.startsWith("liquidity") ? MADE_UP : SAMPLES },
  expected: "VALID",
}));
