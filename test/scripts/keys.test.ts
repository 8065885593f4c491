/** `assay keys`: how an admin makes, approves, limits and revokes API keys. */
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { expect } from "chai";
import { createKeys } from "../../api/keys/keys.ts";
import { openDatabase } from "../../database/open.ts";
import { forEachEngine } from "../support/database.ts";
import { failureOf } from "../support/failure.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { APPLICANT } from "../support/http.ts";
import { ofSuite } from "../support/suite.ts";
import { assayIn } from "../support/typed.ts";

describe("assay keys", () => {
  forEachEngine((engine) => {
    let url: string;
    const db = ofSuite(async () => {
      url = await engine.createUrl();
      return openDatabase(url);
    });
    let now = 1_795_000_000_000;
    const keys = createKeys({ db, now: () => now++, randomBytes });

    const admin = userInfo().username;
    const run = async (...args: string[]) => {
      const { world, shown: out, warned: errors } = fakeConsole([], {}, null, { DATABASE_URL: url });
      const code = await assayIn(["keys", ...args], { ...world, now: () => now++ });
      return { code, out, errors };
    };

    it("assay keys creates, lists, limits and revokes keys, with a history", async () => {
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

    it("assay keys applies for a key and approves it, by an admin whom the history of all keys names", async () => {
      const carol = ["--name=Carol", "--email=carol@example.org", "--purpose=for a friend"];
      const made = await run("apply", ...carol);
      expect(made.code).to.equal(0);
      const [id = "", key = ""] = [made.out[0]?.split(" ")[0], made.out[1]?.split(": ")[1]];
      expect((await failureOf(keys.authenticate(key))).code).to.equal("key_pending_approval");
      expect((await run("approve", id)).code).to.equal(0);
      expect((await keys.authenticate(key)).state).to.equal("active");
      const lines = (await run("history")).out.filter((line) => line.startsWith(id));
      expect(lines.map((line) => line.split("  ").slice(2))).to.deep.equal([
        [admin, "applied"],
        [admin, "approved"],
      ]);
    });

    it("assay keys says of a key that it was approved automatically, before what its applicant wrote", async () => {
      const { record } = await keys.applyAutomatically(APPLICANT, 10);
      const line = new RegExp(
        `^${record.id}  active +10 a minute +approved automatically +.*${APPLICANT.name}`,
      );
      expect((await run("list")).out.filter((text) => line.test(text))).to.have.length(1);
      const { out } = await run("limit", record.id, "99");
      expect(out[0]).to.match(/^key_\S+ {2}active .*99 a minute .*approved automatically/);
    });

    it("assay keys says so where there is nothing to do, and writes nothing down", async () => {
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

    it("assay keys refuses in words, and answers what it does not understand with the usage", async () => {
      const unknown = await run("approve", "key_no");
      expect(unknown).to.deep.include({
        code: 1,
        errors: ['assay keys approve: no key has the id "key_no"'],
      });
      expect(await run("create", "--name", "B", "--email", "no", "--purpose", "")).to.deep.include({
        code: 2,
        errors: [
          "assay keys create: --email must be an email address; --purpose must have at least 1 character",
          "See assay keys create --help.",
        ],
      });
      const { record } = await keys.create(APPLICANT, "root");
      for (const requests of ["many", "0", "1000001"])
        expect((await run("limit", record.id, requests)).code, requests).to.equal(2);
      const short = ["delete", "approve", "approve a b", "limit a", "create"];
      for (const typed of ["", ...short, "list --what", "list x", "create --what"]) {
        const args = typed === "" ? [] : typed.split(" ");
        expect(await run(...args), typed).to.deep.include({ code: 2, out: [] });
      }
    });
  });
});
