/** CSV cells, as RFC 4180 has them and as a spreadsheet takes them. */
import { expect } from "chai";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvLines } from "../../../api/data/formats.ts";

const cellOf = (value: unknown) => parse(csvLines(["cell", "other"], [{ cell: value, other: 1 }]))[0]?.[0];

describe("cells of CSV", () => {
  it("cells of any text are read as they are, but for an apostrophe before a formula", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab=+-@,"\t\r\n 1') }), (text) => {
        const isNumber = /^-?[0-9]+(\.[0-9]+)?$/.test(text);
        const isFormula = /^[=+\-@\t\r]/.test(text) && !isNumber;
        expect(cellOf(text)).to.equal(isFormula ? `'${text}` : text);
      }),
    );
  });

  it("cells that would be formulas get an apostrophe, and numbers never", () => {
    for (const text of ["=1+1", "+1", "-1-1", "@x", "\tx", "\rx", "-"])
      expect(cellOf(text)).to.equal(`'${text}`);
    for (const number of [-1.5, 0, 1e-9, "-0.5", "12.25"]) expect(cellOf(number)).to.equal(String(number));
    expect(cellOf(null)).to.equal("");
    expect(cellOf(false)).to.equal("false");
    expect(JSON.parse(cellOf({ a: '"' }) as string)).to.deep.equal({ a: '"' });
  });
});
