/** The guides as pages: every document for people, whose links lead somewhere. */
import { expect } from "chai";
import { documents } from "../../../api/docs/documents.ts";
import { testApp } from "../../support/http.ts";

const NAMES = [...documents.keys()].filter((name) => name.endsWith(".md"));
const pathOf = (name: string) => `/docs/${name.replace(/\.md$/, "")}`;
const idsIn = (text: string) => [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!);
const linksIn = (text: string) =>
  [...text.slice(text.indexOf("<main")).matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) =>
    href!.replaceAll("&amp;", "&"),
  );

describe("the guides", () => {
  const app = testApp();
  const pages = new Map<string, string>();
  const open = async (path: string, language = "en") => {
    const { status, text, headers } = await app.call(path, {
      key: null,
      headers: { "accept-language": language },
    });
    expect(status, path).to.equal(200);
    return { text, headers };
  };
  before(async () => {
    for (const name of NAMES) pages.set(pathOf(name), (await open(pathOf(name))).text);
  });

  it("are pages under the policy of the others, and Markdown for programs beside them", async () => {
    expect(pages.get("/docs/first-trade")).to.contain("<title>Your first trade · Assay</title>");
    const { headers } = await open("/docs/verify");
    expect(headers.get("content-type")).to.equal("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).to.match(/^default-src 'none'; script-src 'self'; /);
    expect((await open("/docs/verify.md")).headers.get("content-type")).to.contain("text/markdown");
    expect((await app.call("/docs/nope", { key: null })).status).to.equal(404);
  });

  it("have no place twice, and links to places and pages that are there", async () => {
    for (const [path, text] of pages) {
      const ids = idsIn(text);
      expect(new Set(ids).size, path).to.equal(ids.length);
      for (const link of linksIn(text).filter((link) => !/^https?:/.test(link))) {
        const [target = "", place] = link.split("#");
        const there = target === "" ? text : (pages.get(target) ?? (await open(target)).text);
        if (place !== undefined) expect(idsIn(there), `${path}: ${link}`).to.include(place);
      }
    }
  });

  it("show code in colour, in parts that keys can scroll, and name this service", () => {
    for (const [path, text] of pages) {
      expect(text, path).not.to.contain("https://assay.example.com");
      for (const [block] of text.matchAll(/<pre[ >].*/g)) expect(block, path).to.match(/^<pre tabindex="0">/);
    }
    expect(pages.get("/docs/first-trade"))
      .to.contain('<span class="hljs-keyword">import</span>')
      .and.to.contain("<code>agent.mjs</code>");
    expect(pages.get("/docs/client")).to.contain(app.url);
  });

  it("say in Chinese that they are in English, and keep the reader's language in their links", async () => {
    const { text } = await open("/docs/first-trade?lang=zh");
    expect(text).to.contain("本指南为英文").and.to.contain('<article lang="en">');
    for (const link of linksIn(text).filter((link) => link.startsWith("/") && !link.endsWith(".md")))
      expect(link).to.match(/[?&]lang=(zh|en)|\.(py|json)$/);
  });

  it("are listed by their titles on /docs", async () => {
    const { text } = await open("/docs");
    for (const path of pages.keys()) expect(text).to.contain(`href="${path}"`);
    expect(text).to.contain('<a lang="en" href="/docs/verify">Verify a trade</a>');
  });
});
