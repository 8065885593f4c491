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
  });
