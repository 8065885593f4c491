/** The reference page: the OpenAPI document as one page of HTML that needs no script and no network. */
import { createHash } from "node:crypto";
import { type Html, html, join, raw } from "../pages/html.ts";
import { type Schema, typeOf } from "./schema.ts";
import { STYLE } from "./style.ts";

/** What the page reads of an OpenAPI document, as plain JSON. */
export interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly description?: string;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Listed extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Nothing but the page's own style: no script, no picture, no request to anywhere. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** @param baseUrl where clients find the service, for the calls to try */
export function docsPage(document: Described, baseUrl: string): string {
  const { info } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => ({ ...operation, method, path })),
  );
  const tags = [...new Set(operations.flatMap(({ tags }) => tags))];
  const schemas = Object.entries(document.components.schemas).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const of = (tag: string) => operations.filter(({ tags }) => tags[0] === tag);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API reference</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<div class="page">
<nav>
<strong>${info.title}</strong> <span class="soft">${info.version}</span>
${join(tags.map((tag) => html`<h2>${tag}</h2><ul>${join(of(tag).map(link))}</ul>`))}
<div class="schemas"><h2>Schemas</h2><ul>${join(schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`))}</ul></div>
</nav>
<main>
<h1>${info.title} <small>API reference, version ${info.version}</small></h1>
${prose(info.description)}
<p>The machine-readable form of this page is <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<p>Send a key with <code>x-api-key: &lt;API_KEY&gt;</code> or <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Every error is <code>application/problem+json</code>, see <a href="#schema-Problem">Problem</a>. Every answer names its request in <code>X-Request-Id</code>; answers of limited endpoints carry <code>RateLimit-Policy</code> and <code>RateLimit</code>, refusals also <code>Retry-After</code>.</p>
${join(tags.map((tag) => html`<section><h2>${tag}</h2>${join(of(tag).map((each) => article(each, baseUrl)))}</section>`))}
<section><h2>Schemas</h2>${join(schemas.map(schemaArticle))}</section>
</main>
</div>
</body>
</html>
`;
  return page.text;
}

function link({ method, path, operationId }: Listed): Html {
  return html`<li><a href="#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${path}</a></li>`;
}

function article(operation: Listed, baseUrl: string): Html {
  const { method, path, operationId, parameters = [], requestBody } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  return html`<article id="${operationId}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code> <span class="auth">${authOf(operation)}</span></h3>
<p><strong>${operation.summary}</strong></p>
${prose(operation.description)}
${parameters.length === 0 ? "" : html`<h4>Parameters</h4>${parameterTable(parameters)}`}
${body && requestBody ? html`<h4>Body</h4><p>${typeOf(body)}${requestBody.required === false ? ", optional" : ""}. ${inline(requestBody.description ?? "")}</p>` : ""}
<h4>Answers</h4>
${table(
  ["Status", "Body", "Meaning"],
  Object.entries(operation.responses).map(([status, answer]) => [
    html`<code>${status}</code>`,
    bodyOf(answer),
    inline(answer.description),
  ]),
)}
<h4>Example</h4>
<pre><code>${curlOf(operation, baseUrl)}</code></pre>
</article>
`;
}

function authOf({ security }: Operation): string {
  if (security.length === 0) return "public";
  return security.some((scheme) => "jobToken" in scheme) ? "API key or job token" : "API key";
}

function bodyOf({ content = {} }: Answer): Html {
  const [type, media] = Object.entries(content)[0] ?? [];
  if (!type || !media) return html`<span class="soft">none</span>`;
  if (type === "application/problem+json") return html`<a href="#schema-Problem">Problem</a>`;
  return type === "application/json" ? typeOf(media.schema) : html`<code>${type}</code>`;
}

function parameterTable(parameters: readonly Parameter[]): Html {
  return table(
    ["Name", "Type", "Meaning"],
    parameters.map(({ name, in: place, required, schema, description }) => [
      html`<code>${name}</code>${required ? html` <span class="required">required</span>` : ""}${place === "path" ? html` <span class="soft">in the path</span>` : ""}`,
      typeOf(schema),
      inline(description ?? schema.description ?? ""),
    ]),
  );
}

function schemaArticle([name, schema]: [string, Schema]): Html {
  return html`<article id="schema-${name}"><h3>${name}</h3>${prose(schema.description)}${fields(schema)}</article>
`;
}

function fields(schema: Schema): Html {
  if (!schema.properties) return html`<p>${typeOf(schema)}</p>`;
  const required = new Set(schema.required);
  return table(
    ["Member", "Type", "Meaning"],
    Object.entries(schema.properties).map(([name, member]) => [
      html`<code>${name}</code>${required.has(name) ? "" : html` <span class="soft">optional</span>`}`,
      typeOf(member),
      inline(member.description ?? ""),
    ]),
  );
}

function table(heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  const cells = (row: readonly Html[]) =>
    row.map((cell, index) => (index === 1 ? html`<td class="type">${cell}</td>` : html`<td>${cell}</td>`));
  return html`<div class="wide"><table><thead><tr>${join(heads.map((head) => html`<th>${head}</th>`))}</tr></thead><tbody>${join(
    rows.map((row) => html`<tr>${join(cells(row))}</tr>`),
  )}</tbody></table></div>`;
}

function prose(text: string | undefined): Html | "" {
  return text ? html`<p>${inline(text)}</p>` : "";
}

/** Text in which backticks mark code. */
function inline(text: string): Html {
  return join(
    text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)),
  );
}

/** A call to try. */
function curlOf({ method, path, security, parameters = [], requestBody }: Listed, baseUrl: string): string {
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=${EXAMPLES[name] ?? "…"}`)
    .join("&");
  const url = `${baseUrl}${path}${query ? `?${query}` : ""}`;
  return [
    `curl -s${method === "post" ? " -X POST" : ""} '${url}'`,
    ...(security.length > 0 ? [`-H 'x-api-key: <API_KEY>'`] : []),
    ...(requestBody ? [`-H 'content-type: application/json' -d '{…}'`] : []),
  ].join(" \\\n  ");
}

const EXAMPLES: Readonly<Record<string, string>> = { symbol: "AAPLx", underlying: "AAPL" };
