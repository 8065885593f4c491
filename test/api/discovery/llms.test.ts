/** How agents and catalogs find the service: /llms.txt, server.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { priceText } from "../../../api/discovery/prices.ts";
import { SERVER_SCHEMA, serverJson } from "../../../api/discovery/serverJson.ts";
import { documents } from "../../../api/docs/documents.ts";
import { TOOLS } from "../../../api/mcp/tools.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { testApp } from "../../support/http.ts";
import { mcpRequest, rpc } from "../../support/mcp.ts";
import { testPaidService, testPaidWorld } from "../../support/payments.ts";
import { testService } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PATHS = ["/llms.txt", "/server.json"];
const textOf = async (url: string, path: string) => (await fetch(`${url}${path}`)).text();
const linksOf = (text: string) => [...text.matchAll(/\]\((https?:[^)]*)\)/g)].map(([, url]) => url!);

describe("discovery", () => {
  const service = testService(testWorld());
  let llms: string;

  before(async () => {
    llms = await textOf(service.url, "/llms.txt");
  });

  it("discovery is served without a key, with types, and kept by who has it", async () => {
    const types = ["text/plain", "application/json"];
    for (const [index, path] of PATHS.entries()) {
      const { status, headers } = await fetch(`${service.url}${path}`);
      expect(status).to.equal(200);
      expect(headers.get("content-type")).to.equal(`${types[index]}; charset=utf-8`);
      expect(headers.get("cache-control")).to.equal("public, max-age=300");
      const known = { "if-none-match": headers.get("etag")! };
      expect((await fetch(`${service.url}${path}`, { headers: known })).status).to.equal(304);
    }
  });

  describe("/llms.txt", () => {
    it("/llms.txt has the form of llmstxt.org: a title, a summary, notes without headings, then lists of links", () => {
      const [title, blank, summary] = llms.split("\n");
      expect([title, blank]).to.deep.equal(["# Assay", ""]);
      expect(summary).to.match(/^> \S/);
      const [notes, ...sections] = llms.split(/^## /m);
      expect(notes!.slice(1)).to.not.match(/^#/m);
      for (const section of sections) {
        const [name, ...lines] = section.trim().split("\n").filter(Boolean);
        expect(lines, name).to.not.deep.equal([]);
        for (const line of lines) expect(line).to.match(/^- \[[^\]]+\]\(https?:[^)]+\): \S/);
      }
      expect(sections.at(-1)).to.match(/^Optional\n/);
    });

    it("/llms.txt names every route of the OpenAPI document and every tool, each with its link", () => {
      for (const [path, methods] of Object.entries(service.openapi.paths ?? {}))
        for (const [method, { operationId, tags }] of Object.entries<any>(methods as object)) {
          const link = `${service.url}/docs#/${encodeURIComponent(tags[0])}/${operationId}`;
          expect(llms).to.include(`- [${method.toUpperCase()} ${path}](${link}): `);
        }
      for (const { name } of TOOLS) expect(llms).to.include(`- [${name}](${service.url}/mcp): `);
    });

    it("/llms.txt leads nowhere else than into the service, and to what is there", async () => {
      for (const link of linksOf(llms)) {
        expect(link.startsWith(`${service.url}/`), link).to.equal(true);
        if (new URL(link).pathname === "/mcp") continue;
        expect((await fetch(link)).status, link).to.equal(200);
      }
    });

    it("/llms.txt says what is simulated, that it is free, and how to get a key", () => {
      for (const words of [
        ...["its market is simulated", "Verification is free at the moment.", "Never send a private key"],
        ...[`POST ${service.url}/api/v1/keys`, "no key needed, an API key as bearer for jobs of your own"],
      ])
        expect(llms).to.include(words);
    });
  });

  describe("the documents", () => {
    /** As hosts of Markdown make them. */
    const anchorsOf = (text: string) =>
      [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replace(/[^\w -]/g, "")
          .replaceAll(" ", "-"),
      );
    const fencesOf = (text: string) => [...text.matchAll(/^```[\s\S]*?^```$/gm)].map(([fence]) => fence);

    it("the documents are linked in /llms.txt, and have their types and the words of the repository", async () => {
      const types: Record<string, string> = {
        md: "text/markdown",
        json: "application/json",
        py: "text/x-python",
      };
      for (const [name, { file, about }] of documents) {
        const url = `${service.url}/docs/${name}`;
        expect(llms).to.include(`- [${name}](${url}): ${about}`);
        const answer = await fetch(url);
        expect(answer.headers.get("content-type")).to.equal(
          `${types[name.split(".").at(-1)!]}; charset=utf-8`,
        );
        expect(
          (await fetch(url, { headers: { "if-none-match": answer.headers.get("etag")! } })).status,
        ).to.equal(304);
        const source = readFileSync(join(ROOT, file), "utf8");
        const here = source.replaceAll("https://assay.example.com", service.url);
        const text = await answer.text();
        expect(fencesOf(text)).to.deep.equal(fencesOf(here));
        if (!name.endsWith(".md")) expect(text).to.equal(here);
      }
    });

    it("the documents have links that lead to what is served, and to headings that are there", async () => {
      const texts = new Map<string, string>();
      for (const name of documents.keys()) texts.set(name, await textOf(service.url, `/docs/${name}`));
      for (const [name, text] of texts)
        for (const [, target, , place] of text.matchAll(/\]\((?!https?:)([^)#\s]*)(#([^)\s]*))?\)/g)) {
          const there = texts.get(target || name);
          expect(there, `${name}: ${target}`).to.not.equal(undefined);
          if (place) expect(anchorsOf(there!), `${name}: ${target}`).to.include(place);
        }
      expect(texts.get("calls.md")).to.include("[threat model](threat-model.md)");
      expect(texts.get("calls.md")).to.match(/interface is\s+contracts\/ITradeGuard\.sol; the/);
    });

    it("the documents are these alone", async () => {
      for (const name of ["operations.md", "..%2fpackage.json", "calls.md%00", "CALLS.md", "constructor"])
        expect((await fetch(`${service.url}/docs/${name}`)).status, name).to.equal(404);
    });
  });

  describe("behind a proxy", () => {
    const publicUrl = "https://assay.example.com/o'hara";
    const app = testApp({ publicUrl });

    it("a service behind a proxy names only the public address, regardless of the requested host", async () => {
      for (const path of PATHS) {
        const { text } = await app.call(path, { key: null, headers: { "x-forwarded-host": "evil.example" } });
        expect(text).to.include(publicUrl);
        expect(text).to.not.match(/127\.0\.0\.1|evil\.example/);
      }
    });
  });

  describe("in the paid phase", () => {
    const paidWorld = testPaidWorld();
    const paid = testPaidService(paidWorld);

    it("/llms.txt in the paid phase states the price that the challenge asks for", async () => {
      const { body } = await paid.verify(paid.verifyBody());
      const [{ amount, asset, network, extra }] = body.accepts;
      const price = priceText([{ amount, asset, network, token: extra.name }]);
      expect(price).to.equal(`10000 raw units of ${extra.name} (${paidWorld.token("USDL")} on eip155:31337)`);
      const text = await textOf(paid.url, "/llms.txt");
      expect(text).to.include(price).and.to.include("x402 version 2");
      expect(text).to.not.include("free at the moment");
    });
  });

  describe("server.json", () => {
    const variablesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    /** The rules of schema 2025-12-11 and of the official registry for what this entry uses. */
    function expectFit(entry: ReturnType<typeof serverJson>): void {
      expect(entry.$schema).to.equal(SERVER_SCHEMA);
      expect(entry.name).to.match(/^(?=.{3,200}$)[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
      expect(entry.title).to.have.length.within(1, 100);
      expect(entry.description).to.have.length.within(1, 100);
      expect(entry.version).to.match(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
      for (const remote of entry.remotes) {
        expect(remote.type).to.equal("streamable-http");
        expect(remote.url).to.match(/^https?:\/\/\S+\/mcp$/);
        expect(Object.keys(remote.variables ?? {})).to.deep.equal(variablesIn(remote.url));
        for (const header of remote.headers)
          expect(Object.keys(header.variables)).to.deep.equal(variablesIn(header.value));
      }
    }

    it("server.json that is checked in is the one that the program makes", () => {
      const checkedIn = JSON.parse(readFileSync(join(ROOT, "server.json"), "utf8"));
      expect(checkedIn).to.deep.equal(serverJson({ version: packageJson.version, baseUrl: null }));
    });

    it("server.json fits the registry's rules, as a template and of a service", () => {
      for (const baseUrl of [null, "https://assay.example.com", "http://127.0.0.1:3000"])
        expectFit(serverJson({ version: packageJson.version, baseUrl }));
    });

    it("server.json of a service names its MCP server, in a namespace made from its domain", async () => {
      const served = JSON.parse(await textOf(service.url, "/server.json"));
      expect(served.remotes[0].url).to.equal(`${service.url}/mcp`);
      expect(served.name, "an address has no domain").to.equal("localhost/assay");
      const { name } = serverJson({ version: "1.0.0", baseUrl: "https://assay.example.com/x" });
      expect(name).to.equal("com.example.assay/assay");
      const named = serverJson({ version: "1.0.0", baseUrl: null, name: "io.github.ann/assay" });
      expect(named.name).to.equal("io.github.ann/assay");
    });

    it("server.json leads an MCP client to the tools, with its header filled in or left out, as it says", async () => {
      const [{ url, headers }] = JSON.parse(await textOf(service.url, "/server.json")).remotes;
      const [{ name, value, isRequired }] = headers;
      expect(isRequired).to.equal(false);
      for (const key of [service.key, null]) {
        const header = key === null ? {} : { [name]: value.replace("{api_key}", key) };
        const answer = await fetch(url, mcpRequest(rpc("tools/list"), header));
        expect(answer.status).to.equal(200);
        expect(await answer.text()).to.include("list_supported_assets");
      }
    });
  });
});
