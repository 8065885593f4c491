/** What the ledger says of a job's payment and of the one that came with a request. */
import { expect } from "chai";
import { claimTransfer, findJobPayments } from "../../../api/payments/ledger.ts";
import { forEachEngine } from "../../support/database.ts";
import { addJob, addPayment, PAYEE, PAYER, TERMS, TOKEN } from "../../support/paymentRows.ts";

const NOW = 1_795_000_000;

describe("the ledger of payments", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    let payments = 0;

    /** @returns the key of a payment that is stored for the job, in that state */
    async function paid(jobId: string, state: "settling" | "settled" | "expired") {
      const nonce = `0x${String(++payments).padStart(64, "0")}`;
      const times = { validAfter: "0", validBefore: String(NOW + 300) };
      const authorization = { from: PAYER, to: PAYEE, value: "10000", ...times, nonce };
      const paid = { x402Version: 2, accepted: TERMS, payload: { signature: "0x00", authorization } };
      const [payload, requirements] = [JSON.stringify(paid), JSON.stringify(TERMS)];
      await addPayment(db, NOW, { job_id: jobId, state, nonce, payload, requirements });
      return { network: TERMS.network, asset: TOKEN, payer: PAYER, nonce, jobId };
    }
    const found = async (jobId: string, key: Parameters<typeof findJobPayments>[2]) => {
      const { ofJob, presented } = await findJobPayments(db, jobId, key);
      return [ofJob?.nonce ?? null, presented?.nonce ?? null];
    };

    it("the ledger of payments tells a job's payment from the one that came, though both are read at once", async () => {
      const [job, other] = [await addJob(db, NOW), await addJob(db, NOW)];
      const own = await paid(job, "settled");
      const foreign = await paid(other, "settling");
      expect(await found(job, null)).to.deep.equal([own.nonce, null]);
      expect(await found(job, own)).to.deep.equal([own.nonce, own.nonce]);
      expect(await found(job, foreign)).to.deep.equal([own.nonce, foreign.nonce]);
      const unknown = { ...own, nonce: `0x${"f".repeat(64)}` };
      expect(await found(other, unknown)).to.deep.equal([foreign.nonce, null]);
    });

    it("the ledger of payments takes a payment that came to nothing for none of the job's, also when it comes again", async () => {
      const job = await addJob(db, NOW);
      const gone = await paid(job, "expired");
      expect(await found(job, null)).to.deep.equal([null, null]);
      expect(await found(job, gone)).to.deep.equal([null, gone.nonce]);
      const next = await paid(job, "settling");
      expect(await found(job, gone)).to.deep.equal([next.nonce, gone.nonce]);
    });

    it("the ledger of payments gives a transfer to one payment, of any number that claim it at once, and to the next another one", async () => {
      const keys = await Promise.all([1, 2, 3].map(async () => paid(await addJob(db, NOW), "settling")));
      const transfer = {
        transactionHash: `0x${"a".repeat(64)}`,
        blockNumber: 5,
        blockHash: `0x${"b".repeat(64)}`,
        namesNonce: false,
      };
      const claim = (key: (typeof keys)[number], logIndex: number) =>
        claimTransfer(db, key, { ...transfer, logIndex }, NOW);
      const claims = await Promise.all(keys.map((key) => claim(key, 1)));
      expect([...claims].sort()).to.deep.equal(["claimed", "taken", "taken"]);
      const [loser, winner] = [claims.indexOf("taken"), claims.indexOf("claimed")];
      expect(await claim(keys[winner] as never, 2)).to.equal("ended");
      expect(await claim(keys[loser] as never, 2)).to.equal("claimed");
      expect(await claim(keys[claims.lastIndexOf("taken")] as never, 2)).to.equal("taken");
    });
  });
});
