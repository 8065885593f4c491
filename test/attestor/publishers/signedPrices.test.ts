import { expect } from "chai";
import { id } from "ethers";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { parseRegistry, type Registry } from "../../../attestor/registry.ts";
import type { Reader } from "../../../attestor/verify/trust.ts";
import type { StepName, Verification } from "../../../attestor/verify/verification.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { signedUpdate } from "../../../devnet/hermes/update.ts";
import {
  DOLLAR_KEY,
  dollars,
  facts,
  judgement,
  NOW,
  prepared,
  REGISTRY,
  reading,
  reportOn,
  STOCK_KEY,
  TRUST,
  unsignedReferences,
  withSigner,
} from "../fixtures.ts";

const FEEDS: Record<string, string> = {
  [STOCK_KEY]: id("Equity.US.ACME/USD"),
  [DOLLAR_KEY]: id("Crypto.USDT/USD"),
};
const FED: Registry = parseRegistry({
  ...REGISTRY,
  assets: REGISTRY.assets.map((asset) => ({
    ...asset,
    priceSources: asset.priceSources.map((source) =>
      source.provider === "pyth-hermes" ? { ...source, feedId: FEEDS[asset.assetKey] } : source,
    ),
  })),
});

/** A price of Pyth's, signed by the local world's test keys. */
function signed(assetKey: string, price: bigint): Facts["references"][number] {
  const feedId = FEEDS[assetKey]!;
  const publishedAt = NOW - 3;
  const message = { feedId, price, confidence: 4_000n, exponent: -5, publishedAt };
  const proof = priceProofOf(signedUpdate([message], NOW), feedId);
  const said = { provider: "pyth", price: `${Number(price) / 1e5}`, confidence: "0.04", publishedAt };
  return withSigner(reading({ ...said, proof }));
}

const stock = () => signed(STOCK_KEY, 20_010_000n);
const dollar = () => ({ ...signed(DOLLAR_KEY, 100_010n), symbol: "USDT / USD" });

/** The document on a stock and a dollar of which each has one signed price among others. */
async function documentOn(given: Partial<Facts> = {}, registry = FED) {
  const sound = {
    references: [stock(), ...unsignedReferences().slice(1)],
    settlement: [dollar(), ...dollars().slice(1)],
  };
  // A policy that allows the trade also where nobody signed.
  const policy = policyById("EXTENDED_HOURS");
  const judged = judgement({ policy, registry, facts: facts({ ...sound, ...given }) });
  return await prepared(reportOn(judged), policy);
}

const verified = (document: unknown, options: Reader = {}) =>
  verifyReport(document, { ...TRUST, registry: FED, ...options });
/** Of the document whose first price of the stock is this one. */
const verifiedWith = async (price: Facts["references"][number]) =>
  verified(await documentOn({ references: [price, ...unsignedReferences().slice(1)] }));
/** The outcome of a step, and its first fault's code and params. */
function told({ steps }: Verification, wanted: StepName) {
  const step = steps.find(({ name }) => name === wanted);
  return { outcome: step?.outcome, ...step?.faults[0] };
}

describe("the verification of signed prices", () => {
  it("the verification of signed prices says by whom they are signed, that the evidence says the same, and that the feeds are the registry's", async () => {
    const verification = verified(await documentOn());
    expect(verification.verdict).to.equal("VALID");
    const signed = verification.facts.filter(({ kind }) => kind === "signed");
    expect(signed.map(({ by }) => by)).to.deep.equal(Array(2).fill("test keys of the local world"));
    expect(told(verification, "signatures")).to.deep.equal({ outcome: "ok" });
    expect(told(verification, "registry")).to.deep.equal({ outcome: "ok" });
  });

  it("the verification of signed prices is not asked where nobody signed", async () => {
    const verification = verified(
      await documentOn({ references: unsignedReferences(), settlement: dollars() }),
    );
    expect(verification.verdict).to.equal("VALID");
    expect(told(verification, "signatures")).to.deep.equal({ outcome: "not asked" });
  });

  it("the verification of signed prices names each member that the evidence says otherwise than was signed", async () => {
    for (const [member, value] of [
      ["price", "200.10001"],
      ["confidence", null],
      ["publishedAt", NOW - 2],
      ["kind", "close"],
      ["provider", "pythia"],
    ] as const) {
      const verification = await verifiedWith({ ...stock(), [member]: value });
      expect(verification.verdict, member).to.equal("INVALID");
      const fault = told(verification, "signatures");
      expect(fault).to.include({ outcome: "wrong", code: "signed_otherwise" });
      expect(fault.params).to.include({ members: member });
    }
  });

  it("the verification of signed prices says which format or set of signers is not known, since the judgement counts these prices as signed", async () => {
    const [known, later] = [stock(), stock()];
    // The routers' set 9, which nobody knows yet.
    const data = fromHex(later.proof!.data);
    data.set([0, 0, 0, 9], 11);
    for (const [proof, reason] of [
      [{ format: "pyth-lazer", data: "0x01" }, 'proofs of the format "pyth-lazer" are not known here'],
      [{ ...known.proof!, data: toHex(data) }, "pyth router set 9 is not known here"],
    ] as const) {
      const verification = await verifiedWith(withSigner({ ...known, proof }));
      expect(verification.verdict).to.equal("UNVERIFIABLE");
      const fault = told(verification, "signatures");
      expect(fault).to.include({ outcome: "unknown", code: "signers_unknown" });
      expect(fault.params).to.include({ price: '"Equity.US.ACME/USD" by "pyth"', reason });
    }
  });

  it("the verification of signed prices is INVALID where the signed price is of another feed than the registry lists for the asset", async () => {
    const swapped = { ...signed(DOLLAR_KEY, 20_010_000n), symbol: stock().symbol };
    const verification = await verifiedWith(swapped);
    expect(verification.verdict).to.equal("INVALID");
    const fault = told(verification, "registry");
    expect(fault).to.include({ outcome: "wrong", code: "sources_other" });
    expect(fault.params?.faults).to.equal(
      `the live price of Equity.US.ACME/USD by pyth is of no source that it lists; pyth-hermes live ${FEEDS[STOCK_KEY]} states no price and is not said to have failed`,
    );
  });
});
