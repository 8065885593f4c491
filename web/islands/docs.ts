/** /docs: opens the packaged viewer on this service's own document. */

type Viewer = (options: Readonly<Record<string, unknown>>) => unknown;

declare const SwaggerUIBundle: Viewer | undefined;

// Classic scripts with `defer` have run before modules do.
if (typeof SwaggerUIBundle !== "undefined")
  SwaggerUIBundle({
    dom_id: "#viewer",
    url: "/openapi.json",
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    deepLinking: true,
    // The default asks a validator of somebody else.
    validatorUrl: null,
    onComplete: mend,
  });

/** What the viewer lacks for readers of screens: names of a choice and of a part. */
function mend(): void {
  document.querySelector("#viewer #servers")?.setAttribute("aria-label", "Server");
  const settings = document.querySelector("#viewer .scheme-container");
  settings?.setAttribute("role", "region");
  settings?.setAttribute("aria-label", "Server and keys");
}
