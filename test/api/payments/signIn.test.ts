/** The payer comes back with a signature of the same wallet, on the real chain, with the official client. */
import { expect } from "chai";
import { hexlify, randomBytes, Wallet } from "ethers";
import { clearOldJobs } from "../../../api/jobs/retention.ts";
import { findPurchase } from "../../../api/payments/bodyPurchases.ts";
import type { Payer } from "../../../api/payments/signature.ts";
import { findBought, listBought } from "../../../api/payments/signIn/bought.ts";
import { SIGN_IN_STATEMENT } from "../../../api/payments/signIn/message.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { printPurchases, signingIn } from "../../../cli/agent/purchases.ts";
import { createClient } from "../../../client/client.ts";
import { addRows, changeRows, forAlikeEngines, rowOf, rowsOf } from "../../support/database.ts";
import { income } from "../../support/dollars.ts";
import { type Answer, answerOf, expectProblem, expectStatus, json, loggerTo } from "../../support/http.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { type Service, startService, walletOf, withoutProof } from "../../support/service.ts";
import { failureOf } from "../../support/serviceError.ts";
import {
  challengeOf,
  type SignInChanges,
  signedIn,
  signInFor,
  signingInFetch,
  withSignIn,
} from "../../support/signIn.ts";
import { ofSuite } from "../../support/suite.ts";
import { decodeHeader, encodeHeader, PRICE, receiptIn } from "../../support/x402.ts";

const LIST = "/a2mcp/purchases";
const jobsIn = ({ body }: Answer) => body.purchases.map(({ jobId }: any) => jobId);
const iso = (at: number) => new Date(at).toISOString();

