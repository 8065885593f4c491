/** What the method says in English is there in Chinese: of every vector, in every step, verdict and fact. */
import { expect } from "chai";
import { sentenceOf } from "../../../attestor/steps.ts";
import { verifyDocument } from "../../../attestor/verify/verify.ts";
import DETAILS from "../../../attestor/view/details.json" with { type: "json" };
import { detailText } from "../../../attestor/view/detailText.ts";
import { trustOf } from "../../../workshop/vectors/candidate.ts";
import { documentsIn, vectorsToTry } from "../../support/vectors.ts";

/** Three words of English in a row, which no name, code or path has. */
const ENGLISH = /\b[a-z]{2,}(?: [a-z]{2,}){2,}/;
/** What the schema library says of members, and details that were cut. */
const IS_TECHNICAL = /✖|…$/;
const gapsOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

describe("details in Chinese", () => {
  it("are there for every step, verdict and fact of the vectors, and leave no English in them", async () => {
    const told = documentsIn(await vectorsToTry()).flatMap(({ document, trust, verdict }) =>
      // Strict says all that is said otherwise, but for the sentence of what is VALID.
      (verdict === "VALID" ? [false, true] : [true]).flatMap((strict) => {
        const verification = verifyDocument(document, { ...trustOf(trust), strict });
        const reason = sentenceOf(verification).replace(/^[A-Z]+: /, "");
        return [
          reason,
          ...verification.steps.map(({ detail }) => detail),
          ...verification.facts.map(({ name }) => name),
        ];
      }),
    );
    const missing = [...new Set(told)]
      .filter((text) => !IS_TECHNICAL.test(text))
      .filter((text) =>
        ENGLISH.test(detailText(text, "zh")?.replace("assay log find", "") ?? "said in English alone"),
      );
    expect(missing).to.deep.equal([]);
    expect(new Set(told).size).to.be.greaterThan(50);
  });

  it("say what the English one says of this document: each gap is filled, none is made up", () => {
    for (const [english, chinese] of Object.entries(DETAILS.zh))
      expect(gapsOf(english), english).to.include.members(gapsOf(chinese));
    expect(detailText("The evidence hashes to 0xab, as stated.", "zh")).to.equal(
      "证据的哈希为 0xab，与报告所述一致。",
    );
    const two =
      "Carrying out what the certificate binds, and nothing else: guardCall, approval. Not checked: approval.currentAllowance, which the token says.";
    expect(detailText(two, "zh")).to.equal(
      "只执行证书所绑定的内容：guardCall、approval。未检查：approval.currentAllowance，这由代币给出。",
    );
  });

  it("are null for a sentence that nobody translated, and the sentence itself in English", () => {
    expect(detailText("Nobody has said this before.", "zh")).to.equal(null);
    expect(detailText("Nobody has said this before.", "en")).to.equal("Nobody has said this before.");
  });

  it("take what a document quotes as it is, however it reads, and in no time", () => {
    const hostile = `${"{a} and of the guard, ".repeat(20)}. `.repeat(3).slice(0, 480);
    const started = performance.now();
    detailText(`The state of ${hostile} is proved; block ${hostile} is the chain's by x (checked).`, "zh");
    expect(performance.now() - started).to.be.lessThan(2_000);
  });
});
