/** Flags and variables that keep the service's memory small: every start of it has them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { MALLOC_SETTINGS, NODE_FLAGS } from "../../api/settings/processMemory.ts";
import packageJson from "../../package.json" with { type: "json" };
import { instructions, ROOT } from "./containerfile.ts";

const variables = Object.entries(MALLOC_SETTINGS).map((pair) => pair.join("="));

describe("a start of the service", () => {
  it("limits memory by npm run api", () => {
    const { api } = packageJson.scripts;
    expect(api).to.equal(`node build/run.mjs ${[...variables, ...NODE_FLAGS].join(" ")} devnet/api.ts`);
  });

  it("limits memory in the image", () => {
    const words = (name: string) => instructions().flatMap((each) => (each.name === name ? each.words : []));
    expect(words("ENTRYPOINT").map((text) => JSON.parse(text))).to.deep.equal([
      ["/opt/assay/bin/node", ...NODE_FLAGS],
    ]);
    expect(words("ENV").join(" ")).to.contain(variables.join(" "));
  });

  it("limits memory in the systemd unit", () => {
    const unit = readFileSync(join(ROOT, "deploy/systemd/assay@.service"), "utf8");
    expect(unit).to.contain(`/bin/node ${NODE_FLAGS.join(" ")} /opt/assay/api/server.ts\n`);
    expect(unit).to.contain(`\nEnvironment=${variables.join(" ")}\n`);
  });
});
