/** `assay verify --receipt` and the key behind it, by the real program. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type ReceiptSigner, receiptSignerFromKeystore } from "../../api/payments/receipts/key.ts";
import { didOf, kidOf, toBase64url } from "../../attestor/receipts/statement.ts";
import { assay as inProcess } from "../support/programs.ts";
import { testFolder } from "../support/suite.ts";
import { encodeHeader } from "../support/x402.ts";

const SERVICE = "https://assay.example.com";
const PASSPHRASE = "correct horse battery";
const PAYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const STRANGER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

describe("assay verify --receipt", () => {
  const folder = testFolder("receipt");
  let signer: ReceiptSigner;
  let key: string;
  let receipt: string;

  const assay = async (...args: string[]) => {
    const { code, out, err } = await inProcess(args);
    return { code, out: `${out}${err}`.trim() };
  };
  const lastLine = ({ code, out }: { code: number; out: string }) => [code, out.split("\n").at(-1)];
  const kept = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };

  it("uses a key that keystore create --receipts makes, readable by its owner only", async () => {
    const path = join(folder, "receipts.json");
    const passphrase = await kept("passphrase", `${PASSPHRASE}\n`);
    const made = await assay("keystore", "create", path, "--receipts", "--passphrase-file", passphrase);
    expect(made.code, made.out).to.equal(0);
    key = made.out;
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    signer = await receiptSignerFromKeystore(await readFile(path, "utf8"), PASSPHRASE);
    expect(key).to.equal(toBase64url(signer.publicKey));
    const both = await assay("keystore", "create", join(folder, "x"), "--receipts", "--log", "a.example/log");
    expect([both.code, /each has a key/.test(both.out)]).to.deep.equal([2, true]);
  });

  it("says VALID for a receipt by that key, and exits with 0", async () => {
    const kid = kidOf(didOf(SERVICE), signer.publicKey);
    const bought = { network: "eip155:56", resourceUrl: `${SERVICE}/a2mcp/verify`, payer: PAYER };
    const when = { issuedAt: 1_790_000_000, transaction: `0x${"ab".repeat(32)}` };
    const signature = signer.sign(kid, { version: 1, ...bought, ...when });
    const document = { verificationMethod: [{ publicKeyJwk: { kty: "OKP", crv: "Ed25519", x: key } }] };
    const did = await kept("did.json", JSON.stringify(document));
    const extensions = { "offer-receipt": { info: { receipt: { format: "jws", signature } } } };
    receipt = await kept("receipt", encodeHeader({ success: true, payer: PAYER, extensions }));
    for (const trusted of [key, did]) {
      const told = await assay("verify", "--receipt", receipt, "--receipt-key", trusted, "--payer", PAYER);
      expect(lastLine(told)).to.deep.equal([0, `VALID: Signed by the key ${kid}, which you trust.`]);
      expect(told.out).to.include(`receipt  ${PAYER} paid for ${SERVICE}/a2mcp/verify on eip155:56`);
    }
  });

  it("says INVALID with the reason, and exits with 1; UNVERIFIABLE without a key, and exits with 2", async () => {
    const given = ["--receipt", receipt, "--receipt-key", key];
    const wrong = await assay("verify", ...given, "--payer", STRANGER, "--json");
    expect(wrong.code).to.equal(1);
    const { verdict, steps } = JSON.parse(wrong.out);
    const why = `It names ${PAYER}, and not ${STRANGER}.`;
    expect([verdict, steps[0].name, steps[0].detail]).to.deep.equal(["INVALID", "payer", why]);
    const untrusted = await assay("verify", "--receipt", receipt);
    expect(untrusted.code).to.equal(2);
    expect(untrusted.out).to.match(/UNVERIFIABLE: .*--receipt-key\.$/);
    const senseless = await assay("verify", "--receipt", receipt, "--receipt-key", "0xabc");
    expect(senseless.code).to.equal(2);
  });
});
