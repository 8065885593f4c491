/** Any input at /mcp gets a JSON-RPC answer that blames the sender, and the next message is served. */
import { expect } from "chai";
import fc from "fast-check";
import { listedTools } from "../../../api/mcp/listing.ts";
import { testApp } from "../../support/http.ts";
import { mcpRequest, rpc } from "../../support/mcp.ts";

const CALLS = ["tools/list", "tools/call", "resources/read"];
const METHODS = ["initialize", "ping", "server/discover", ...CALLS];
const NAMES = listedTools(false, true).map(({ name }) => name);

describe("POST /mcp, fuzzed", () => {
  const app = testApp({ settings: { keyLimitPerMinute: 1_000_000, addressLimitPerMinute: 1_000_000 } });

  async function answered(body: unknown, init: { key?: null } = {}): Promise<any> {
    const answer = await app.call("/mcp", { ...mcpRequest(body), ...init });
    expect(answer.status, answer.text).to.be.oneOf([200, 202, 400]);
    if (answer.status === 202) expect(answer.text).to.equal("");
    else for (const each of [answer.body].flat()) expect(each).to.include({ jsonrpc: "2.0" });
    return answer.body;
  }

  it("POST /mcp answers any JSON", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), async (text) => {
        await answered(text);
      }),
    );
  });

  it("POST /mcp answers any method with any parameters, never with a fault of its own", async () => {
    const params = fc.dictionary(
      fc.constantFrom("name", "uri", "arguments", "_meta", "cursor", "protocolVersion"),
      fc.jsonValue(),
    );
    const id = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean());
    const message = fc
      .tuple(fc.constantFrom(...METHODS), fc.oneof(params, fc.jsonValue()), id)
      .map(([method, given, name]) => rpc(method, given, name));
    await fc.assert(
      fc.asyncProperty(fc.oneof(message, fc.array(message, { maxLength: 5 })), async (body) => {
        await answered(body);
      }),
    );
    expect(app.log.filter((line) => line.includes('"level":50'))).to.deep.equal([]);
  });

  it("POST /mcp answers any arguments of any tool with a code that is not its own fault", async () => {
    const inputs = [...listedTools(false, true), ...listedTools(true, true)].map(
      ({ inputSchema }) => inputSchema.properties,
    );
    const names = Object.keys(Object.assign({}, ...inputs));
    const value = fc.oneof(fc.jsonValue(), fc.constant("\ud800"));
    const args = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NAMES), args, fc.boolean(), async (name, given, isOpen) => {
        const message = rpc("tools/call", { name, arguments: given });
        const { result } = await answered(message, isOpen ? { key: null } : {});
        if (result.isError !== true) return;
        const { code } = JSON.parse(result.content[0].text);
        expect(code).to.be.oneOf([
          ...["invalid_request", "unknown_policy", "secret_refused"],
          isOpen ? "missing_api_key" : "not_found",
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it("POST /mcp answers what is nested deeper than the stack", async () => {
    for (const [open, close] of [
      ['{"a":', "}"],
      ["[", "]"],
    ] as const) {
      const deep = `${open.repeat(9_000)}1${close.repeat(9_000)}`;
      for (const text of [
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_verification","arguments":{"jobId":${deep}}}}`,
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":${deep}}}}`,
        `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"x":${deep}}}`,
      ])
        await answered(text);
    }
    expect((await answered(rpc("ping"))).result).to.deep.equal({});
  });
});
