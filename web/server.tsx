/** The renderer of all pages: plain values in, a whole document out. `api/pages` loads it as `web/dist/server/server.js`. */
import { renderToString } from "preact-render-to-string";
import { printableAll } from "../attestor/view/printable.ts";
import { docsContent } from "./pages/Docs.tsx";
import { type Content, Document, refusedContent } from "./pages/Document.tsx";
import { marketContent } from "./pages/Market.tsx";
import { reportContent } from "./pages/Report.tsx";
import { signContent } from "./pages/Sign.tsx";
import { statusContent } from "./pages/Status.tsx";
import { tokenContent } from "./pages/Token.tsx";
import type { Frame, Page, PageRenderer } from "./props.ts";

/** What comes from outside may turn the direction of writing around, or hide: no page obeys it. */
export const render: PageRenderer["render"] = (page, frame) => {
  const content = contentOf(printableAll(page), frame);
  return `<!doctype html>${renderToString(<Document content={content} frame={frame} />)}\n`;
};

function contentOf(page: Page, frame: Frame): Content {
  switch (page.name) {
    case "market":
      return marketContent(page, frame);
    case "token":
      return tokenContent(page, frame);
    case "report":
      return reportContent(page);
    case "status":
      return statusContent(page, frame);
    case "sign":
      return signContent(page);
    case "docs":
      return docsContent(page);
    case "refused":
      return refusedContent(page, frame);
  }
}
