import { expect } from "chai";
import fc from "fast-check";
import { escapeHtml, html, join, raw } from "../../../api/pages/html.ts";

const decode = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** What HTML is made of, among everything else. */
const TEXTS = fc
  .array(
    fc.oneof(fc.constantFrom("&", "<", ">", '"', "'", "&lt;", "$&", "</a>"), fc.string({ maxLength: 3 })),
  )
  .map((parts) => parts.join(""));

describe("templates of pages", () => {
  it("leave nothing of any text that could end a tag, an attribute or an entity, and lose none of it", () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        const { text: made } = html`<a title="${text}">${text}</a>`;
        const [, inAttribute, inElement] = /^<a title="([^"<>']*)">([^"<>']*)<\/a>$/.exec(made) ?? [];
        expect(inAttribute).to.equal(inElement);
        expect(decode(inElement!)).to.equal(text);
        expect(escapeHtml(text)).to.equal(inElement);
      }),
    );
  });

  it("take pieces of HTML as they are, alone and in lists, and leave nothing of nothing", () => {
    const item = html`<li>${"<"}</li>`;
    expect(html`<ul>${[item, item]}${null}${undefined}${false}${raw("<hr>")}${0}</ul>`.text).to.equal(
      "<ul><li>&lt;</li><li>&lt;</li><hr>0</ul>",
    );
    expect(join([]).text).to.equal("");
  });

  it("take no object from outside for a piece of HTML by accident: its text alone counts as one", () => {
    const outside = JSON.parse('{"toString":"x"}');
    expect(() => html`${outside}`).to.throw();
  });
});
