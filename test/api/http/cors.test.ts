/** Which answers a page of another origin may read. */
import { expect } from "chai";
import { testApp } from "../../support/http.ts";

const ORIGIN = { origin: "https://pages.example.org" };
const ALLOWED = "access-control-allow-origin";

describe("pages of other origins", () => {
  const app = testApp();
  const operations = () =>
    Object.entries(app.openapi.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { security?: unknown[] }>).map(([method, { security }]) => ({
        path: path.replace(/\{\w+\}/g, "1"),
        method: method.toUpperCase(),
        isOpen: method === "get" && security?.length === 0,
      })),
    );

  it("pages of other origins may read every GET that needs no key, and no other answer", async () => {
    const all = operations();
    expect(new Set(all.map(({ isOpen }) => isOpen)).size).to.equal(2);
    for (const { path, method, isOpen } of all) {
      const { headers } = await app.call(path, { method, key: null, headers: ORIGIN });
      expect(headers.get(ALLOWED), `${method} ${path}`).to.equal(isOpen ? "*" : null);
      const exposed = headers.get("access-control-expose-headers") ?? "";
      expect(exposed.split(", ").includes("RateLimit"), `${method} ${path}`).to.equal(isOpen);
      expect(headers.has("access-control-allow-credentials")).to.equal(false);
    }
  });

  it("pages of other origins may ask beforehand for GET where a GET needs no key, and nowhere else", async () => {
    for (const [path, its] of Map.groupBy(operations(), (operation) => operation.path)) {
      const isOpen = its.some((operation) => operation.isOpen);
      const headers = { ...ORIGIN, "access-control-request-method": "GET" };
      const answer = await app.call(path, { method: "OPTIONS", key: null, headers });
      expect(answer.status).to.equal(204);
      expect(answer.headers.get(ALLOWED), path).to.equal(isOpen ? "*" : null);
      expect(answer.headers.get("access-control-allow-methods"), path).to.equal(isOpen ? "GET, HEAD" : null);
    }
  });

  it("pages of other origins may read pages, texts and errors of them, but neither what a key opens nor MCP", async () => {
    const allowed = async (path: string, init = {}) =>
      (await app.call(path, { key: null, headers: { ...ORIGIN, accept: "text/html" }, ...init })).headers.get(
        ALLOWED,
      );
    for (const path of ["/", "/status", "/verify", "/verify.html", "/log/find"])
      expect(await allowed(path), path).to.equal("*");
    for (const path of ["/mcp", "/api/v1/assets", "/nothing"])
      expect(await allowed(path), path).to.equal(null);
    expect(await allowed("/openapi.json", { method: "POST" })).to.equal(null);
  });
});
