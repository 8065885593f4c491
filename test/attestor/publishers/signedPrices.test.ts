import { expect } from "chai";
import { id } from "ethers";
import type { Facts } from "../../../attestor/evidence/facts.ts";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { parseRegistry, type Registry } from "../../../attestor/registry.ts";
import type { Step } from "../../../attestor/steps.ts";
import { type VerifyOptions, verifyReport } from "../../../attestor/verify/verify.ts";
import { localSigners, signedUpdate } from "../../../devnet/hermes/update.ts";
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
function signed(assetKey: string, price: bigint, guardians = localSigners()): Facts["references"][number] {
  const feedId = FEEDS[assetKey]!;
  const publishedAt = NOW - 3;
  const message = { feedId, price, confidence: 4_000n, exponent: -5, publishedAt };
  const proof = priceProofOf(signedUpdate([message], NOW, guardians), feedId);
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

const verified = (document: unknown, options: VerifyOptions = {}) =>
  verifyReport(document, { ...TRUST, registry: FED, ...options });
/** Of the document whose first price of the stock is this one. */
const verifiedWith = async (price: Facts["references"][number]) =>
  verified(await documentOn({ references: [price, ...unsignedReferences().slice(1)] }));
const told = (steps: readonly Step[], name: string) =>
  steps.filter((step) => step.name === name).map(({ outcome, detail }) => `${outcome}: ${detail}`);

describe("the verification of signed prices", () => {
  it("says by whom they are signed, that the evidence says the same, and that the feeds are the registry's", async () => {
    const { verdict, steps } = verified(await documentOn());
    expect(verdict).to.equal("VALID");
    expect(told(steps, "price proofs")).to.eql([
      "ok: 2 of 5 prices carry their publisher's signatures (test keys of the local world).",
    ]);
    expect(told(steps, "signed prices")).to.eql([
      "ok: Price, confidence and time are those that were signed.",
    ]);
    expect(told(steps, "sources")).to.eql([
      "ok: Prices and token facts are of the sources that registry 2026-09-21 lists, and each of them answered.",
    ]);
  });

  it("the verification of signed prices has no such steps where nobody signed", async () => {
    const { verdict, steps } = verified(
      await documentOn({ references: unsignedReferences(), settlement: dollars() }),
    );
    expect(verdict).to.equal("VALID");
    expect(steps.map(({ name }) => name)).to.not.include.members(["price proofs", "signed prices"]);
  });

  it("the verification of signed prices is INVALID where the evidence says another price, confidence or time than was signed", async () => {
    for (const [member, value] of [
      ["price", "200.10001"],
      ["confidence", null],
      ["publishedAt", NOW - 2],
      ["kind", "close"],
      ["provider", "pythia"],
    ] as const) {
      const { verdict, steps } = await verifiedWith({ ...stock(), [member]: value });
      expect(verdict, member).to.equal("INVALID");
      expect(told(steps, "signed prices")[0], member).to.match(
        new RegExp(`^wrong: What was signed reads otherwise: Equity.US.ACME/USD by pyth(ia)?: ${member}\\.$`),
      );
    }
  });

  it("the verification of signed prices is INVALID where a proof does not parse, or is signed by nobody who could", async () => {
    const strangers = { ...localSigners(), privateKeys: ["a", "b", "c"].map((name) => id(name)) };
    for (const proof of [
      { format: "pyth-accumulator", data: "0x504e4155" },
      { format: "pyth-accumulator", data: "0x00" },
      signed(STOCK_KEY, 20_010_000n, strangers).proof,
    ]) {
      const { verdict, steps } = await verifiedWith({ ...stock(), proof });
      expect(verdict).to.equal("INVALID");
      expect(told(steps, "price proofs")[0]).to.match(/^wrong: These proofs of prices prove nothing: /);
    }
  });

  it("is UNVERIFIABLE where format or set of signers are not known, since the judgement counts these prices as signed", async () => {
    const [known, later] = [stock(), stock()];
    // The routers' set 9, which nobody knows yet.
    const data = fromHex(later.proof!.data);
    data.set([0, 0, 0, 9], 11);
    for (const [proof, reason] of [
      [{ format: "pyth-lazer", data: "0x01" }, 'proofs of the format "pyth-lazer" are not known here'],
      [{ ...known.proof!, data: toHex(data) }, "pyth router set 9 is not known here"],
    ] as const) {
      const { verdict, steps } = await verifiedWith(withSigner({ ...known, proof }));
      expect(verdict).to.equal("UNVERIFIABLE");
      expect(told(steps, "price proofs")).to.include(
        `unknown: The judgement counts these as signed, and this reader cannot check it: Equity.US.ACME/USD by pyth: ${reason}.`,
      );
    }
  });

  it("is INVALID where the evidence names other signers, or another time at which they signed", async () => {
    const { signer } = stock();
    for (const change of [{ set: "pyth router set 1" }, { signedAt: signer!.signedAt - 1 }]) {
      const { verdict, steps } = await verifiedWith({ ...stock(), signer: { ...signer!, ...change } });
      expect(verdict).to.equal("INVALID");
      expect(told(steps, "price signers")).to.eql(["wrong: Signed by others: Equity.US.ACME/USD by pyth."]);
    }
  });

  it("is UNVERIFIABLE where the evidence names a session that this reader does not read from what was signed", async () => {
    const signer = { ...stock().signer!, session: "regular" as const };
    const { verdict, steps } = await verifiedWith({ ...stock(), signer });
    expect(verdict).to.equal("UNVERIFIABLE");
    expect(told(steps, "price signers")[0]).to.match(/^unknown: /);
  });

  it("the verification of signed prices is INVALID where the signed price is of another feed than the registry lists for the asset", async () => {
    const swapped = { ...signed(DOLLAR_KEY, 20_010_000n), symbol: stock().symbol };
    const { verdict, steps } = await verifiedWith(swapped);
    expect(verdict).to.equal("INVALID");
    expect(told(steps, "sources")).to.eql([
      `wrong: By registry 2026-09-21 these sources are wrong: the live price of Equity.US.ACME/USD by pyth is of no source that it lists; pyth-hermes live ${FEEDS[STOCK_KEY]} states no price and is not said to have failed.`,
    ]);
  });
});
