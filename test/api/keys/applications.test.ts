/** POST /api/v1/keys: how a key is applied for. */
import { expect } from "chai";
import { migrate } from "../../../database/migrate.ts";
import { openDatabase } from "../../../database/open.ts";
import { databaseFile } from "../../support/database.ts";
import { APPLICANT, expectProblem, expectStatus, json, startTestApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { ofTest } from "../../support/suite.ts";

describe("an application for a key", () => {
  // Few may be made of one app in a minute.
  const app = ofTest(() => startTestApp());
  const apply = (init: RequestInit, to = app) => to.call("/api/v1/keys", { ...init, key: null });

  it("an application is answered with the pending key, which an approval makes active", async () => {
    const answer = expectStatus(await apply(json({ ...APPLICANT, name: "  Ann  " })), 202);
    validateAnswer(app.openapi, "POST", "/api/v1/keys", 202, answer.body, answer.headers);
    const { api_key: key, key_id } = answer.body;
    expectProblem(await app.call("/v1/assets", { key }), 403, "key_pending_approval");
    await app.keys.approve(key_id, "test");
    expect((await app.call("/v1/assets", { key })).status).to.equal(200);
    expect((await app.keys.list()).find(({ id }) => id === key_id)?.name).to.equal("Ann");
  });

  it("an application is approved at once with the set limit where that is set, three of an address a day", async () => {
    await using open = await startTestApp({ settings: { keyAutoApproveLimit: 2 } });
    for (let number = 0; number < 3; number++) {
      const { body } = expectStatus(await apply(json(APPLICANT), open), 201);
      validateAnswer(open.openapi, "POST", "/api/v1/keys", 201, body);
      expect(body).to.include({ state: "active", limit_per_minute: 2 });
      for (const status of [200, 200, 429])
        expect((await open.call("/v1/assets", { key: body.api_key })).status).to.equal(status);
    }
    const { body } = expectStatus(await apply(json(APPLICANT), open), 202);
    expect(body).to.include({ state: "pending", limit_per_minute: 60 });
    expectProblem(await open.call("/v1/assets", { key: body.api_key }), 403, "key_pending_approval");
  });

  const latin1 = Buffer.from(JSON.stringify({ ...APPLICANT, name: "René" }), "latin1");
  const rows: readonly [what: string, paths: readonly string[] | null, init: RequestInit][] = [
    ["a control character in the name", ["name"], json({ ...APPLICANT, name: "a\u001b[31mb" })],
    ["an address that is none", ["email"], json({ ...APPLICANT, email: "x" })],
    ["a purpose that is too long", ["purpose"], json({ ...APPLICANT, purpose: "p".repeat(1_001) })],
    ["a state of its own choice", [""], json({ ...APPLICANT, state: "active" })],
    [
      "several faults at once",
      ["name", "email", "purpose", ""],
      json({ name: "", email: "no", purpose: 1, isAdmin: true }),
    ],
    [
      "halves of characters",
      ["name", "email", "purpose"],
      json({ name: "\ud800", email: "\ud800@example.org", purpose: "x\udfff" }),
    ],
    ["text in Latin-1", null, { ...json(""), body: latin1 }],
  ];
  for (const [what, paths, init] of rows)
    it(`an application with ${what} is refused ${paths === null ? "" : "where it is wrong "}and not stored`, async () => {
      const { body } = expectProblem(await apply(init), 400, "invalid_request");
      if (paths !== null) expect(body.errors.map(({ path }: any) => path)).to.have.members([...paths]);
      expect(await app.keys.list()).to.have.length(1);
    });

  it("an application is answered 503 and not stored while another process keeps a SQLite file locked", async () => {
    const file = databaseFile();
    const [db, other] = [openDatabase(file.url, { busyTimeoutMs: 20 }), openDatabase(file.url)];
    await migrate(db);
    await using locked = await startTestApp({ db });
    await other.transaction().execute(async () => {
      const answer = expectProblem(await apply(json(APPLICANT), locked), 503, "unavailable");
      expect(answer.headers.get("retry-after")).to.equal("5");
      expect((await locked.call("/v1/assets")).status).to.equal(200);
    });
    expect(await locked.keys.list()).to.have.length(1);
    expect((await apply(json(APPLICANT), locked)).status).to.equal(202);
    await db.destroy();
    await other.destroy();
    await file.remove();
  });
});
