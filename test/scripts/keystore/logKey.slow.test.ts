import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { signerFromKeystore } from "../../../api/attestation/keystore.ts";
import { LogKeyError, logSignerFromKeystore } from "../../../api/log/key.ts";
import { parseVkey } from "../../../attestor/log/note.ts";
import { openDatabase } from "../../../database/open.ts";
import { DOMAIN } from "../../attestor/fixtures.ts";
import { failureOf } from "../../support/failure.ts";
import { lightKeystore, newWallet } from "../../support/keystores.ts";
import { addJudgements } from "../../support/log.ts";
import { assay as inProcess, run } from "../../support/programs.ts";
import { type ApiProcess, startApi } from "../../support/serviceProcess.ts";
import { testFolder } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const ORIGIN = "assay.example.com/log";
const PASSPHRASE = "correct horse battery";

describe("assay keystore create --log", () => {
  const folder = testFolder("log-key");
  const [path, passphrasePath] = [join(folder, "log.json"), join(folder, "passphrase")] as const;
  const settings = { LOG_KEYSTORE: path, LOG_KEYSTORE_PASSPHRASE_FILE: passphrasePath, LOG_ORIGIN: ORIGIN };
  let service: ApiProcess;
  let vkey: string;

  const assay = async (...args: string[]) => {
    const { code, out, err } = await inProcess(args);
    return { code, out: `${out}${err}`.trim() };
  };

  before(() => writeFile(passphrasePath, `${PASSPHRASE}\n`));
  after(() => service?.remove());

  it("writes a keystore for its owner alone, and prints the verifier key and nothing else", async () => {
    const named = ["--log", ORIGIN, "--passphrase-file", passphrasePath];
    const { code, out } = await assay("keystore", "create", path, ...named);
    expect(code, out).to.equal(0);
    vkey = out;
    expect(parseVkey(vkey)).to.include({ name: ORIGIN, kind: 1 });
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    const signer = await logSignerFromKeystore(await readFile(path, "utf8"), PASSPHRASE);
    expect(signer.publicKey).to.deep.equal(parseVkey(vkey).publicKey);
    expect(signer.isDevelopmentKey).to.equal(false);
  });

  it("gives the service a key by which a reader follows its log", async () => {
    service = await startApi("pipe", settings);
    service.child.stdout?.resume();
    const db = openDatabase(`sqlite:${join(service.dataDir, "assay.db")}`);
    await addJudgements(db, 3);
    await db.destroy();
    const checked = () => assay("log", "check", `${service.url}/log`, "--log-key", vkey);
    // The service's rounds give them their places; an early reader sees fewer.
    const told = await until("3 entries", checked, ({ out }) => out.includes(" 3 entries"));
    expect(told.out).to.equal(
      `${ORIGIN}: 3 entries, 3 new (3 denials), each hashed again, every tile compared.`,
    );
    const shown = (await (await fetch(`${service.url}/log/vkey`)).text()).trim();
    expect(parseVkey(shown).publicKey).to.deep.equal(parseVkey(vkey).publicKey);
  });

  it("assay keystore create --log is no key of certificates, and a key of certificates is no log's", async () => {
    const log = await readFile(path, "utf8");
    await failureOf(signerFromKeystore(log, PASSPHRASE, DOMAIN), Error);
    const attestation = await lightKeystore(newWallet().privateKey, PASSPHRASE);
    for (const [keystore, passphrase] of [
      [attestation, PASSPHRASE],
      [log, "another passphrase"],
      ["{}", PASSPHRASE],
      ["no JSON", PASSPHRASE],
    ] as const)
      await failureOf(logSignerFromKeystore(keystore, passphrase), LogKeyError);
  });

  it("leaves the service down, in words, when its passphrase is wrong", async () => {
    await writeFile(passphrasePath, "another passphrase\n");
    const { code, output } = await run("api/server.ts", [], {
      PORT: "0",
      DATA_DIR: join(folder, "data"),
      DEPLOYMENT_FILE: join(service.dataDir, "../deployment.json"),
      ATTESTOR_PRIVATE_KEY: `0x${"7".repeat(64)}`,
      ...settings,
    });
    expect(code).to.not.equal(0);
    expect(output).to.contain("LOG_KEYSTORE: the passphrase does not open the log's keystore");
    expect(output).to.not.contain("another passphrase");
  });
});
