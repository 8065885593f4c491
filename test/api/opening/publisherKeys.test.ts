import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readPublisherKeys } from "../../../api/opening/deploymentFile.ts";
import { ConfigError } from "../../../api/settings/config.ts";
import { KNOWN_KEYS } from "../../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof } from "../../../attestor/publishers/publishers.ts";
import { REPORTS } from "../../support/providers/dataStreams.ts";
import { testFolder } from "../../support/suite.ts";

describe("PUBLISHER_KEYS_FILE", () => {
  const folder = testFolder("publisher-keys");
  const reading = (content: string) => {
    writeFileSync(join(folder, "keys.json"), content);
    return readPublisherKeys(join(folder, "keys.json"));
  };

  it("PUBLISHER_KEYS_FILE adds what a stream's market status means to the keys that the service knows", () => {
    const [known] = KNOWN_KEYS.chainlink;
    const { feedID, fullReport } = REPORTS.XAU.response.report;
    const feeds = [{ feedId: feedID, symbol: "XAU", marketStatus: "24/5" }];
    const keys = reading(JSON.stringify({ chainlink: [{ ...known, feeds }] }));
    const check = checkPriceProof({ format: "chainlink-report", data: fullReport }, keys, 56);
    expect(check).to.deep.nested.include({ outcome: "signed", "price.session": "closed" });
    expect(readPublisherKeys(null)).to.equal(KNOWN_KEYS);
  });

  it("PUBLISHER_KEYS_FILE ends the start with its name and the reason where it is of no use", () => {
    for (const content of ["no JSON", "{}", JSON.stringify({ signerSets: [] })])
      expect(() => reading(content)).to.throw(
        ConfigError,
        /PUBLISHER_KEYS_FILE .*keys\.json cannot be used: /,
      );
    expect(() => readPublisherKeys(join(folder, "missing.json"))).to.throw(ConfigError, "ENOENT");
  });
});
