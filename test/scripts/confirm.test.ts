import { PassThrough } from "node:stream";
import { expect } from "chai";
import { askYes } from "../../scripts/console.ts";

describe("The question before sending", () => {
  for (const [typed, answer] of [
    ["y\r", true],
    ["YES\r", true],
    ["\r", false],
    ["yesterday\r", false],
    // Ctrl-C, Ctrl-D.
    ["\u0003", false],
    ["\u0004", false],
  ] as const)
    it(`takes ${JSON.stringify(typed)} for ${answer ? "a yes" : "a no"}`, async () => {
      const input = new PassThrough();
      const asked = askYes("Send?", input, new PassThrough(), true);
      input.write(typed);
      expect(await asked).to.equal(answer);
    });
});
