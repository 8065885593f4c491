import { expect } from "chai";
import fc from "fast-check";
import { csvOf } from "../../../web/series/csv.ts";

/** RFC 4180, read to the letter. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, place, quoted]: [string[], string, number, boolean] = [[], "", 0, false];
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  while (place < text.length) {
    const character = text[place]!;
    if (quoted && character === '"' && text[place + 1] === '"') {
      cell += '"';
      place++;
    } else if (character === '"') quoted = !quoted;
    else if (!quoted && character === ",") endCell();
    else if (!quoted && character === "\r" && text[place + 1] === "\n") {
      endCell();
      rows.push(row);
      row = [];
      place++;
    } else cell += character;
    place++;
  }
  expect(quoted).to.equal(false);
  return rows;
}

describe("a CSV file", () => {
  it("gives back every text of any characters, with an apostrophe in front at most", () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab1 ,\"\r\n\t=+-@'苹") });
    const rows = fc
      .integer({ min: 1, max: 5 })
      .chain((width) =>
        fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(
      fc.property(rows, (given) => {
        const read = parse(csvOf(given));
        expect(read.map((row) => row.length)).to.deep.equal(given.map((row) => row.length));
        given.forEach((row, line) => {
          row.forEach((cell, column) => {
            expect(read[line]![column]).to.be.oneOf([cell, `'${cell}`]);
          });
        });
      }),
    );
  });

  it("a CSV file has no text that a spreadsheet would take for a formula", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", '=HYPERLINK("x","y")'])
      expect(parse(csvOf([[text]]))[0]![0], JSON.stringify(text)).to.equal(`'${text}`);
    expect(parse(csvOf([["a=1", "1-2", "x@y"]]))[0]).to.deep.equal(["a=1", "1-2", "x@y"]);
  });

  it("leaves numbers as they are, also negative ones, and takes nothing for a number that is none", () => {
    const row = [
      -1.5,
      0,
      { decimal: "-0.000000000000000001" },
      { decimal: "=1" },
      { decimal: "-" },
      null,
      Number.NaN,
    ];
    expect(csvOf([row])).to.equal("-1.5,0,-0.000000000000000001,'=1,'-,,\r\n");
  });
});
