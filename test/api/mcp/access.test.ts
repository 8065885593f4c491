/** How often, and under which names, /mcp may be spoken to. */
import { request } from "node:http";
import { expect } from "chai";
import { id } from "../../../attestor/evm/hash.ts";
import { APPLICANT, expectStatus, REGISTRY, retryAfter, startTestApp, testApp } from "../../support/http.ts";
import { mcpRequest, rpc } from "../../support/mcp.ts";

describe("Limits of /mcp", () => {
  it("limits of /mcp count each message of a batch against the key's limit, together with the HTTP API", async () => {
    await using app = await startTestApp({ settings: { keyLimitPerMinute: 10 } });
    const send = (body: unknown) => app.call("/mcp", mcpRequest(body));
    const batch = (size: number) => Array.from({ length: size }, (_, id) => rpc("ping", {}, id));
    const first = await send(batch(6));
    expect(first.headers.get("ratelimit")).to.match(/r=4;/);
    await app.call("/v1/assets");
    const last = expectStatus(await send(batch(4)), 429);
    expect(retryAfter(last)).to.be.within(1, 60);
    expect(last.body.error.data).to.include({ code: "rate_limited" });
    expect((await app.call("/v1/assets")).status).to.equal(429);
  });
});

describe("A stream of /mcp", () => {
  it("a stream of /mcp ends when its key is revoked", async () => {
    const facts = Promise.withResolvers<never>();
    const deployment = { registry: REGISTRY, chainId: REGISTRY.chainId };
    const chain = { deployment, facts: () => facts.promise };
    await using app = await startTestApp({ jobs: { chain, hashText: id, liquidityOf: async () => null } });
    const { key, record } = await app.keys.create(APPLICANT, "test");
    const [stock, dollar] = REGISTRY.assets;
    const trade = {
      ownerAddress: `0x${"7".repeat(40)}`,
      inputAssetKey: dollar?.assetKey,
      outputAssetKey: stock?.assetKey,
      amountInRaw: "250000000",
      clientRequestId: "a",
    };
    const call = { name: "prepare_verification", arguments: trade, _meta: { progressToken: "p" } };
    const init = mcpRequest(rpc("tools/call", call), { "x-api-key": key });
    const answer = await fetch(new URL("/mcp", app.url), init);
    expect(answer.headers.get("content-type")).to.match(/^text\/event-stream/);
    const ended = answer.text().then(
      () => "whole",
      () => "cut off",
    );
    const started = performance.now();
    await app.keys.revoke(record.id, "test");
    expect(await ended).to.equal("cut off");
    expect(performance.now() - started).to.be.below(2_500);
    facts.reject(new Error("over"));
  });
});

describe("Names under which /mcp is spoken to", () => {
  const app = testApp({ settings: { mcpHosts: ["127.0.0.1", "assay.example.com"] } });

  /** `fetch` sends no Host of the caller's choice. */
  const statusWith = (headers: Record<string, string>, path = "/mcp") =>
    new Promise<number | undefined>((resolve, reject) => {
      const { body, ...init } = mcpRequest(rpc("ping"), { "x-api-key": app.key, ...headers }) as object as {
        body: string;
        headers: Record<string, string>;
      };
      const sent = request(new URL(path, app.url), init, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end(body);
    });

  it("the names under which /mcp is spoken to are those of the settings, with any port", async () => {
    for (const host of ["127.0.0.1", "assay.example.com", "ASSAY.example.com:8443"])
      expect(await statusWith({ host }), host).to.equal(200);
    for (const host of ["evil.example", "assay.example.com.evil.example", "localhost", "127.0.0.2", "x@y"])
      expect(await statusWith({ host }), host).to.equal(403);
  });

  it("the names under which /mcp is spoken to are asked of pages in browsers, too", async () => {
    for (const origin of ["https://assay.example.com", "http://127.0.0.1:6274"])
      expect(await statusWith({ origin }), origin).to.equal(200);
    for (const origin of [
      "https://evil.example",
      "null",
      "file://",
      "https://assay.example.com.evil.example",
    ])
      expect(await statusWith({ origin }), origin).to.equal(403);
  });

  it("the names under which /mcp is spoken to are not asked of the HTTP API", async () => {
    expect(await statusWith({ host: "evil.example" }, "/v1/jobs")).to.equal(400);
  });
});
