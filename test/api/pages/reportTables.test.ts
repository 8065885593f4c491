/** A report as the service writes it into its page, for who reads without script. */
import { expect } from "chai";
import { html } from "../../../api/pages/html.ts";
import { reportTables } from "../../../api/pages/reportTables.ts";
import { verifyDocument } from "../../../attestor/verify/verify.ts";
import { viewOf } from "../../../attestor/view/reportView.ts";
import { namedDocument } from "../../support/vectors.ts";

const { document } = namedDocument("a prepared buy of TSLAx for 250 dollars");
const judged = viewOf(verifyDocument(document), JSON.parse(document), 0).judged!;
const HOSTILE = `<img src=x onerror=alert(1)>"'&</dd><script>`;

describe("the tables of a report", () => {
  it("the tables of a report have each finding, fact and figure", () => {
    const { text } = reportTables(judged, html``);
    for (const { check } of judged.findings) expect(text).to.include(`<code>${check}</code>`);
    for (const { by } of judged.facts) expect(text).to.include(by.replaceAll("'", "&#39;"));
    expect(text.match(/<div><dt>/g)!.length).to.be.at.least(judged.figures.length + 10);
  });

  it("print every text of the report as text", () => {
    const everywhere = JSON.parse(JSON.stringify(judged), (name, value) =>
      typeof value === "string" && !["side", "unit", "bound", "kind", "outcome", "decision"].includes(name)
        ? HOSTILE
        : value,
    );
    const { text } = reportTables(everywhere, html``);
    expect(text).to.include("&lt;img src=x onerror=alert(1)&gt;");
    expect(text).not.to.match(/<(?:img|script)/);
    expect(text.match(/<\/dd>/g)).to.have.length(text.match(/<dd>/g)!.length);
  });
});
