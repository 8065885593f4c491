/** Vectors of what Pyth's routers and Chainlink's oracles really signed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Facts, PriceProof } from "../../attestor/evidence/facts.ts";
import { fromHex } from "../../attestor/evm/hash.ts";
import { CHAINLINK } from "../../attestor/publishers/chainlink/chainlink.ts";
import { KNOWN_KEYS } from "../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof, PUBLISHERS } from "../../attestor/publishers/publishers.ts";
import { PYTH } from "../../attestor/publishers/pyth/pyth.ts";
import { CHAIN_ID, NOW, reading, withSigner } from "../../test/attestor/fixtures.ts";
import { signedReport } from "../../test/support/providers/dataStreams.ts";
import type { Candidate } from "./candidate.ts";
import { documentOf } from "./prices.ts";

interface Case {
  readonly name: string;
  readonly proof: PriceProof;
  /** Seconds from the signatures to the judgement. */
  readonly late?: number;
  readonly session?: NonNullable<Facts["session"]>;
}

const ROUTERS = join(import.meta.dirname, "../../test/attestor/publishers/routers.json");
const check = (proof: PriceProof) => checkPriceProof(proof, KNOWN_KEYS, CHAIN_ID);

function withDigit(proof: PriceProof, place: number): PriceProof {
  const digit = proof.data[place] === "0" ? "1" : "0";
  return { ...proof, data: `${proof.data.slice(0, place)}${digit}${proof.data.slice(place + 1)}` };
}

function cases(): Case[] {
  const reported = (data: string): PriceProof => ({ format: CHAINLINK.format, data });
  const [apple, spy] = [reported(signedReport("AAPL")), reported(signedReport("SPY"))];
  const [gold, crypto] = [reported(signedReport("XAU")), reported(signedReport("v3"))];
  const unlike = withDigit(apple, 2 + 63);
  const session = { source: "test", state: "closed" } as const;
  return [
    ...JSON.parse(readFileSync(ROUTERS, "utf8")).updates.map(
      ({ set, data }: { set: number; data: string }, index: number) => ({
        name: `that router set ${set} signed, ${index}`,
        proof: PYTH.proofsIn(fromHex(data))[0],
      }),
    ),
    { name: "that Chainlink signed", proof: apple },
    { name: "that Chainlink signed, 120 s ago", proof: apple, late: 120 },
    { name: "that Chainlink signed, 121 s ago", proof: apple, late: 121 },
    { name: "that Chainlink signed, in another session", proof: apple, session },
    { name: "that Chainlink signed, in another session, a day ago", proof: apple, session, late: 86_400 },
    { name: "that Chainlink signed, and saw 3 s before", proof: spy },
    { name: "that Chainlink signed, of a stream whose status nobody explains", proof: gold },
    { name: "that Chainlink signed, of another schema", proof: crypto },
    { name: "that Chainlink signed, its last digit changed", proof: withDigit(apple, apple.data.length - 1) },
    { name: "that Chainlink signed, of a configuration that nobody knows", proof: unlike },
  ];
}

export function publisherDocuments(): Candidate[] {
  return cases().map(({ name, proof, late = 0, session }) => {
    const checked = check(proof);
    const said = checked.outcome === "broken" ? null : checked.price;
    const { provider } = PUBLISHERS.find(({ format }) => format === proof.format)!;
    const { price = "200", confidence = null, publishedAt = NOW - 3, signedAt = NOW - 2 } = said ?? {};
    const made = reading({ provider, price, confidence, publishedAt, receivedAt: signedAt, proof });
    const references = [withSigner(made)];
    return documentOf(`a price ${name}`, references, session ? { session } : {}, CHAIN_ID, {
      capturedAt: signedAt + late,
    });
  });
}
