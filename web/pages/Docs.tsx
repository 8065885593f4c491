/** /docs: the API's reference, which a packaged viewer draws from our OpenAPI document. */
import type { DocsPage } from "../props.ts";
import type { Content } from "./Document.tsx";

export function docsContent({ viewer, documents }: DocsPage): Content {
  return {
    title: "API reference",
    inEnglish: true,
    source: "/openapi.json",
    viewer,
    islands: ["docs.ts"],
    main: (
      <>
        <h1 id="title">API reference</h1>
        <p class="lead soft">
          Drawn from <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Programs that read text start
          with <a href="/llms.txt">/llms.txt</a>.
        </p>
        <details class="part folded">
          <summary>
            <h2>Guides</h2>
            <span class="soft">Documents of this service, as text.</span>
          </summary>
          <ul class="links">
            {documents.map(({ name, about }) => (
              <li>
                <a href={`/docs/${name}`}>{name}</a> {about}
              </li>
            ))}
          </ul>
        </details>
        {viewer === null ? <p>The viewer is not installed: read the document itself.</p> : null}
        <noscript>
          <p>The viewer needs JavaScript. The document itself says the same.</p>
        </noscript>
      </>
    ),
  };
}
