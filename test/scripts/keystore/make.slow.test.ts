import type { ChildProcess } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { id, Wallet } from "ethers";
import { signerFromKeystore } from "../../../api/attestation/keystore.ts";
import { realWorld, type World } from "../../../scripts/console.ts";
import { Unusable } from "../../../scripts/errors.ts";
import { keystoreCommands } from "../../../scripts/keystore/make.ts";
import { DOMAIN } from "../../attestor/fixtures.ts";
import { failureOf } from "../../support/failure.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { lightKeystore } from "../../support/keystores.ts";
import { realAssay } from "../../support/programs.ts";
import { folderOfTest } from "../../support/suite.ts";
import { assayIn, typed } from "../../support/typed.ts";

const KEY = id("a key to import");
const ADDRESS = new Wallet(KEY).address;
const PASSPHRASE = "correct horse battery";

/** Light work instead of a second of scrypt. */
const COMMANDS = keystoreCommands(lightKeystore);
const keystore = ([verb, ...words]: string[], world: World) =>
  typed(COMMANDS[verb as keyof typeof COMMANDS], words, world);
const refusal = (args: string[], { world }: { world: World }, kind: new (...given: any[]) => Error = Error) =>
  failureOf(keystore(args, world), kind);

describe("assay keystore", () => {
  it("creates a keystore that opens with the passphrase, and shows the address alone", async () => {
    const fake = fakeConsole([PASSPHRASE, PASSPHRASE]);
    expect(await keystore(["create", "key.json"], fake.world)).to.equal(0);
    const signer = await signerFromKeystore(fake.files["key.json"] ?? "", PASSPHRASE, DOMAIN);
    expect(fake.shown).to.deep.equal([signer.address]);
  });

  it("imports a key that is typed in, with or without 0x", async () => {
    for (const typed of [KEY, KEY.slice(2), ` ${KEY.toUpperCase().replace("X", "x")} `]) {
      const fake = fakeConsole([typed, PASSPHRASE, PASSPHRASE]);
      await keystore(["import", "key.json"], fake.world);
      expect(fake.shown).to.deep.equal([ADDRESS]);
      expect(fake.files["key.json"]).to.not.contain(KEY.slice(2));
      expect(fake.questions).to.have.length(3);
    }
  });

  it("takes the passphrase from the first line of a file", async () => {
    for (const content of [PASSPHRASE, `${PASSPHRASE}\n`, `${PASSPHRASE}\r\nmore`]) {
      const fake = fakeConsole([], { secret: content });
      const args = ["create", "key.json", "--passphrase-file", "secret"];
      await keystore(args, fake.world);
      const signer = await signerFromKeystore(fake.files["key.json"] ?? "", PASSPHRASE, DOMAIN);
      expect(fake.shown).to.deep.equal([signer.address]);
      expect(fake.questions).to.deep.equal([]);
    }
  });

  it("never overwrites a file, and asks nothing before it says so", async () => {
    const fake = fakeConsole([PASSPHRASE, PASSPHRASE], { "key.json": "precious" });
    const { message } = await refusal(["create", "key.json"], fake, Unusable);
    expect(message).to.equal("key.json: it already exists");
    expect(fake.files["key.json"]).to.equal("precious");
    expect(fake.questions).to.deep.equal([]);
  });

  it("never overwrites a file that came to be meanwhile", async () => {
    const fake = fakeConsole([PASSPHRASE, PASSPHRASE]);
    fake.world.exists = async () => false;
    fake.files["key.json"] = "precious";
    expect((await refusal(["create", "key.json"], fake)).message).to.contain("already exists");
    expect(fake.files["key.json"]).to.equal("precious");
  });

  const refused: [string, string[], string[], string][] = [
    ["passphrases that differ", ["create", "f"], [PASSPHRASE, `${PASSPHRASE} `], "differ"],
    ["a short passphrase", ["create", "f"], ["short"], "fewer than 12"],
    ["an empty passphrase", ["create", "f"], [""], "fewer than 12"],
    ["a short passphrase in a file", ["create", "f", "--passphrase-file", "short"], [], "fewer than 12"],
    ["a passphrase file that is missing", ["create", "f", "--passphrase-file", "none"], [], "does not exist"],
    ["answers that end too early", ["import", "f"], [KEY], "ended"],
    ["a key that is too short", ["import", "f"], [KEY.slice(0, -1)], "not a private key"],
    ["a key that is none", ["import", "f"], ["correct horse battery staple"], "not a private key"],
    ["a key of zero", ["import", "f"], [`0x${"00".repeat(32)}`], "not a private key"],
    ["a key past the curve", ["import", "f"], [`0x${"ff".repeat(32)}`], "not a private key"],
  ];
  for (const [name, args, answers, words] of refused)
    it(`refuses ${name}, repeats nothing of it and writes nothing`, async () => {
      const typed = [...answers];
      const fake = fakeConsole(answers, { short: "short" });
      const error = await refusal(args, fake, Unusable);
      expect(error.message).to.contain(words);
      const told = `${error.message} ${fake.shown.join()} ${fake.warned.join()}`;
      for (const secret of typed.filter((text) => text.length > 5))
        expect(told).to.not.contain(secret.slice(2, 20));
      expect(Object.keys(fake.files)).to.deep.equal(["short"]);
    });

  it("takes no secret as an argument, and repeats none that was given as one", async () => {
    for (const args of [
      ["import", "f", KEY],
      ["create", "f", "--passphrase", PASSPHRASE],
      ["create", "f", `--key=${KEY}`],
      ["create"],
      ["destroy", "f"],
      [KEY],
      [],
      ["create", "f", "--passphrase-file"],
    ]) {
      const { world, shown, warned } = fakeConsole();
      expect(await assayIn(["keystore", ...args], world), args.join(" ")).to.equal(2);
      expect([...shown, ...warned].join())
        .to.not.contain(KEY.slice(2))
        .and.not.contain(PASSPHRASE);
    }
  });

  describe("with the real program", () => {
    const folder = folderOfTest("keystore");
    const assay = (args: string[], input: string | null, onSpawn?: (child: ChildProcess) => void) =>
      realAssay(["keystore", ...args], input, onSpawn);

    it("writes a keystore of mode 600 that opens, and prints nothing but the address", async () => {
      const path = join(folder, "key.json");
      const ran = await assay(["import", path], `${KEY}\n${PASSPHRASE}\n${PASSPHRASE}\n`);
      expect(ran).to.deep.equal({ code: 0, out: `${ADDRESS}\n`, err: "" });
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
      const signer = await signerFromKeystore(await readFile(path, "utf8"), PASSPHRASE, DOMAIN);
      expect(signer.address).to.equal(ADDRESS);
      expect(await readdir(folder)).to.deep.equal(["key.json"]);
    }).timeout(120_000);

    it("makes another key each time, hard to guess at", async () => {
      const secret = join(folder, "passphrase");
      await writeFile(secret, PASSPHRASE);
      const create = (name: string) =>
        assay(["create", join(folder, name), "--passphrase-file", secret], null);
      const made = await Promise.all(["a.json", "b.json"].map(create));
      const addresses = made.map(({ out }) => out.trim());
      expect(new Set(addresses).size).to.equal(2);
      for (const [index, name] of ["a.json", "b.json"].entries()) {
        const keystore = JSON.parse(await readFile(join(folder, name), "utf8"));
        expect(keystore.version).to.equal(3);
        const { kdf, kdfparams } = keystore.Crypto ?? keystore.crypto;
        expect([kdf, kdfparams.n]).to.deep.equal(["scrypt", 131_072]);
        expect(`0x${keystore.address}`.toLowerCase()).to.equal(addresses[index]?.toLowerCase());
      }
    }).timeout(120_000);

    it("leaves a file alone that came to be after the question whether it exists", async () => {
      const path = join(folder, "key.json");
      await writeFile(path, "precious");
      const error = await failureOf(realWorld({}).writeSecret(path, "keystore"), Unusable);
      expect(error.message).to.equal("it already exists");
      expect(await readFile(path, "utf8")).to.equal("precious");
    });

    it("says so when the folder is not there or the answers end", async () => {
      const typed = `${KEY}\n${PASSPHRASE}\n${PASSPHRASE}\n`;
      const nowhere = await assay(["import", join(folder, "no", "key.json")], typed);
      expect(nowhere.code).to.equal(2);
      expect(nowhere.err).to.contain("cannot be written: the file or folder does not exist");
      const silent = await assay(["create", join(folder, "key.json")], "");
      expect(silent).to.include({ code: 2, out: "" });
      expect(silent.err).to.contain("standard input ended");
    }).timeout(120_000);
  });
});
