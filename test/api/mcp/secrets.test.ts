/** What looks like a key or a seed phrase is refused wherever it stands; hashes and signatures are not. */
import { expect } from "chai";
import {
  encodeBase58,
  getBytes,
  HDNodeWallet,
  hexlify,
  Mnemonic,
  SigningKey,
  Wallet,
  wordlists,
} from "ethers";
import fc from "fast-check";
import { findSecret } from "../../../api/mcp/secrets.ts";
import { type Answer, testApp } from "../../support/http.ts";
import { envelope, mcpRequest, rpc } from "../../support/mcp.ts";

const bytes = (count: number) => fc.uint8Array({ minLength: count, maxLength: count });
const hex = (count: number) => bytes(count).map((value) => hexlify(value));
/** Keys as people copy them: with and without 0x, in any case, with text around. */
const privateKey = fc
  .tuple(hex(32), fc.constantFrom("plain", "bare", "upper", "spoken", "spaced"))
  .map(([key, how]) => {
    if (how === "bare") return key.slice(2);
    if (how === "upper") return key.slice(2).toUpperCase();
    if (how === "spoken") return `my key is ${key}, please use it`;
    return how === "spaced" ? `  ${key}\n` : key;
  });

const languages = Object.keys(wordlists);
const phrase = fc
  .tuple(
    fc.constantFrom(16, 20, 24, 28, 32).chain((length) => bytes(length)),
    fc.constantFrom(...languages),
    fc.constantFrom(" ", ", ", "\n", " - ", "  "),
    fc.constantFrom("as is", "upper", "numbered", "spoken"),
  )
  .map(([entropy, language, separator, how]) => {
    const words = wordlists[language]!.split(Mnemonic.fromEntropy(entropy, "", wordlists[language]).phrase);
    if (how === "numbered") return words.map((word, index) => `${index + 1}. ${word}`).join(separator);
    const text = words.join(separator);
    if (how === "upper") return text.toUpperCase();
    return how === "spoken" ? `it is: ${text} !` : text;
  });

const place = fc.tuple(
  fc.constantFrom("list", "member"),
  fc.constantFrom("jobId", "policyId", "note", "a.b"),
);
/** Puts a value somewhere into JSON that is harmless otherwise. */
const hidden = (value: fc.Arbitrary<unknown>) =>
  fc
    .tuple(value, fc.array(place, { maxLength: 6 }))
    .map(([secret, places]) =>
      places.reduce<unknown>(
        (inner, [kind, name]) =>
          kind === "list" ? ["STRICT_LIVE", inner, 5] : { maxSlippageBps: 50, [name]: inner, tail: null },
        secret,
      ),
    );