describe("a payer who signs in", () => {
  const world = testPaidWorld();

  forAlikeEngines((engine) => {
    let url: string;
    const log: string[] = [];
    const service = ofSuite(async () => {
      url = await engine.createUrl();
      return startPaidService(world, url, {}, { logger: loggerTo(log) });
    });
    /** Two processes more, behind one address. */
    const twins = [1, 2].map(() =>
      ofSuite(() => startPaidService(world, url, { PUBLIC_URL: "https://assay.example.com/api" })),
    );
    let body: Record<string, unknown>;
    let bought: any;
    const payer = () => walletOf(world, 0);
    const stranger = () => walletOf(world, 3);
    const jobPath = (rest = "") => `/v1/jobs/${bought.jobId}${rest}`;
    const used = () => rowsOf(service.server.db, "sign_ins");

    before(async () => {
      body = service.verifyBody();
      bought = (await buyerOf(service).pay("/a2mcp/verify", json(body))).body;
    });

    it("finds what it bought with the official client unchanged, and opens it with a new token", async () => {
      const buyer = buyerOf(service);
      const fetching = signingInFetch(buyer);
      const list = expectStatus(await answerOf(await fetching(`${service.url}${LIST}`)), 200);
      expect([jobsIn(list), list.body.next]).to.deep.equal([[bought.jobId], null]);
      const [purchase] = list.body.purchases;
      expect(purchase).to.include({ evidenceHash: bought.evidenceHash, decision: "ALLOW", reportVersion: 1 });
      expect(purchase.intent.ownerAddress).to.equal(body.ownerAddress);
      const paid = { payer: buyer.wallet.address, amount: PRICE.toString(), asset: world.token("USDL") };
      expect(purchase.receipt).to.include({ ...paid, payTo: world.accounts.payee.address });

      const opened = await answerOf(await fetching(`${service.url}${LIST}/${bought.jobId}`));
      expectStatus(opened, 200);
      const { jobToken: _, ...report } = bought;
      expect(withoutProof(opened.body.report)).to.deep.equal(withoutProof(report));
      const { transaction } = receiptIn(opened);
      expect(transaction).to.equal(purchase.receipt.transaction);
      const { jobToken } = opened.body;
      expect((await service.open({ ...bought, jobToken })).status).to.equal(200);
    });

    it("is served by the client and by the agent, who tell what was bought, and how to sign in", async () => {
      const baseUrl = service.url;
      const unsigned = await failureOf(createClient({ baseUrl }).purchases());
      expect(unsigned).to.include({ status: 402, code: "sign_in_required" });
      const { extensions } = unsigned.members as any;
      expect(extensions["sign-in-with-x"].info.uri).to.equal(`${baseUrl}${LIST}`);

      const client = createClient({ baseUrl, fetch: signingIn(payer(), fetch) });
      const told: string[] = [];
      await printPurchases(client, (line) => void told.push(line));
      expect(told[0]).to.include(bought.jobId).and.to.include(bought.evidenceHash);
      expect(told.at(-1)).to.equal("1 purchase.");
      const opened = await client.openPurchase(bought.jobId);
      expect([opened.report.evidenceHash, opened.receipt?.payer]).to.deep.equal([
        bought.evidenceHash,
        payer().address,
      ]);
      const own = createClient({ baseUrl, jobToken: opened.jobToken as string });
      const guard = { chainId: world.deployment.chainId, address: world.deployment.guard };
      const verdictOf = (document: unknown) =>
        verifyReport(document, { guard, signer: world.accounts.attestation.address }).verdict;
      expect(verdictOf(opened)).to.equal("UNVERIFIABLE");
      const { execution, reportVersion } = await own.prepare(bought.jobId);
      const later = await client.openPurchase(bought.jobId);
      expect([later.reportVersion, later.execution]).to.deep.equal([reportVersion, execution]);
      expect(verdictOf(later)).to.equal("VALID");
      const signIn = await signInFor(await challengeOf(service), payer());
      expect((await createClient({ baseUrl }).purchases({ signIn })).purchases).to.have.length(1);
    });

    it("gets what it bought a moment ago with the official client, and pays for what it did not", async () => {
      const fetching = signingInFetch(buyerOf(service));
      const ask = async (asked: object) =>
        answerOf(await fetching(`${service.url}/a2mcp/verify`, json(asked)));
      const held = await income(world);
      const again = await ask(body);
      expect([again.status, again.body.jobId]).to.deep.equal([200, bought.jobId]);
      expect(again.headers.get("idempotent-replayed")).to.equal("true");
      expect(again.headers.get("payment-response")).to.be.a("string");
      expect((await service.open(again.body)).status).to.equal(200);
      expect(await income(world)).to.equal(held);

      const other = await ask(service.verifyBody({ amountInRaw: "250000777" }));
      expect([other.status, other.headers.get("idempotent-replayed")]).to.deep.equal([200, null]);
      expect(await income(world)).to.equal(held + PRICE);
      const list = await signedIn(service, payer(), LIST);
      // What a wallet has bought is nothing for a page of another origin.
      expect(list.headers.has("access-control-allow-origin")).to.equal(false);
      // The latest first; of one second, in any order.
      expect(jobsIn(list)).to.have.members([other.body.jobId, bought.jobId]);
      const [first, ...rest] = jobsIn(list);
      const next = await signedIn(service, payer(), `${LIST}?after=${first}`);
      expect(jobsIn(next)).to.deep.equal(rest);
    });

    it("opens a job's calls as its token does: state, report, preparation, submission", async () => {
      const state = await signedIn(service, payer(), jobPath());
      expect(state.body.entitlement).to.deep.equal({ granted: true, reason: "paid" });
      const report = await signedIn(service, payer(), jobPath("/report?version=1"));
      expect(report.body.evidenceHash).to.equal(bought.evidenceHash);
      const post = async (rest: string, sent: object) => {
        const path = jobPath(rest);
        const said = { uri: `${service.url}${path}` };
        const header = await signInFor(await challengeOf(service), payer(), { said });
        return withSignIn(service, path, header, json(sent));
      };
      const prepared = expectStatus(await post("/prepare-execution", {}), 200);
      expect(prepared.body.execution).to.be.an("object");
      const transactionHash = hexlify(randomBytes(32));
      expect((await post("/submissions", { transactionHash })).status).to.equal(201);
    });

    it("is refused for any message that is not for this service, this resource, this purpose and now", async () => {
      const now = world.clock.now();
      const other = "https://elsewhere.example";
      const cases: [string, SignInChanges][] = [
        ["other_domain", { said: { domain: "elsewhere.example" } }],
        ["other_resource", { said: { uri: `${other}${LIST}` } }],
        ["other_resource", { said: { uri: `${service.url}${LIST}/${bought.jobId}` } }],
        ["other_resource", { said: { uri: `${service.url}/v1/jobs/${bought.jobId}` } }],
        ["other_resource", { said: { uri: `${service.url}${LIST}`, resources: [other] } }],
        ["other_statement", { said: { statement: "Sign in." } }],
        ["other_statement", { said: { statement: undefined } }],
        ["expired", { said: { issuedAt: iso(now - 301_000), expirationTime: undefined } }],
        ["expired", { said: { expirationTime: iso(now - 1_000) } }],
        ["not_yet_valid", { said: { issuedAt: iso(now + 60_000), expirationTime: undefined } }],
        ["not_yet_valid", { said: { notBefore: iso(now + 60_000) } }],
        ["unsupported", { said: { chainId: "eip155:1" } }],
        ["unsupported", { sent: { type: "ed25519" } }],
        ["malformed", { said: { nonce: "short123" } }],
        ["malformed", { sent: { issuedAt: "yesterday" } }],
        ["malformed", { sent: { more: 1 } }],
        ["malformed", { sent: { statement: "\ud800" } }],
        ["malformed", { sent: { signature: "0x" } }],
        ["malformed", { sent: { version: "2" } }],
        // Changed after it was signed, or signed by somebody else.
        ["wrong_signature", { sent: { nonce: "0123456789abcdef0123456789abcdef" } }],
        ["wrong_signature", { sent: { issuedAt: iso(now) } }],
        ["wrong_signature", { sent: { address: stranger().address } }],
        ["wrong_signature", { sent: { signature: `0x${"11".repeat(65)}` } }],
        ["wrong_signature", { sent: { signature: `0x${"6492".repeat(16)}` } }],
      ];
      const before = await used();
      for (const [reason, changes] of cases) {
        const answer = await signedIn(service, payer(), LIST, changes);
        expect(answer.status, JSON.stringify(changes)).to.equal(401);
        const told = { code: "invalid_sign_in", signInError: reason };
        expect(answer.body, JSON.stringify(changes)).to.include(told);
      }
      const claimed = await signedIn(service, stranger(), LIST, { sent: { address: payer().address } });
      expect(claimed.body.signInError).to.equal("wrong_signature");
      for (const header of ["%%%", "AAAA", encodeHeader([]), encodeHeader({}), "A".repeat(12_004)])
        expect((await withSignIn(service, LIST, header)).body.signInError).to.equal("malformed");
      // The job's own paths say the same.
      const elsewhere = await signedIn(service, payer(), jobPath("/report"), { said: { uri: other } });
      expect([elsewhere.status, elsewhere.body.signInError]).to.deep.equal([401, "other_resource"]);
      expect(await used()).to.deep.equal(before);
    });

    it("opens one request with each signature, also at once by two services on one database", async () => {
      const [one, two] = twins as [Service, Service];
      const said = { uri: `https://assay.example.com/api${LIST}` };
      const header = await signInFor(await challengeOf(one), payer(), { said });
      const asked = [one, two, one, two, one, two].map((twin) => withSignIn(twin, LIST, header));
      const answers = await Promise.all(asked);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ body }) => body.signInError)).to.deep.equal(Array(5).fill("nonce_used"));
      // And after a restart.
      await one.restart();
      expect((await withSignIn(one, LIST, header)).body.signInError).to.equal("nonce_used");
      // Where the service stands, its settings say and no header.
      const { info } = (await challengeOf(two)).body.extensions["sign-in-with-x"];
      expect(info.domain).to.equal("assay.example.com");
      const byHost = { domain: new URL(two.url).host, uri: `${two.url}${LIST}` };
      const elsewhere = await signedIn(two, payer(), LIST, { said: byHost });
      expect(elsewhere.body.signInError).to.equal("other_domain");
    });

    it("opens nothing to who bought nothing of it, and writes nothing down for it", async () => {
      const before = await used();
      const nobody = Wallet.createRandom();
      for (const wallet of [stranger(), nobody]) {
        expect(jobsIn(await signedIn(service, wallet, LIST))).to.deep.equal([]);
        for (const path of [`${LIST}/${bought.jobId}`, jobPath(), jobPath("/report")]) {
          const answer = await signedIn(service, wallet, path);
          expect([answer.status, answer.body.code], path).to.deep.equal([404, "not_found"]);
        }
      }
      expect(jobsIn(await signedIn(service, stranger(), `${LIST}?after=${bought.jobId}`))).to.deep.equal([]);
      expect((await signedIn(service, payer(), `${LIST}/job_none`)).status).to.equal(404);
      expect((await signedIn(service, payer(), "/v1/jobs/job_none/report")).status).to.equal(404);
      // A key's own job, unpaid.
      const { jobId } = await service.newJob();
      expect((await signedIn(service, payer(), `/v1/jobs/${jobId}`)).status).to.equal(404);
      expect(await used()).to.deep.equal(before);
      // To who is asked for money, a sign-in that opens nothing says so beside the price.
      const asked = service.verifyBody({ amountInRaw: "250000778" });
      const unsigned = await service.verify(asked);
      const wrong = await signInFor(unsigned, payer(), { sent: { address: stranger().address } });
      const answer = await withSignIn(service, "/a2mcp/verify", wrong, json(asked));
      expect([answer.status, answer.body.signInError]).to.deep.equal([402, "wrong_signature"]);
    });

    it("opens nothing by a payment that is not settled, or that another one made needless", async () => {
      const { db } = service.server;
      const row = await rowOf(db, "payments", { job_id: bought.jobId });
      const payers = { expired: walletOf(world, 5), settling: walletOf(world, 6) };
      const { jobId } = await service.newJob();
      const never = { settled_at: null, transaction_hash: null, next_look_at: Number.MAX_SAFE_INTEGER };
      for (const changes of [
        { state: "expired", payer: payers.expired.address, fault: "covered" },
        { state: "settling", payer: payers.settling.address, fault: null, job_id: jobId },
      ] as const)
        await addRows(db, "payments", { ...row, ...never, ...changes });
      for (const wallet of Object.values(payers)) {
        expect(jobsIn(await signedIn(service, wallet, LIST))).to.deep.equal([]);
        expect((await signedIn(service, wallet, `${LIST}/${bought.jobId}`)).status).to.equal(404);
      }
      await db.deleteFrom("payments").where("state", "<>", "settled").execute();
    });

    it("opens with a contract wallet's signature what was paid on that chain alone", async () => {
      const { db } = service.server;
      const { address } = payer();
      const here = { address, network: "eip155:31337", signedBy: "contract" } as const;
      const elsewhere = { ...here, network: "eip155:1" };
      expect(await findBought(db, here, bought.jobId)).to.not.equal(null);
      expect(await findBought(db, elsewhere, bought.jobId)).to.equal(null);
      expect(await listBought(db, elsewhere, null, 10)).to.deep.equal([]);
      expect(await findBought(db, { ...elsewhere, signedBy: "own" }, bought.jobId)).to.not.equal(null);
      // The same of what was bought a moment ago, which a payment asks for, too.
      const now = Math.floor(world.clock.now() / 1_000);
      const { intent_hash: intentHash } = await rowOf(db, "body_purchases", { job_id: bought.jobId });
      const recent = (by: Payer) => findPurchase(db, { payer: by, intentHash, identifier: null }, now);
      expect((await recent({ ...elsewhere, signedBy: "own" }))?.jobId).to.equal(bought.jobId);
      await changeRows(db, "body_purchases", { payer: `eip155:31337:${address}` });
      expect([(await recent(here))?.jobId, await recent(elsewhere)]).to.deep.equal([bought.jobId, null]);
    });

    it("leaves no signature in the log, and its nonces go when they are too old to come again", async () => {
      const header = await signInFor(await challengeOf(service), payer());
      const { signature, nonce } = decodeHeader(header);
      expect((await withSignIn(service, LIST, header)).status).to.equal(200);
      for (const secret of [signature, header, SIGN_IN_STATEMENT, nonce])
        expect(log.join("")).to.not.include(secret);
      const { db } = service.server;
      const forEver = { oneShotDays: null, jobDays: null, soldDays: null, failedPaymentDays: null };
      const keep = { ...forEver, rawAnswerDays: null };
      const now = Math.floor(world.clock.now() / 1_000);
      const isHere = async () => (await used()).some((row) => row.nonce === nonce);
      await clearOldJobs(db, keep, now + 300);
      expect(await isHere()).to.equal(true);
      await clearOldJobs(db, keep, now + 320);
      expect(await isHere()).to.equal(false);
    });
  });

  it("counts against its address, and needs a signature that opens something not to", async () => {
    const limits = { ADDRESS_LIMIT_PER_MINUTE: "4", KEY_LIMIT_PER_MINUTE: "3" };
    await using service = await startPaidService(world, "sqlite::memory:", limits);
    const header = await signInFor(await challengeOf(service), walletOf(world, 3));
    for (let n = 0; n < 3; n++) expect((await withSignIn(service, LIST, header)).status).to.equal(200);
    expect((await withSignIn(service, LIST, header)).body.code).to.equal("rate_limited");
    const path = "/v1/jobs/job_guess/report";
    for (let n = 0; n < 3; n++) expect((await withSignIn(service, path, header)).status).to.equal(401);
    expect((await withSignIn(service, path, header)).body.code).to.equal("rate_limited");
  });

  it("finds no such thing in the free phase", async () => {
    await using service = await startService(world, "sqlite::memory:");
    expect((await fetch(`${service.url}${LIST}`)).status).to.equal(404);
    expectProblem(await withSignIn(service, "/v1/jobs/job_any", "AAAA"), 401, "missing_api_key");
  });
});
