/** What a reader has, parsed from texts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parseVkey } from "../../../attestor/log/note.ts";
import { ReaderFault, readerOptions } from "../../../attestor/verify/reader.ts";
import { documentsIn, SMALL } from "../../support/vectors.ts";

const GUARD = "0x1429859428C0aBc9C2C47C8Ee9FBaf82cFA0F20f";
const vkey = documentsIn(SMALL).find(({ trust }) => trust.logKeys !== undefined)!.trust.logKeys![0]!;

function faultOf(texts: Parameters<typeof readerOptions>[0]): ReaderFault {
  try {
    readerOptions(texts);
  } catch (error) {
    if (error instanceof ReaderFault) return error;
    throw error;
  }
  throw new Error("no fault");
}

describe("what a reader gives", () => {
  it("comes to nothing where nothing is given, and trusts nobody", () => {
    const { guard, signer, logKeys, witnessKeys, registry, policies } = readerOptions({ guard: "  " });
    expect({ guard, signer, logKeys, witnessKeys, registry, policies }).to.deep.equal({
      guard: undefined,
      signer: undefined,
      logKeys: undefined,
      witnessKeys: undefined,
      registry: undefined,
      policies: [],
    });
  });

  it("what a reader gives is read with white space around it, keys a line each", () => {
    const options = readerOptions({
      guard: ` 31337:${GUARD} `,
      signer: `${GUARD}\n`,
      logKey: `${vkey}\n\n${vkey}`,
    });
    expect(options.guard).to.deep.equal({ chainId: 31_337, address: GUARD });
    expect(options.signer).to.equal(GUARD);
    expect(options.logKeys).to.deep.equal([parseVkey(vkey), parseVkey(vkey)]);
  });

  it("what a reader gives is as strict as the reader says", () => {
    for (const [strict, is] of [
      ["yes", true],
      ["", undefined],
    ] as const)
      expect(readerOptions({ strict }).strict).to.equal(is);
  });

  it("takes policies and guardian sets as the service and the vectors have them", () => {
    const policies = readFileSync(join(SMALL, "policies.json"), "utf8");
    expect(readerOptions({ policies }).policies).to.have.length.above(9);
  });

  for (const [field, text] of Object.entries({
    guard: "56",
    signer: "0x12",
    logKey: "a key",
    witness: `${vkey}x`,
    registry: "{}",
    policies: '{"policies":3}',
    guardianSets: "[]",
    samples: "{",
    header: '{"hash":"0x00"}',
  }))
    it(`names the field where ${field} is invalid`, () => {
      expect(faultOf({ [field]: text }).field).to.equal(field);
    });
});
