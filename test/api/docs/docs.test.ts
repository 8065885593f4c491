import { expect } from "chai";
import type { Described } from "../../../api/docs/described.ts";
import { docsContent } from "../../../api/docs/page.ts";
import { escapeHtml, html } from "../../../api/pages/html.ts";
import { testApp } from "../../support/http.ts";

describe("the reference page", () => {
  const app = testApp();
  let page: string;
  before(async () => {
    page = (await app.call("/docs", { key: null })).text;
  });

  it("the reference page is served without a key, under the policy of the pages", async () => {
    const { status, headers } = await app.call("/docs", { key: null });
    expect(status).to.equal(200);
    expect(headers.get("content-type")).to.equal("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).to.match(/^default-src 'none'; script-src 'self'; /);
    expect(headers.get("cache-control")).to.equal("public, max-age=300");
    const again = await app.call("/docs", { headers: { "if-none-match": headers.get("etag")! } });
    expect(again.status).to.equal(304);
  });

  it("loads nothing from elsewhere, and has no form and no script of its own", () => {
    const main = page.slice(page.indexOf("<main"), page.indexOf("</main>"));
    expect(main).to.not.match(/<(script|img|link|iframe|object|embed|base|form|style)\b/i);
    expect(main).to.not.match(/\s(src|style|on\w+)=/i);
    const targets = [...main.matchAll(/href="([^"]*)"/g)].map(([, target]) => target!);
    for (const target of targets) expect(target).to.match(/^(#|\/openapi\.json$|\/docs\/[a-z.-]+$)/);
    for (const [, source] of page.matchAll(/\ssrc="([^"]*)"/g)) expect(source).to.match(/^\/assets\//);
  });

  it("the reference page is in the language that the address or the browser asks for; what it describes stays as it is", async () => {
    for (const answer of [
      await app.call("/docs?lang=zh", { key: null }),
      await app.call("/docs", { key: null, headers: { "accept-language": "zh-CN" } }),
    ]) {
      expect(answer.text).to.contain('<html lang="zh-CN">').and.to.contain("接口参考");
      expect(answer.text).to.contain("The listed tokens with their liquidity grades");
      expect(answer.headers.get("vary")).to.contain("Accept-Language");
    }
    expect(page).to.contain('<html lang="en">');
  });

  it("leads to every guide that the service serves", async () => {
    const links = [...page.matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, path]) => path!);
    expect(links).to.include.members(["/docs/first-trade.md", "/docs/log.md", "/docs/verification.md"]);
    for (const path of links) expect((await app.call(path, { key: null })).status, path).to.equal(200);
  });

  it("shows calls to try that reach this service", () => {
    expect(page).to.contain(`curl -sS &quot;${app.url}/api/v1/assets&quot;`);
  });

  it("shows every operation, parameter, status, problem and schema of the OpenAPI document", () => {
    const { paths = {}, components = {} } = app.openapi as any;
    for (const [path, methods] of Object.entries<any>(paths))
      for (const operation of Object.values<any>(methods)) {
        const start = page.indexOf(`<article id="${operation.operationId}">`);
        expect(start, operation.operationId).to.be.greaterThan(0);
        const article = page.slice(start, page.indexOf("</article>", start));
        expect(article).to.contain(`<code>${path}</code>`);
        for (const { name } of operation.parameters ?? []) expect(article).to.contain(`<code>${name}</code>`);
        for (const status of Object.keys(operation.responses))
          expect(article).to.contain(`<code>${status}</code>`);
        expect(article.includes(`<span class="auth" lang="en">public</span>`)).to.equal(
          operation.security.length === 0,
        );
      }
    for (const name of Object.keys(components.schemas)) expect(page).to.contain(`id="schema-${name}"`);
    expect(page).to.contain("<code>key_pending_approval</code>");
  });

  it("the reference page has no link that leads nowhere, and no place that is there twice", () => {
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).to.include(target);
  });

  it("the reference page cannot be broken by the document's content", () => {
    const hostile = `</style><script>alert("x")</script>'&`;
    const operation = {
      operationId: "op",
      summary: hostile,
      description: `\`${hostile}\``,
      tags: [hostile],
      security: [],
      parameters: [
        { name: hostile, in: "query", required: true, description: hostile, schema: { enum: [hostile] } },
      ],
      responses: { 200: { description: hostile, content: { [hostile]: { schema: {} } } } },
    };
    const document: Described = {
      info: { title: hostile, version: hostile, description: hostile },
      paths: { [hostile]: { get: operation } },
      components: { schemas: { A: { description: hostile, properties: { [hostile]: { const: hostile } } } } },
    };
    const text = docsContent(document, {
      baseUrl: "http://127.0.0.1:3000",
      examples: { members: {}, parameters: {} },
      reader: { language: "en", explicit: false },
    }).main.text;
    expect(text).to.not.contain("<script");
    expect(text).to.not.contain("</style");
    expect(escapeHtml(`<&>"'`)).to.equal("&lt;&amp;&gt;&quot;&#39;");
    expect(html`<b>${"<i>"}</b>`.text).to.equal("<b>&lt;i&gt;</b>");
  });
});
