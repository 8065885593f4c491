/** The reference page: the OpenAPI document in HTML, readable without script. */

import { type Html, html, join, raw } from "../pages/html.ts";
import type { Reader } from "../pages/language.ts";
import type { Content } from "../pages/layout.ts";
import { CODE } from "./calls.ts";
import {
  type Answer,
  answerOf,
  type Described,
  type Listed,
  type Operation,
  type Parameter,
} from "./described.ts";
import { documents } from "./documents.ts";
import { type CallDeps, callOf } from "./operationCall.ts";
import { type Schema, typeOf } from "./schema.ts";
import DOCS_WORDS from "./words.json" with { type: "json" };

type DocsWords = (typeof DOCS_WORDS)["en"];

export interface DocsDeps {
  readonly baseUrl: string;
  /** As `CallDeps`. */
  readonly examples: CallDeps["examples"];
  readonly reader: Reader;
}

/** What a page of the service needs to be a whole document. */
export function docsContent(document: Described, { baseUrl, examples, reader }: DocsDeps): Content {
  const words = DOCS_WORDS[reader.language];
  const { info, components } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Listed => ({ ...operation, method, path })),
  );
  const tags = [...new Set(operations.flatMap(({ tags }) => tags))];
  const schemas = Object.entries(components.schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  const of = (tag: string) => operations.filter(({ tags }) => tags[0] === tag);
  const one = { baseUrl, words, examples, schemas: components.schemas, components };
  return {
    title: `${info.title} ${words.title}`,
    style: "docs",
    source: "/openapi.json",
    main: html`<div class="docs">
<nav class="toc" aria-label="${words.parts}">
<ul><li><a href="#guides">${words.guides}</a></li></ul>
${join(tags.map((tag) => html`<p lang="en">${tag}</p><ul>${join(of(tag).map(link))}</ul>`))}
<div class="schemas"><p>${words.schemas}</p><ul>${join(schemas.map(([name]) => html`<li><a href="#schema-${name}">${name}</a></li>`))}</ul></div>
</nav>
<div class="reference">
<h1>${info.title} <small>${words.title}, ${words.version} ${info.version}</small></h1>
${words.english === "" ? "" : html`<p>${words.english}</p>`}
<div lang="en">
${prose(info.description)}
<p>Send a key with <code>x-api-key: &lt;API_KEY&gt;</code> or <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Every error is <code>application/problem+json</code>, see <a href="#schema-Problem">Problem</a>. Every answer names its request in <code>X-Request-Id</code>; answers of limited endpoints carry <code>RateLimit-Policy</code> and <code>RateLimit</code>, refusals also <code>Retry-After</code>.</p>
</div>
<p>${words.machine} <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
${guideList(words)}
${join(tags.map((tag) => html`<section><h2 lang="en">${tag}</h2>${join(of(tag).map((each) => article(each, one)))}</section>`))}
<section lang="en"><h2>${words.schemas}</h2>${join(schemas.map(schemaArticle))}</section>
</div>
</div>`,
  };
}

/** The documents of the repository that this service serves. */
function guideList(words: DocsWords): Html {
  const items = [...documents].map(
    ([name, { about }]) =>
      html`<li><a href="/docs/${name}">${name}</a> <span lang="en">${about}</span></li>\n`,
  );
  return html`<section class="guides"><h2 id="guides">${words.guides}</h2><ul>${join(items)}</ul></section>`;
}

/** What every article needs beside its operation. */
interface Articles extends CallDeps {
  readonly words: DocsWords;
  readonly components: Described["components"];
}

function link({ method, path, operationId }: Listed): Html {
  return html`<li><a href="#${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${path}</a></li>`;
}

function article(operation: Listed, { words, ...deps }: Articles): Html {
  const { method, path, operationId, parameters = [], requestBody } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  return html`<article id="${operationId}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code> <span class="auth" lang="en">${authOf(operation)}</span></h3>
<div lang="en"><p><strong>${operation.summary}</strong></p>
${prose(operation.description)}</div>
${parameters.length === 0 ? "" : html`<h4>${words.parameters}</h4>${parameterTable(parameters)}`}
${body && requestBody ? html`<h4>${words.body}</h4><p lang="en">${typeOf(body)}${requestBody.required === false ? ", optional" : ""}. ${inline(requestBody.description ?? "")}</p>` : ""}
<h4>${words.answers}</h4>
${table(
  ["Status", "Body", "Meaning"],
  Object.entries(operation.responses).map(([status, given]) => {
    const answer = answerOf(deps, given);
    return [html`<code>${status}</code>`, bodyOf(answer), inline(answer.description)];
  }),
)}
<h4>${words.example}</h4>
${codeOf(operation, deps)}
</article>
`;
}

/** The call in each language; curl is open. */
function codeOf(operation: Listed, deps: CallDeps): Html {
  const call = callOf(operation, deps);
  return join(
    Object.entries(CODE).map(
      ([name, textOf]) =>
        html`<details class="code"${raw(name === "curl" ? " open" : "")}><summary>${name}</summary><pre tabindex="0"><code>${textOf(call)}</code></pre></details>\n`,
    ),
  );
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
  return html`<div class="scroll" tabindex="0" lang="en"><table><thead><tr>${join(heads.map((head) => html`<th>${head}</th>`))}</tr></thead><tbody>${join(
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
