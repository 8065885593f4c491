/** Runs the commands of docs/run/keys.md that make keys in SoftHSM2; only paths and the token's name are replaced. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { openTokenKey } from "../../../api/signers/pkcs11/process.ts";
import { addressOfPublicKey } from "../../../attestor/evm/signature.ts";
import { parseVkey } from "../../../attestor/log/note.ts";
import { openSoftToken } from "../../support/softhsm.ts";
import { lacking, ofSuite } from "../../support/suite.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PROGRAMS = ["/usr/bin/softhsm2-util", "/usr/bin/pkcs11-tool"];

describe("the commands that make keys in SoftHSM2", () => {
  const token = ofSuite(async (test) => {
    const missing = PROGRAMS.filter((path) => !existsSync(path));
    if (missing.length === 0) return openSoftToken(test);
    return lacking(test, `not there (apt-get install softhsm2 opensc): ${missing.join(", ")}`);
  });

  it("make the two keys that a service opens, and show the address and the verifier key", async () => {
    const document = readFileSync(join(ROOT, "docs/run/keys.md"), "utf8");
    const [, block = ""] = /```sh\n(softhsm2-util [\s\S]*?)\n```/.exec(document) ?? [];
    const script = block
      .replaceAll("npm run --silent assay --", `"${process.execPath}" cli/assay.ts`)
      .replaceAll("/usr/lib/softhsm/libsofthsm2.so", token.module)
      .replaceAll("/etc/assay/pin", token.pinFile)
      .replaceAll(/--(token-label|token|label) assay\b/g, "--$1 documented");
    expect(script.split("\n")).to.have.length(5);
    const env = { ...process.env, SO_PIN: "an-so-pin" };
    const run = spawnSync("bash", ["-euc", script], { cwd: ROOT, env, encoding: "utf8" });
    const { status, stdout, stderr } = run;
    expect(status, stderr).to.equal(0);
    const [address, vkey] = stdout.trimEnd().split("\n").slice(-2);
    expect(parseVkey(vkey!).name).to.equal("assay.example.com/log");

    const setting = { ...token.setting("attestor"), token: { label: "documented" } };
    const key = await openTokenKey(setting, "secp256k1", 20_000);
    try {
      expect(addressOfPublicKey(key.publicKey)).to.equal(address);
      expect(key.warning).to.equal(null);
      expect(await key.sign(new Uint8Array(32).fill(1))).to.have.length(64);
    } finally {
      await key.stop();
    }
  });
});
