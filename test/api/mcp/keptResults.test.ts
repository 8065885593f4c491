/** Constant answers of /mcp, kept as text: a second request receives what the SDK answered to the first. */
import { expect } from "chai";
import { testApp } from "../../support/http.ts";
import { mcpRequest, rpc } from "../../support/mcp.ts";

describe("constant results over MCP", () => {
  const app = testApp({ settings: { keyLimitPerMinute: 100_000 } });

  const ask = (method: string, params: object, id: unknown = 1, key?: null) =>
    app.call("/mcp", {
      ...mcpRequest({ ...rpc(method, params), id }),
      ...(key === null ? { key } : {}),
    });

  it("constant results over MCP are the same again, under each request's own id", async () => {
    const asked = [
      ["tools/list", {}],
      ["resources/list", {}],
      ["resources/templates/list", {}],
      ["tools/call", { name: "list_supported_assets", arguments: {} }],
      ["tools/call", { name: "list_supported_assets", arguments: { query: "aapl" } }],
      ["tools/call", { name: "get_verification_policy", arguments: {} }],
    ] as const;
    const results = [];
    for (const [method, params] of asked) {
      const first = await ask(method, params, 1);
      for (const id of [2, "a", 'quote "', 1]) {
        const again = await ask(method, params, id);
        expect(again.body).to.deep.equal({ ...first.body, id });
        expect(again.headers.get("content-type")).to.equal(first.headers.get("content-type"));
        expect(again.headers.get("cache-control")).to.equal("no-store, private");
      }
      results.push(first.text);
    }
    expect(new Set(results).size).to.equal(asked.length);
  });

  it("constant results over MCP are others for a host without a key", async () => {
    const keyed = await ask("tools/list", {});
    const open = await ask("tools/list", {}, 1, null);
    expect(open.text).not.to.equal(keyed.text);
    expect((await ask("tools/list", {}, 1, null)).text).to.equal(open.text);
    expect((await ask("tools/list", {})).text).to.equal(keyed.text);
  });

  it("constant results over MCP are named in the access log as calls", async () => {
    for (const id of [1, 2]) await ask("tools/call", { name: "get_verification_policy", arguments: {} }, id);
    const calls = app.log.filter((line) => line.includes('"rpc":"get_verification_policy ok"'));
    expect(calls).to.have.lengthOf.at.least(2);
  });

  it("constant results over MCP replace no refusal: wrong input and wrong keys are refused each time", async () => {
    for (const id of [1, 2]) {
      const wrong = await ask(
        "tools/call",
        { name: "get_verification_policy", arguments: { policyId: 5 } },
        id,
      );
      expect(wrong.body.result.isError).to.equal(true);
      const headers = { ...mcpRequest({}).headers, "x-api-key": `ak_${"A".repeat(43)}` };
      const body = JSON.stringify(rpc("tools/list", {}));
      expect((await app.call("/mcp", { method: "POST", key: null, headers, body })).status).to.equal(403);
    }
  });
});
