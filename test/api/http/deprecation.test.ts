/** A route that clients should leave: what its answers, the document, the reference and the typed client say. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import express, { type NextFunction, type Request, type Response } from "express";
import fc from "fast-check";
import { z } from "zod";
import { describeApi } from "../../../api/docs/openapi.ts";
import { docsContent } from "../../../api/docs/page.ts";
import { type CalendarDay, deprecationHeaders, MIN_NOTICE_DAYS } from "../../../api/http/deprecation.ts";
import { mount, sendProblem } from "../../../api/http/express.ts";
import { createLimits } from "../../../api/http/limits.ts";
import type { Problem } from "../../../api/http/problems.ts";
import { defineRoute, type Route } from "../../../api/http/route.ts";
import { deprecationTeller } from "../../../client/deprecated.ts";
import { createTransport } from "../../../client/transport.ts";
import { startTestApp } from "../../support/http.ts";
import { ofSuite } from "../../support/suite.ts";

const DEPRECATION = {
  since: "2026-11-22",
  sunset: "2027-05-22",
  instead: "Use `GET /new`.",
  link: "/docs#new",
} as const;

const route = (path: string, deprecation?: Route["deprecation"]) =>
  defineRoute({
    method: "get",
    path,
    operationId: path.slice(1),
    summary: "A number",
    tags: ["Test"],
    auth: "public",
    ...(deprecation ? { deprecation } : {}),
    query: z.object({ fail: z.literal("no").optional() }),
    responses: { 200: { description: "It", schema: z.object({ n: z.int() }) } },
    errors: [],
    handle: async () => ({ status: 200, body: { n: 1 } }),
  });
const ROUTES = [route("/old", DEPRECATION), route("/new")];

describe("a deprecated route", () => {
  let server: Server;
  let url: string;
  before(async () => {
    const app = express();
    mount(app, ROUTES, {
      authenticate: async () => ({ kind: "public" }),
      limits: createLimits(),
      keyLimitPerMinute: 60,
      addressLimitPerMinute: 60,
    });
    app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
      sendProblem(response, error as Problem),
    );
    server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it("says since when and until when in every answer, problems included, and others say nothing", async () => {
    for (const path of ["/old", "/old?fail=yes"]) {
      const { status, headers } = await fetch(url + path);
      expect(status).to.equal(path === "/old" ? 200 : 400);
      // 2026-11-22T00:00:00Z, and RFC 8594's date.
      expect(headers.get("deprecation")).to.equal("@1795305600");
      expect(headers.get("sunset")).to.equal("Sat, 22 May 2027 00:00:00 GMT");
      expect(headers.get("link")).to.equal('</docs#new>; rel="deprecation"; type="text/html"');
    }
    const { headers } = await fetch(`${url}/new`);
    for (const name of ["deprecation", "sunset", "link"]) expect(headers.get(name)).to.equal(null);
  });

  it("is deprecated in the document, with its days and headers, and in the reference", () => {
    const { paths } = describeApi(ROUTES, "1.0.0");
    const old = paths?.["/old"]?.get as Record<string, any>;
    expect(old).to.deep.include({
      deprecated: true,
      "x-deprecated-since": "2026-11-22",
      "x-sunset": "2027-05-22",
      "x-deprecation-link": "/docs#new",
      description: "Deprecated since 2026-11-22; may be gone from 2027-05-22 on. Use `GET /new`.",
    });
    expect(Object.keys(old.responses[200].headers)).to.include.members(["Deprecation", "Sunset", "Link"]);
    const other = paths?.["/new"]?.get as Record<string, any>;
    expect(other).to.not.have.any.keys("deprecated", "x-sunset");
    expect(Object.keys(other.responses[200].headers)).to.not.include("Deprecation");

    const document = JSON.parse(JSON.stringify(describeApi(ROUTES, "1.0.0")));
    const page = docsContent(document, "http://localhost", "en").main.text;
    const [, ofOld = "", ofNew = ""] = page.split("<article");
    expect(ofOld)
      .to.contain(">deprecated<")
      .and.contain("may be gone from 2027-05-22")
      .and.contain('href="/docs#new"');
    expect(ofNew).to.not.contain("deprecated");
  });

  it("is told once by the typed client, however often it is called", async () => {
    const told: string[] = [];
    const send = createTransport({
      baseUrl: url,
      apiKey: undefined,
      jobToken: undefined,
      fetch,
      sleep: async () => {},
      now: Date.now,
      timeoutMs: 5_000,
      retries: 0,
      patienceMs: 0,
      warn: (message) => void told.push(message),
    });
    const call = (path: string) =>
      send({ method: "GET", path, answer: z.object({ n: z.int() }), auth: "none", repeatable: "always" });
    for (const path of ["/old", "/new", "/old"]) expect((await call(path)).value).to.deep.equal({ n: 1 });
    expect(told).to.deep.equal([
      "GET /old is deprecated since 2026-11-22 and may be gone from 2027-05-22 on: see /docs#new.",
    ]);
  });

  it("may say anything in its headers without breaking a call", () => {
    const header = fc.oneof(
      fc.constant("@1795305600"),
      fc.constant("@99999999999999999999"),
      fc.stringMatching(/^[ -~]{0,40}$/),
    );
    fc.assert(
      fc.property(header, header, header, (deprecation, sunset, link) => {
        const told: string[] = [];
        const tell = deprecationTeller((message) => void told.push(message));
        const headers = new Headers({ deprecation, sunset, link });
        for (let time = 0; time < 2; time++) tell({ method: "GET", path: "/x" }, headers);
        expect(told.length).to.be.at.most(1);
        if (deprecation === "@1795305600") expect(told).to.have.length(1);
      }),
    );
  });

  it("gives notice of 90 days at least, of days that exist", () => {
    expect(MIN_NOTICE_DAYS).to.equal(90);
    const headers = (sunset: CalendarDay) => () => deprecationHeaders({ ...DEPRECATION, sunset });
    expect(headers("2027-02-20")).to.not.throw();
    expect(headers("2027-02-19")).to.throw(RangeError, "fewer than 90 days");
    expect(headers("2027-13-01")).to.throw(RangeError, "no day");
    expect(headers("2027-02-31")).to.throw(RangeError, "no day");
  });
});

describe("the service's own routes", () => {
  const app = ofSuite(() => startTestApp());

  it("are not deprecated, none of them", async () => {
    expect(JSON.stringify(app.openapi)).to.not.contain('"deprecated"');
    expect((await app.call("/v1/assets")).headers.get("deprecation")).to.equal(null);
  });
});
