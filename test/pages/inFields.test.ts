/** How a page tells what `assay verify` would need an option for. */
import { expect } from "chai";
import { inCommand, inFields } from "../../web/report/inFields.ts";

describe("A page that tells a verification", () => {
  it("names its own fields where the command line has options", () => {
    expect(
      inFields(
        "name your guard with --guard <chainId>:<address>, or its attestation key with --signer 0x…. Take neither from this document.",
      ),
    ).to.equal(
      "name your guard in the field “The guard that you use”, or its attestation key in the field “The attestation key that you trust”. Take neither from this document.",
    );
    expect(inFields("the grade (--samples FILE checks it)")).to.equal(
      "the grade (the field “The samples behind the liquidity grade” checks it)",
    );
    expect(inFields("not known to this reader (--guardian-sets brings them).")).to.equal(
      "not known to this reader (the field “More keys of price publishers” brings them).",
    );
  });

  it("names the command where only that can ask a node", () => {
    expect(inFields("ask a node with --rpc URL whether it did.")).to.equal(
      "ask a node with assay verify --rpc URL whether it did.",
    );
    expect(inFields("the log (--service URL checks it)")).to.equal(
      "the log (assay verify --service URL checks it)",
    );
    expect(inFields("assay verify --rpc asks a node.")).to.equal("assay verify --rpc asks a node.");
  });

  it("names the command for every option where the page has no fields", () => {
    expect(inCommand("the grade (--samples FILE checks it)")).to.equal(
      "the grade (assay verify --samples FILE checks it)",
    );
    expect(inCommand("assay verify --rpc asks a node, --guards do not.")).to.equal(
      "assay verify --rpc asks a node, --guards do not.",
    );
  });

  it("leaves the rest of a sentence as it is", () => {
    const plain = "Issued by 0x12, --guards and --signers are no options.";
    expect(inFields(plain)).to.equal(plain);
  });

  it("leaves no option of the command line", () => {
    const trust = ["guard", "signer", "log-key", "witness"];
    const options = [...trust, "registry", "policies", "guardian-sets", "samples"];
    const text = options.map((option) => `with --${option}`).join(" ");
    expect(inFields(text)).not.to.include("--");
  });
});