describe("Secrets in the input of tools", () => {
  it("secrets in the input of tools are found as private keys in any field at any depth", () => {
    fc.assert(
      fc.property(hidden(privateKey), (value) => {
        expect(findSecret(value)).to.include({ kind: "private key" });
      }),
    );
  });

  it("secrets in the input of tools are found as seed phrases in every language, at any length, in any field at any depth", () => {
    fc.assert(
      fc.property(hidden(phrase), (value) => {
        expect(findSecret(value)).to.include({ kind: "seed phrase" });
      }),
    );
  });

  it("secrets in the input of tools are found word by word, and in the names of fields", () => {
    const { phrase: text } = Wallet.createRandom().mnemonic!;
    const words = text.split(" ");
    expect(findSecret({ list: words })).to.include({ kind: "seed phrase" });
    const members = Object.fromEntries(words.map((word, index) => [`word${index}`, word]));
    expect(findSecret(members)).to.include({ kind: "seed phrase" });
    expect(findSecret({ [text]: 1 })).to.include({ kind: "seed phrase" });
    expect(findSecret({ [Wallet.createRandom().privateKey]: 1 })).to.include({ kind: "private key" });
  });

  it("secrets in the input of tools are found with a wrong checksum, too", () => {
    expect(findSecret(Array(12).fill("abandon").join(" "))).to.deep.equal({ path: "", kind: "seed phrase" });
  });

  it("secrets in the input of tools are found in the forms of other wallets", () => {
    const wallet = HDNodeWallet.createRandom();
    const pair = getBytes(`${wallet.privateKey}${wallet.privateKey.slice(2)}`);
    const forms = [
      wallet.extendedKey,
      "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
      "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
      "-----BEGIN EC PRIVATE KEY-----\nMHQCAQEE",
      encodeBase58(pair),
      hexlify(pair),
      [...pair],
      [...getBytes(wallet.privateKey)],
      JSON.stringify({ privateKey: wallet.privateKey }),
    ];
    for (const form of forms)
      expect(findSecret({ note: form }), String(form)).to.include({ kind: "private key" });
  });

  it("secrets in the input of tools are named by their field, never by their value", () => {
    const key = Wallet.createRandom().privateKey;
    expect(findSecret({ a: [{ b: key }] })).to.deep.equal({ path: "a.0.b", kind: "private key" });
    expect(JSON.stringify(findSecret({ [key]: { [key]: key } }))).to.not.contain(key.slice(2, 20));
  });

  it("secrets in the input of tools are looked for in a payment payload, behind its base64", () => {
    const key = Wallet.createRandom().privateKey;
    const encoded = Buffer.from(JSON.stringify({ payload: { privateKey: key } })).toString("base64");
    expect(findSecret({ paymentSignature: encoded })).to.include({ kind: "private key" });
    expect(findSecret({ paymentSignature: key })).to.include({ kind: "private key" });
    expect(findSecret({ paymentSignature: key.slice(2) })).to.include({ kind: "private key" });
  });

  it("secrets in the input of tools are looked for in a payment that goes along as x402 has it, and in no other place taken for one", () => {
    const { privateKey: key } = Wallet.createRandom();
    const payment = { payload: { signature: `0x${"ab".repeat(65)}`, authorization: { nonce: key } } };
    expect(findSecret({ _meta: { "x402/payment": payment } })).to.equal(null);
    for (const elsewhere of [
      { "x402/payment": payment },
      { note: { _meta: { "x402/payment": payment } } },
      { _meta: { other: payment } },
      { _meta: { "x402/payment": { ...payment, note: key } } },
      { _meta: { "x402/payment": { payload: { signature: key } } } },
      { _meta: { "x402/payment": key } },
    ])
      expect(findSecret(elsewhere), JSON.stringify(elsewhere)).to.include({ kind: "private key" });
  });

  it("secrets in the input of tools are found in every member of a payment payload, and in a base64 that holds no payload", () => {
    const { privateKey, mnemonic, extendedKey } = HDNodeWallet.createRandom();
    const foundIn = (payment: string) =>
      findSecret({ paymentSignature: Buffer.from(payment).toString("base64") });
    const foundAs = (name: string, secret: string) =>
      foundIn(JSON.stringify({ payload: { [name]: secret } }));
    const { phrase: text } = mnemonic!;
    for (const secret of [text, extendedKey, "-----BEGIN EC PRIVATE KEY-----\nMHQCAQEE"])
      for (const name of ["signature", "nonce", "salt", "quote", "id", "evidenceHash"])
        expect(foundAs(name, secret), `${name}: ${secret}`).to.not.equal(null);
    for (const key of [privateKey, privateKey.slice(2)])
      expect(foundAs("signature", key)).to.include({ kind: "private key" });
    for (const secret of [text, JSON.stringify(text), privateKey, privateKey.slice(2), extendedKey])
      expect(foundIn(secret), secret).to.include({ path: "paymentSignature" });
  });

  it("secrets in the input of tools are not seen in hashes where a hash belongs", () => {
    const fields = ["transactionHash", "evidenceHash", "policyHash", "blockHash"];
    fc.assert(
      fc.property(hex(32), fc.constantFrom(...fields), fc.boolean(), (hash, field, deep) => {
        const value = { [field]: hash };
        expect(findSecret(deep ? { list: [value] } : value)).to.equal(null);
        // The same bytes elsewhere look like a key.
        expect(findSecret({ jobId: hash })).to.include({ kind: "private key" });
        // And a hash's field holds a hash and no more.
        expect(findSecret({ [field]: `${hash} and more` })).to.include({ kind: "private key" });
      }),
    );
  });

  it("secrets in the input of tools are not seen in payments, signatures, addresses, asset keys, amounts and ids", () => {
    fc.assert(
      fc.property(bytes(32), hex(32), hex(20), fc.bigInt(0n, 2n ** 256n - 1n), (key, nonce, to, amount) => {
        fc.pre(key.some((byte) => byte !== 0) && hexlify(key) < `0x${"f".repeat(31)}`);
        const { serialized: signature } = new SigningKey(key).sign(nonce);
        const value = amount.toString();
        const extra = { quote: `body:${nonce}:AAAA` };
        const accepted = { scheme: "exact", network: "eip155:31337", amount: "10000", extra };
        const payload = { signature, authorization: { from: to, to, value, nonce } };
        const payment = JSON.stringify({ x402Version: 2, accepted, payload });
        const paymentSignature = Buffer.from(payment).toString("base64");
        expect(findSecret({ jobId: "job_D8R4rdZTTb6kt8qggJj6Dg", paymentSignature })).to.equal(null);
        expect(findSecret({ note: signature })).to.equal(null);
        const assetKey = `eip155:31337:${to}`;
        const ids = { ownerAddress: to, inputAssetKey: assetKey, outputAssetKey: assetKey };
        const clientRequestId = crypto.randomUUID();
        expect(findSecret({ ...ids, amountInRaw: value, clientRequestId })).to.equal(null);
      }),
    );
  });

  it("secrets in the input of tools are not seen in plain speech, not even at length", () => {
    const texts = [
      "Buy AAPLx for 250 USD, but only when the market is open and the price is close to the stock; ask me before you pay.",
      "我想用两百五十美元购买苹果股票然后马上交易它们并告诉我结果如何",
      "アップルの株を二百五十ドルで買いたいのですが、市場が開いているときだけにしてください",
      "word ".repeat(11),
    ];
    for (const trade of texts) expect(findSecret({ trade }), trade).to.equal(null);
  });

  it("secrets in the input of tools are looked for at any depth that fits into a message", () => {
    const deep = `${"[".repeat(30_000)}"${Wallet.createRandom().privateKey}"${"]".repeat(30_000)}`;
    expect(findSecret(JSON.parse(deep))).to.include({ kind: "private key" });
    const from = performance.now();
    for (const text of ["a".repeat(65_000), "abandon zzz ".repeat(5_000), "1".repeat(65_000)])
      findSecret(text);
    expect(performance.now() - from).to.be.below(2_000);
  });
});

