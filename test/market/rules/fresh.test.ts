import { expect } from "chai";
import { createUnchanged } from "../../../market/rules/fresh.ts";

it("since when a figure has not changed is remembered for a week after it was stated last", () => {
  const { since } = createUnchanged();
  const day = 86_400;
  const seen = [0, 7 * day, 7 * day + 1, 15 * day].map((now) => since("pool", "1", now));
  expect(seen).to.deep.equal([0, 0, 0, 15 * day]);
});
