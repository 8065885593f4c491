/** Signed receipts and offers, checked by the official library and by `assay verify`, and the key that signs them. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { expect } from "chai";
import { computeAddress, getBytes, hexlify } from "ethers";
import { developmentLogSigner, logSigner, markedAsLogKey } from "../../../api/log/key.ts";
import { createLogger } from "../../../api/metrics/logger.ts";
import {
  developmentReceiptSigner,
  markedAsReceiptKey,
  ReceiptKeyError,
  receiptSigner,
  receiptSignerFromKeystore,
} from "../../../api/payments/receipts/key.ts";
import { openReceiptKey } from "../../../api/payments/receipts/open.ts";
import { startServer } from "../../../api/server.ts";
import { ConfigError, parseConfig } from "../../../api/settings/config.ts";
import { Secret } from "../../../api/settings/secret.ts";
import { toBase64url } from "../../../attestor/receipts/statement.ts";
import { localPayments } from "../../../devnet/facilitator.ts";
import { failureOf } from "../../support/failure.ts";
import { expectStatus, json, loggerTo, paidWith } from "../../support/http.ts";
import { lightKeystore, newWallet } from "../../support/keystores.ts";
import { buyerOf, databaseIn, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { decodeHeader, PRICE, receiptIn, termsIn } from "../../support/x402.ts";

const PASSPHRASE = "correct horse battery";
const NO_LOG = new Uint8Array(32);

const signedReceipt = (answer: { headers: Headers }) =>
  receiptIn(answer).extensions["offer-receipt"].info.receipt;

describe("signed receipts", () => {
  const world = testPaidWorld();
  const service = ofSuite(() => {
    // With one way to pay there is room for its signed offer in the header.
    const payments: typeof localPayments = (context) => {
      const { options = [], ...setup } = localPayments(context);
      return { ...setup, options: options.slice(0, 1) };
    };
    return startPaidService(world, databaseIn(world), {}, { payments });
  });

  it("come with what was paid for, and the official library checks them by the service's DID document", async () => {
    const body = service.verifyBody();
    const challenge = await service.verify(body);
    const required = termsIn(challenge);
    const offers = extractOffersFromPaymentRequired(required);
    const [offer] = decodeSignedOffers(offers);
    expect(offer).to.deep.include({
      resourceUrl: `${service.url}/a2mcp/verify`,
      network: "eip155:31337",
      asset: world.token("USDL"),
      payTo: world.accounts.payee.address,
      amount: PRICE.toString(),
    });
    expect(offer!.validUntil).to.be.within(Date.now() / 1_000 + 250, Date.now() / 1_000 + 300);
    expect(findAcceptsObjectFromSignedOffer(offer!, required.accepts)).to.deep.equal(required.accepts[0]);
    await verifyOfferSignatureJWS(offers[0] as any);

    const { wallet, ...buyer } = buyerOf(service);
    const paid = await service.verify(body, await buyer.sign(challenge));
    const receipt = signedReceipt(paid);
    const said = await verifyReceiptSignatureJWS(receipt);
    const { transaction } = receiptIn(paid);
    expect(said).to.deep.include({
      version: 1,
      network: "eip155:31337",
      resourceUrl: `${service.url}/a2mcp/verify`,
      payer: wallet.address,
      transaction,
    });
    expect(verifyReceiptMatchesOffer(receipt, offer!, [wallet.address])).to.equal(true);
    const forged = { ...receipt, signature: `${receipt.signature.slice(0, -6)}AAAAAA` };
    expect(await verifyReceiptSignatureJWS(forged).catch((error: Error) => error)).to.be.instanceOf(Error);
  });

  it("are the same for every answer, and name the job where a job was bought", async () => {
    const path = await service.newReport();
    const unpaid = await service.call(path);
    expect(termsIn(unpaid).extensions).to.have.all.keys("offer-receipt");
    const signature = await buyerOf(service).sign(unpaid);
    const first = await service.call(path, paidWith(signature));
    await service.restart();
    // The port is another, and with it the name of the service.
    const later = await service.call(path);
    const [one, two] = await Promise.all(
      [first, later].map((answer) => verifyLocally(signedReceipt(answer))),
    );
    expect(new URL(one.resourceUrl).pathname).to.equal(path);
    expect({ ...two, resourceUrl: "" }).to.deep.equal({ ...one, resourceUrl: "" });
    expect(signedReceipt(await service.call(path))).to.deep.equal(signedReceipt(later));
  });

  it("name no key in the free phase, where nothing is sold", async () => {
    await using free = await startService(world, "sqlite::memory:");
    for (const path of ["/.well-known/did.json", "/did.json"])
      expect((await fetch(`${free.url}${path}`)).status).to.equal(404);
  });

  it("are signed by the key of the keystore, and those before it stay in the DID document", async () => {
    const former = receiptSigner(new Uint8Array(32).fill(7));
    const { path, seed } = await keystoreIn("own.json");
    const settings = {
      RECEIPT_KEYSTORE: path,
      RECEIPT_KEYSTORE_PASSPHRASE: PASSPHRASE,
      RECEIPT_FORMER_KEYS: toBase64url(former.publicKey),
      PUBLIC_URL: "https://assay.example.com:8443/api",
    };
    const log: string[] = [];
    await using own = await startPaidService(world, "sqlite::memory:", settings, { logger: loggerTo(log) });
    const document = expectStatus(await own.call("/did.json", { key: null }), 200);
    expect((await own.call("/.well-known/did.json", { key: null })).body).to.deep.equal(document.body);
    const did = "did:web:assay.example.com%3A8443:api";
    const [now, before] = document.body.verificationMethod;
    expect(document.body.id).to.equal(did);
    const key = toBase64url(receiptSigner(seed).publicKey);
    expect([now.controller, now.publicKeyJwk.x]).to.deep.equal([did, key]);
    expect(before.publicKeyJwk.x).to.equal(toBase64url(former.publicKey));
    expect(document.body.assertionMethod).to.deep.equal([now.id]);
    const { body, headers } = await buyerOf(own).pay("/a2mcp/verify", json(own.verifyBody()));
    const said: any = await verifyReceiptSignatureJWS(signedReceipt({ headers }), now.publicKeyJwk);
    expect(said.resourceUrl).to.equal("https://assay.example.com:8443/api/a2mcp/verify");
    const told = log.join("") + JSON.stringify(body);
    for (const secret of [Buffer.from(seed).toString("hex"), PASSPHRASE]) expect(told).to.not.include(secret);
  });

  it("let no service start by the attestation key, the payee's, or the decision log's, nor a live one by the development key", async () => {
    const { attestation, payee } = world.accounts;
    for (const [{ privateKey }, fault] of [
      [attestation, "it is the attestation key: make another one for receipts"],
      [payee, "it is the key of who is paid: make another one for receipts"],
    ] as const) {
      const { path } = await keystoreIn(`${fault.length}.json`, getBytes(privateKey));
      const config = parseConfig({
        PORT: "0",
        DATA_DIR: world.dataDir,
        DATABASE_URL: "sqlite::memory:",
        RPC_URL: world.url,
        ATTESTOR_PRIVATE_KEY: attestation.privateKey,
        PAYMENT_PHASE: "paid",
        RECEIPT_KEYSTORE: path,
        RECEIPT_KEYSTORE_PASSPHRASE: PASSPHRASE,
      });
      const logger = createLogger({ level: "silent" });
      const started = startServer(config, { logger, payments: localPayments });
      const { faults } = await failureOf(started, ConfigError);
      expect(faults).to.deep.equal([`RECEIPT_KEYSTORE: ${fault}`]);
    }
    const { path, seed } = await keystoreIn("log-too.json");
    const settings = (profile: "local" | "live", file = path) => ({
      profile,
      payments: {} as any,
      receipts: { keystore: { path: file, passphrase: new Secret(PASSPHRASE) }, formerKeys: [] },
    });
    const faultOf = async (profile: "local" | "live", file: string, log: Uint8Array) => {
      const opened = openReceiptKey(settings(profile, file), { attestation: [], log });
      return opened.then(() => null).catch((error: ConfigError) => error.faults[0]);
    };
    const ofLog = await faultOf("local", path, logSigner(seed).publicKey);
    expect(ofLog).to.contain("it is the decision log's key");
    expect(await faultOf("live", path, NO_LOG)).to.equal(null);
    const development = await developmentKeystore();
    expect(await faultOf("live", development, NO_LOG)).to.contain("the well-known development key");
    expect(await faultOf("local", development, NO_LOG)).to.equal(null);
    // Where none is named, a live service signs none; the local world says by its key that it proves nothing.
    const none = { payments: {} as any, receipts: { keystore: null, formerKeys: [] } };
    const others = { attestation: [], log: NO_LOG };
    expect(await openReceiptKey({ ...none, profile: "live" }, others)).to.equal(null);
    expect((await openReceiptKey({ ...none, profile: "local" }, others))?.isDevelopmentKey).to.equal(true);
    expect(developmentReceiptSigner().publicKey).to.not.deep.equal(developmentLogSigner().publicKey);
  });

  it("have a keystore of their own, which is taken for no other key's, and no other for it", async () => {
    const seed = new Uint8Array(32).fill(9);
    const key = hexlify(seed);
    const plain = await lightKeystore(key, PASSPHRASE);
    for (const keystore of [plain, markedAsLogKey(plain, seed), "{}", "no JSON"])
      await failureOf(receiptSignerFromKeystore(keystore, PASSPHRASE), ReceiptKeyError);
    const own = markedAsReceiptKey(plain, seed);
    await failureOf(receiptSignerFromKeystore(own, "another passphrase"), ReceiptKeyError);
    const signer = await receiptSignerFromKeystore(markedAsReceiptKey(plain, seed), PASSPHRASE);
    expect(JSON.stringify(signer)).to.not.include(key.slice(2));
    expect(signer.isKeyOf(computeAddress(key))).to.equal(true);
  });

  it("fit into headers that proxies let through: with more ways to pay the signed offers are left out, and the sign-in stays", async () => {
    const [dollar] = localPayments({ deployment: world.deployment, provider: world.provider }).options as any;
    const options = [dollar, { ...dollar, asset: world.token("AAPLx"), prices: { "*": "2" } }];
    const file = join(world.dataDir, "options.json");
    await writeFile(file, JSON.stringify({ options }));
    for (const [discovery, extensions] of [
      ["false", ["payment-identifier", "sign-in-with-x"]],
      ["true", ["payment-identifier", "sign-in-with-x", "bazaar"]],
    ] as const) {
      const settings = { PAYMENT_OPTIONS_FILE: file, PAYMENT_DISCOVERY: discovery };
      await using two = await startPaidService(world, "sqlite::memory:", settings);
      const header = (await two.verify(two.verifyBody())).headers.get("payment-required") ?? "";
      expect(Object.keys(decodeHeader(header).extensions)).to.have.members([...extensions]);
      expect(header.length).to.be.lessThan(discovery === "true" ? 7_100 : 3_300);
    }
  });

  async function keystoreIn(name: string, seed = getBytes(newWallet().privateKey)) {
    const path = join(world.dataDir, name);
    await writeFile(path, markedAsReceiptKey(await lightKeystore(hexlify(seed), PASSPHRASE), seed));
    return { path, seed };
  }

  async function developmentKeystore(): Promise<string> {
    const seed = createHash("sha256").update("assay: the development key of local receipts").digest();
    return (await keystoreIn("development.json", new Uint8Array(seed))).path;
  }
});

/** By the development key. */
async function verifyLocally(receipt: any): Promise<any> {
  const x = toBase64url(developmentReceiptSigner().publicKey);
  return verifyReceiptSignatureJWS(receipt, { kty: "OKP", crv: "Ed25519", x });
}
