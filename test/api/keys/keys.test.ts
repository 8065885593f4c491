import { createHash, randomBytes } from "node:crypto";
import { expect } from "chai";
import { createKeys } from "../../../api/keys/keys.ts";
import { forEachEngine } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { APPLICANT } from "../../support/http.ts";

const refusal = async (work: Promise<unknown>): Promise<string> => (await failureOf(work)).code;

describe("API keys", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    let now = 1_795_000_000_000;
    const keys = createKeys({ db, now: () => now++, randomBytes });

    it("API keys are pending after an application, active after approval, and never again after revocation", async () => {
      const { key, record } = await keys.apply(APPLICANT);
      expect(key).to.match(/^ak_[A-Za-z0-9_-]{43}$/);
      expect(await refusal(keys.authenticate(key))).to.equal("key_pending_approval");
      expect((await keys.approve(record.id, "root")).state).to.equal("active");
      const active = { id: record.id, state: "active", limitPerMinute: null };
      expect(await keys.authenticate(key)).to.include(active);
      expect((await keys.revoke(record.id, "root")).state).to.equal("revoked");
      expect(await refusal(keys.authenticate(key))).to.equal("revoked_api_key");
      expect(await refusal(keys.approve(record.id, "root"))).to.equal("revoked");
      expect((await keys.history(record.id)).map(({ actor, action }) => [actor, action])).to.deep.equal([
        ["applicant", "applied"],
        ["root", "approved"],
        ["root", "revoked"],
      ]);
    });

    it("API keys that are approved automatically are active at once, with their limit, until an admin says otherwise", async () => {
      const { key, record } = await keys.applyAutomatically(APPLICANT, 10);
      const named = {
        name: "approved automatically",
        email: APPLICANT.email,
        purpose: "approved automatically",
      };
      const { record: pending } = await keys.apply(named);
      expect(await keys.authenticate(key)).to.include({ id: record.id, state: "active", limitPerMinute: 10 });
      const listed = (await keys.list()).filter(({ id }) => [record.id, pending.id].includes(id));
      expect(listed.map(({ isAutomatic }) => isAutomatic)).to.deep.equal([true, false]);
      expect((await keys.approve(record.id, "root")).limitPerMinute).to.equal(10);
      await keys.setLimit(record.id, 120, "root");
      await keys.revoke(record.id, "root");
      expect(await refusal(keys.authenticate(key))).to.equal("revoked_api_key");
      const history = (await keys.history(record.id)).map(({ actor, action, detail }) => [
        actor,
        action,
        detail,
      ]);
      expect(history).to.deep.equal([
        ["applicant", "approved_automatically", "10"],
        ["root", "limit_set", "120"],
        ["root", "revoked", null],
      ]);
    });

    it("API keys are stored as a digest alone", async () => {
      const { key, record } = await keys.create(APPLICANT, "root");
      const rows = await db.selectFrom("api_keys").selectAll().execute();
      const row = rows.find(({ id }) => id === record.id)!;
      expect(row.digest).to.equal(createHash("sha256").update(key).digest("hex"));
      const everything = JSON.stringify([rows, await db.selectFrom("api_key_events").selectAll().execute()]);
      expect(everything).to.not.contain(key).and.to.not.contain(key.slice(3));
    });

    it("API keys are not recognized by another key, a part of one, or another form of one", async () => {
      const { key } = await keys.create(APPLICANT, "root");
      const near = [key.slice(0, -1), `${key}A`, key.toUpperCase(), key.slice(3), `${key}\n`];
      for (const other of [...near, `ak_${"A".repeat(43)}`, "", "' or 1=1 --", "a".repeat(100_000)])
        expect(await refusal(keys.authenticate(other))).to.equal("invalid_api_key");
    });

    it("API keys take a limit of their own, and give it back", async () => {
      const { key, record } = await keys.create(APPLICANT, "root");
      await keys.setLimit(record.id, 7, "root");
      expect((await keys.authenticate(key)).limitPerMinute).to.equal(7);
      await keys.setLimit(record.id, null, "root");
      expect((await keys.authenticate(key)).limitPerMinute).to.equal(null);
      for (const limit of [0, -1, 1.5, Number.NaN, 1e9])
        expect(await refusal(keys.setLimit(record.id, limit, "root"))).to.equal("invalid_limit");
      const details = (await keys.history(record.id)).map(({ detail }) => detail);
      expect(details).to.deep.equal([null, "7", "default"]);
    });

    it("API keys write nothing down where nothing changes, and refuse an unknown key", async () => {
      const { record } = await keys.create(APPLICANT, "root");
      await keys.approve(record.id, "root");
      await keys.revoke(record.id, "root");
      await keys.revoke(record.id, "other");
      expect(await keys.history(record.id)).to.have.length(2);
      expect(await refusal(keys.approve("key_no", "root"))).to.equal("unknown_key");
      expect(await refusal(keys.revoke("key_no", "root"))).to.equal("unknown_key");
      expect(await refusal(keys.setLimit("key_no", 1, "root"))).to.equal("unknown_key");
    });

    it("API keys stay revoked when approval and revocation come at once", async () => {
      const { record } = await keys.apply(APPLICANT);
      await Promise.allSettled([
        keys.approve(record.id, "a"),
        keys.revoke(record.id, "b"),
        keys.approve(record.id, "c"),
        keys.setLimit(record.id, 5, "d"),
      ]);
      const [after] = (await keys.list()).filter(({ id }) => id === record.id);
      expect(after).to.include({ state: "revoked", limitPerMinute: 5 });
    });
  });
});
