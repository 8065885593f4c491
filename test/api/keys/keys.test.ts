import { createHash, randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { expect } from "chai";
import { createKeys } from "../../../api/keys/keys.ts";
import { openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { APPLICANT } from "../../support/http.ts";
import { ofSuite } from "../../support/suite.ts";
import { assayIn } from "../../support/typed.ts";

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

    it("take a limit of their own, and give it back", async () => {
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

    it("write nothing down where nothing changes, and refuse an unknown key", async () => {
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

    describe("through the script", () => {
      let url: string;
      const own = ofSuite(async () => {
        url = await engine.createUrl();
        return openDatabase(url);
      });
      const keys = createKeys({ db: own, now: () => now++, randomBytes });
      const run = async (...args: string[]) => {
        const { world, shown: out, warned: errors } = fakeConsole([], {}, null, { DATABASE_URL: url });
        const code = await assayIn(["keys", ...args], { ...world, now: () => now++ });
        return { code, out, errors };
      };
      const admin = userInfo().username;

      it("API keys through the script are created, listed, limited, revoked, with a history", async () => {
        const bob = ["--name", "Bob", "--email", "bob@example.org", "--purpose", "script"];
        const made = await run("create", ...bob);
        expect(made.code).to.equal(0);
        const [id, key] = [made.out[0]?.split(" ")[0] ?? "", made.out[1]?.split(": ")[1] ?? ""];
        expect((await keys.authenticate(key)).id).to.equal(id);
        expect((await run("list")).out.filter((line) => line.includes("bob@example.org"))).to.have.length(1);
        for (const how of [[], ["--json"]])
          expect((await run("list", ...how)).out.join())
            .to.contain(id)
            .and.not.contain(key);
        expect((await run("limit", id, "9")).out[0]).to.contain("9 a minute");
        expect((await run("limit", id, "default")).out[0]).to.contain("default limit");
        expect((await run("revoke", id)).out[0]).to.contain("revoked");
        expect((await run("history", id)).out.map((line) => line.split("  ").slice(1))).to.deep.equal([
          [admin, "created"],
          [admin, "limit_set", "9"],
          [admin, "limit_set", "default"],
          [admin, "revoked"],
        ]);
        const events = JSON.parse((await run("history", id, "--json")).out.join("\n"));
        expect(events.map(({ action }: { action: string }) => action)).to.deep.equal([
          "created",
          "limit_set",
          "limit_set",
          "revoked",
        ]);
      });

      it("API keys through the script are applied for by an admin, whom the history of all keys then names", async () => {
        const carol = ["--name=Carol", "--email=carol@example.org", "--purpose=for a friend"];
        const made = await run("apply", ...carol);
        expect(made.code).to.equal(0);
        const [id = "", key = ""] = [made.out[0]?.split(" ")[0], made.out[1]?.split(": ")[1]];
        expect(await refusal(keys.authenticate(key))).to.equal("key_pending_approval");
        await run("approve", id);
        const lines = (await run("history")).out.filter((line) => line.startsWith(id));
        expect(lines.map((line) => line.split("  ").slice(2))).to.deep.equal([
          [admin, "applied"],
          [admin, "approved"],
        ]);
      });

      it("say of a key that it was approved automatically, before what its applicant wrote", async () => {
        const { record } = await keys.applyAutomatically(APPLICANT, 10);
        const line = new RegExp(
          `^${record.id}  active +10 a minute +approved automatically +.*${APPLICANT.name}`,
        );
        expect((await run("list")).out.filter((text) => line.test(text))).to.have.length(1);
        const { out } = await run("limit", record.id, "99");
        expect(out[0]).to.match(/^key_\S+ {2}active .*99 a minute .*approved automatically/);
      });

      it("say so where there is nothing to do, and write nothing down", async () => {
        const { record } = await keys.create(APPLICANT, "root");
        await run("limit", record.id, "9");
        for (const again of [
          ["approve", record.id],
          ["limit", record.id, "9"],
        ]) {
          const { code, out } = await run(...again);
          expect(code).to.equal(0);
          expect(out[1]).to.equal("Nothing to do: it is already so.");
        }
        expect(await keys.history(record.id)).to.have.length(2);
        expect(await run("history", "key_no")).to.deep.include({ code: 1 });
      });

      it("approves a pending API key", async () => {
        const { key, record } = await keys.apply(APPLICANT);
        expect((await run("approve", record.id)).code).to.equal(0);
        expect((await keys.authenticate(key)).state).to.equal("active");
      });

      it("API keys through the script are refused in words, and a command that is not understood is answered with the usage", async () => {
        const unknown = await run("approve", "key_no");
        expect(unknown).to.deep.include({
          code: 1,
          errors: ['assay keys approve: no key has the id "key_no"'],
        });
        expect((await run("create", "--name", "B", "--email", "no", "--purpose", "p")).code).to.equal(2);
        const { record } = await keys.create(APPLICANT, "root");
        expect((await run("limit", record.id, "many")).code).to.equal(2);
        const short = ["delete", "approve", "approve a b", "limit a", "create"];
        for (const typed of ["", ...short, "list --what", "list x", "create --what"]) {
          const args = typed === "" ? [] : typed.split(" ");
          expect(await run(...args), typed).to.deep.include({ code: 2, out: [] });
        }
      });
    });
  });
});
