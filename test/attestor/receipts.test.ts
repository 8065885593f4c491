/** What `assay verify --receipt` makes of receipts: right ones, forged ones, and those of another purchase. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { expect } from "chai";
import fc from "fast-check";
import {
  didOf,
  jwsOf,
  kidOf,
  type OfferStatement,
  parseJws,
  type ReceiptStatement,
} from "../../attestor/receipts/statement.ts";
import { type ReceiptExpectations, verifyReceipt } from "../../attestor/receipts/verifyReceipt.ts";

const SEED = new Uint8Array(32).fill(1);
const OTHER_SEED = new Uint8Array(32).fill(2);
const KEY = ed25519.getPublicKey(SEED);
const OTHER_KEY = ed25519.getPublicKey(OTHER_SEED);
const SERVICE = "https://assay.example.com/api";
const KID = kidOf(didOf(SERVICE), KEY);
const PAYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const STRANGER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

const RECEIPT: ReceiptStatement = {
  version: 1,
  network: "eip155:56",
  resourceUrl: `${SERVICE}/a2mcp/verify`,
  payer: PAYER,
  issuedAt: 1_790_000_000,
  transaction: `0x${"ab".repeat(32)}`,
};
const OFFER: OfferStatement = {
  version: 1,
  resourceUrl: RECEIPT.resourceUrl,
  scheme: "exact",
  network: "eip155:56",
  asset: "0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d",
  payTo: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: "10000",
  validUntil: 1_790_000_200,
};

const signed = (statement: ReceiptStatement | OfferStatement, { seed = SEED, kid = KID } = {}) =>
  jwsOf(kid, statement, (message) => ed25519.sign(message, seed));
const answer = (jws: string, changes: object = {}) =>
  JSON.stringify({
    success: true,
    ...{ network: RECEIPT.network, payer: PAYER, transaction: RECEIPT.transaction, amount: "10000" },
    extensions: { "offer-receipt": { info: { receipt: { format: "jws", signature: jws } } } },
    ...changes,
  });
const challenge = (...offers: string[]) =>
  JSON.stringify({
    extensions: {
      "offer-receipt": { info: { offers: offers.map((signature) => ({ format: "jws", signature })) } },
    },
  });
const EXPECTED: ReceiptExpectations = {
  keys: [OTHER_KEY, KEY],
  payer: PAYER.toLowerCase(),
  network: "eip155:56",
  resource: RECEIPT.resourceUrl,
  transaction: RECEIPT.transaction,
  asset: OFFER.asset,
  amount: "10000",
  payTo: OFFER.payTo,
};

/** The verdict, and the steps that decided it. */
function judged(receipt: string, offer: string | null = null, expected: Partial<ReceiptExpectations> = {}) {
  const { verdict, steps } = verifyReceipt(receipt, offer, { keys: [KEY], ...expected });
  const deciding = { VALID: "", INVALID: "wrong", UNVERIFIABLE: "unknown" }[verdict];
  return [verdict, ...steps.filter(({ outcome }) => outcome === deciding).map(({ name }) => name)];
}

