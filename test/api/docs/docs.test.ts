import { expect } from "chai";
import { type Described, docsPage } from "../../../api/docs/page.ts";
import { escapeHtml, html } from "../../../api/pages/html.ts";
import { startTestApp, type TestApp } from "../../support/http.ts";

describe("the reference page", () => {
  let app: TestApp;
  let page: string;
  before(async () => {
    app = await startTestApp();
    page = (await app.call("/docs", { key: null })).text;
  });
  after(() => app.stop());

  it("is served without a key, as a page that may load and run nothing", async () => {
    const { status, headers } = await app.call("/docs", { key: null });
    expect(status).to.equal(200);
    expect(headers.get("content-type")).to.equal("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).to.match(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get("cache-control")).to.equal("public, max-age=300");
    const again = await app.call("/docs", { headers: { "if-none-match": headers.get("etag")! } });
    expect(again.status).to.equal(304);
  });

  it("needs no network: no script, no picture, and no address but its own", () => {
    expect(page).to.not.match(/<(script|img|link|iframe|object|embed|base|form)\b/i);
    expect(page).to.not.match(/\s(src|style|on\w+)=/i);
    expect(page).to.not.match(/url\(|@import/i);
    const targets = [...page.matchAll(/href="([^"]*)"/g)].map(([, target]) => target!);
    for (const target of targets) expect(target).to.match(/^(#|\/openapi\.json$)/);
  });

  it("shows calls to try that reach this service", () => {
    expect(page).to.contain(`curl -s &#39;${app.url}/api/v1/assets&#39;`);
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
        expect(article.includes(`<span class="auth">public</span>`)).to.equal(
          operation.security.length === 0,
        );
      }
    for (const name of Object.keys(components.schemas)) expect(page).to.contain(`id="schema-${name}"`);
    expect(page).to.contain("<code>key_pending_approval</code>");
  });

  it("has no link that leads nowhere, and no place that is there twice", () => {
    const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).to.include(target);
  });

  it("cannot be broken by what stands in the document", () => {
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
    const text = docsPage(document, "http://127.0.0.1:3000");
    expect(text).to.not.contain("<script");
    expect(text.match(/<\/style>/g)).to.have.length(1);
    expect(escapeHtml(`<&>"'`)).to.equal("&lt;&amp;&gt;&quot;&#39;");
    expect(html`<b>${"<i>"}</b>`.text).to.equal("<b>&lt;i&gt;</b>");
  });
});