describe("secrets in messages to /mcp", () => {
  const app = testApp();
  const key = `0x${"5e".repeat(32)}`;
  const told = ({ body }: Answer) => JSON.parse(body.result.content[0].text);
  const call = async (params: object, headers?: Record<string, string>) =>
    app.call("/mcp", mcpRequest(rpc("tools/call", { name: "list_supported_assets", ...params }), headers));

  it("secrets in messages to /mcp are refused in a tool's arguments, by the field", async () => {
    expect(told(await call({ arguments: { a: { b: [key] } } }))).to.deep.include({
      code: "secret_refused",
      errors: [{ path: "a.b.0", message: "looks like a private key" }],
    });
  });

  it("secrets in messages to /mcp are refused in what goes along with a call, by clients of both revisions", async () => {
    expect(told(await call({ _meta: { note: key } }))).to.include({ code: "secret_refused" });
    const { _meta } = envelope("2026-07-28");
    const modern = await call(
      { _meta: { ..._meta, "example/note": key } },
      {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "list_supported_assets",
      },
    );
    expect(told(modern)).to.include({ code: "secret_refused" });
  });

  it("secrets in messages to /mcp are refused in a resource's address, and not repeated", async () => {
    const { status, body, text } = await app.call(
      "/mcp",
      mcpRequest(rpc("resources/read", { uri: `assay://${key}` })),
    );
    expect([status, body.error.code, body.error.data.code]).to.deep.equal([200, -32_602, "secret_refused"]);
    expect(text).to.not.contain(key.slice(2, 20));
  });
});