describe("a signed receipt", () => {
  it("is VALID by a key that the reader trusts, in each form in which it is kept", () => {
    const jws = signed(RECEIPT);
    const whole = answer(jws);
    for (const text of [
      jws,
      `${jws}\n`,
      JSON.stringify({ format: "jws", signature: jws }),
      whole,
      Buffer.from(whole).toString("base64"),
    ])
      expect(judged(text), text).to.deep.equal(["VALID"]);
    const required = challenge(signed({ ...OFFER, network: "eip155:1" }), signed(OFFER));
    for (const offer of [signed(OFFER), required, Buffer.from(required).toString("base64")])
      expect(judged(whole, offer, EXPECTED), offer).to.deep.equal(["VALID"]);
  });

  it("is UNVERIFIABLE without a key to trust, without what names the price, or where it is none", () => {
    expect(judged(signed(RECEIPT), null, { keys: [] })).to.deep.equal(["UNVERIFIABLE", "issuer"]);
    expect(judged(signed(RECEIPT), null, EXPECTED)).to.deep.equal([
      "UNVERIFIABLE",
      "asset",
      "amount",
      "payTo",
    ]);
    expect(judged(signed(RECEIPT), "no offer")).to.deep.equal(["UNVERIFIABLE", "offer"]);
    for (const text of [
      "",
      "{}",
      "a.b.c",
      "AAAA",
      answer("x"),
      JSON.stringify({ format: "eip712", payload: {} }),
    ])
      expect(judged(text), text).to.deep.equal(["UNVERIFIABLE", "document"]);
    const twice = challenge(signed(OFFER), signed({ ...OFFER, asset: STRANGER }));
    expect(judged(signed(RECEIPT), twice)).to.deep.equal(["UNVERIFIABLE", "offer"]);
    expect(judged(signed(RECEIPT), twice, EXPECTED)).to.deep.equal(["VALID"]);
  });

  it("says what nobody signed of the answer that it came with, and is INVALID where the offer says otherwise", () => {
    const claimed = answer(signed(RECEIPT), { amount: "999999", asset: STRANGER, payTo: STRANGER });
    const { verdict, steps } = verifyReceipt(claimed, null, { keys: [KEY] });
    expect(verdict).to.equal("VALID");
    const unsigned = steps.filter(({ name, outcome }) => name === "answer" && outcome === "absent");
    expect(unsigned.map(({ detail }) => /Its (\w+) is signed by nobody/.exec(detail)?.[1])).to.deep.equal([
      "asset",
      "amount",
      "payTo",
    ]);
    expect(judged(claimed, signed(OFFER))[0]).to.equal("INVALID");
  });

  it("is INVALID when another key signed it, or a key of another service", () => {
    expect(judged(signed(RECEIPT, { seed: OTHER_SEED }))).to.deep.equal(["INVALID", "signature"]);
    const elsewhere = kidOf(didOf("https://elsewhere.example"), KEY);
    expect(judged(signed(RECEIPT, { kid: elsewhere }))).to.deep.equal(["INVALID", "signature"]);
    const resourceUrl = "https://elsewhere.example/a2mcp/verify";
    expect(judged(signed({ ...RECEIPT, resourceUrl }))).to.deep.equal(["INVALID", "signature"]);
    const otherKid = kidOf(didOf(SERVICE), OTHER_KEY);
    expect(judged(signed(RECEIPT, { kid: otherKid }))).to.deep.equal(["INVALID", "signature"]);
    expect(judged(signed(OFFER))).to.deep.equal(["INVALID", "receipt"]);
    expect(judged(signed({ ...RECEIPT, version: 2 as 1 }))).to.deep.equal(["INVALID", "receipt"]);
  });

  it("is INVALID for another payer, price, token, payee, network, resource or transaction, with a step for each", () => {
    const whole = answer(signed(RECEIPT));
    const cases: [keyof ReceiptExpectations, string][] = [
      ["payer", STRANGER],
      ["network", "eip155:1"],
      ["resource", `${SERVICE}/v1/jobs/job_1/report`],
      ["transaction", `0x${"cd".repeat(32)}`],
      ["amount", "10001"],
      ["payTo", STRANGER],
    ];
    for (const [name, other] of cases)
      expect(judged(whole, signed(OFFER), { ...EXPECTED, [name]: other })).to.deep.equal(["INVALID", name]);
    expect(judged(whole, signed(OFFER), { ...EXPECTED, asset: STRANGER })).to.deep.equal([
      "INVALID",
      "asset",
    ]);
    const { transaction: _, ...without } = RECEIPT;
    expect(judged(signed(without), null, { transaction: RECEIPT.transaction! })).to.deep.equal([
      "INVALID",
      "transaction",
    ]);
    // What stands around it is signed by nobody.
    for (const changes of [
      { payer: STRANGER },
      { network: "eip155:1" },
      { transaction: `0x${"cd".repeat(32)}` },
    ])
      expect(judged(answer(signed(RECEIPT), changes))).to.deep.equal(["INVALID", "answer"]);
    expect(judged(answer(signed(RECEIPT), { amount: "1" }), signed(OFFER))).to.deep.equal([
      "INVALID",
      "answer",
    ]);
    // An offer of another resource, of another time, or of another key says nothing of this purchase.
    const offers: [string, string][] = [
      [signed({ ...OFFER, resourceUrl: `${SERVICE}/other` }), "offer's resource"],
      [signed({ ...OFFER, validUntil: RECEIPT.issuedAt - 86_401 }), "offer's time"],
      [signed(OFFER, { seed: OTHER_SEED }), "offer"],
    ];
    for (const [offer, step] of offers) expect(judged(whole, offer)).to.deep.equal(["INVALID", step]);
  });

  it("is never VALID with any of its characters changed", () => {
    const jws = signed(RECEIPT);
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    const changed = fc
      .tuple(fc.nat(jws.length - 1), fc.constantFrom(...letters))
      .filter(([at, letter]) => jws[at] !== letter);
    fc.assert(
      fc.property(changed, ([at, letter]) => {
        const [verdict] = judged(`${jws.slice(0, at)}${letter}${jws.slice(at + 1)}`);
        expect(verdict).to.not.equal("VALID");
      }),
      { numRuns: 300 },
    );
  });

  it("is read for what it says, with any content", () => {
    const text = fc.string({ maxLength: 200 });
    fc.assert(
      fc.property(text, text, fc.nat(), (payer, network, issuedAt) => {
        const statement = { ...RECEIPT, payer, network, issuedAt };
        fc.pre(payer.isWellFormed() && network.isWellFormed());
        expect(parseJws(signed(statement))?.payload).to.deep.equal(statement);
      }),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(fc.string(), fc.string(), (receipt, offer) => {
        expect(verifyReceipt(receipt, offer, { keys: [KEY] }).verdict).to.not.equal("VALID");
      }),
      { numRuns: 100 },
    );
  });
});
