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
    // The default one has figures that are hard to read on its ground.
    syntaxHighlight: { theme: "tomorrow-night" },
    // The default asks a validator of somebody else.
    validatorUrl: null,
    onComplete: mend,
  });

/** What the viewer lacks for readers of screens and for who has no pointer. */
function mend(): void {
  const viewer = document.getElementById("viewer");
  if (viewer === null) return;
  viewer.querySelector("#servers")?.setAttribute("aria-label", "Server");
  const settings = viewer.querySelector(".scheme-container");
  settings?.setAttribute("role", "region");
  settings?.setAttribute("aria-label", "Server and keys");
  // Examples, which come when an operation is opened, scroll.
  const reachable = () => {
    for (const example of viewer.querySelectorAll<HTMLElement>("pre.microlight")) example.tabIndex = 0;
  };
  reachable();
  new MutationObserver(reachable).observe(viewer, { childList: true, subtree: true });
}
