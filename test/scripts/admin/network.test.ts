/** Networks and keys as the settings name them. */
import { expect } from "chai";
import { type JsonRpcProvider, Wallet } from "ethers";
import { openAccounts } from "../../../scripts/admin/accounts.ts";
import { type NetworkGiven, networkNamed } from "../../../scripts/admin/network.ts";
import { CommandError } from "../../../scripts/errors.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { lightKeystore, lightLogKeystore, newWallet } from "../../support/keystores.ts";

const RPC = "https://bsc.example.com/secret-key";
const PASSPHRASE = "correct horse battery";
const TRANSACTION = {
  chainId: 56,
  to: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  data: "0x",
  nonce: 3,
  gasLimit: 21_000n,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
};
const provider = {} as JsonRpcProvider;

describe("A network of an admin's command", () => {
  const settingsOf = (
    env: Record<string, string>,
    answers: string[] = [],
    files: Record<string, string> = {},
  ) => fakeConsole(answers, files, null, env);
  const refusal = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      expect(error).to.be.instanceOf(CommandError);
      return (error as CommandError).message;
    }
    return "nothing";
  };

  it("is the local chain, or a row of attestor/chains.json whose settings begin with its name", () => {
    const { world } = settingsOf({ RPC_PORT: "9999", BSC_RPC_URL: RPC });
    const local = networkNamed({}, world);
    expect([local.name, local.chainId, local.url().reveal()]).to.deep.equal([
      "local",
      31337,
      "http://127.0.0.1:9999",
    ]);
    expect(local.accounts()).to.include({ kind: "keys" });
    const bsc = networkNamed({ network: "bsc" }, world);
    expect([bsc.name, bsc.chainId, bsc.url().reveal()]).to.deep.equal(["bsc", 56, RPC]);
  });

  it("says which setting is missing, and needs none before it is used", () => {
    const cases: [NetworkGiven, Record<string, string>, "url" | "accounts", RegExp][] = [
      [{ network: "bsc" }, {}, "url", /^Set BSC_RPC_URL, or BSC_RPC_URL_FILE/],
      [{ network: "bsc", keystore: "external" }, { BSC_RPC_URL: RPC }, "url", /^Set BSC_SIGNER_URL/],
      [{ network: "bsc" }, { BSC_RPC_URL: RPC }, "accounts", /^Set BSC_KEYSTORE .*--keystore/],
    ];
    for (const [given, env, member, words] of cases) {
      const network = networkNamed(given, settingsOf(env).world);
      expect(refusal(() => network[member]()))
        .to.match(words)
        .and.not.contain("secret-key");
    }
    expect(refusal(() => networkNamed({ network: "moon" }, settingsOf({}).world))).to.equal(
      'There is no network "moon"; there are local, bsc.',
    );
  });

  it("takes a signer behind the RPC in place of a keystore", () => {
    const { world } = settingsOf({ BSC_SIGNER_URL: "http://127.0.0.1:1248" });
    const network = networkNamed({ network: "bsc", keystore: "external" }, world);
    expect(network.url().reveal()).to.equal("http://127.0.0.1:1248");
    expect(network.accounts()).to.deep.equal({ kind: "remote" });
  });

  describe("with a keystore", () => {
    const key = newWallet();
    const open = async (
      given: NetworkGiven,
      env: Record<string, string>,
      answers: string[],
      file: string,
    ) => {
      const fake = settingsOf(env, answers, { "/key.json": file, "/passphrase": `${PASSPHRASE}\n` });
      const network = networkNamed({ network: "bsc", ...given }, fake.world);
      const [account] = await openAccounts({ network, readText: fake.world.readText }, { provider });
      return { account: account!, questions: fake.questions };
    };

    it("shows the account without the passphrase, asks for it once, and signs", async () => {
      const { account, questions } = await open(
        { keystore: "/key.json" },
        {},
        [PASSPHRASE],
        await lightKeystore(key.privateKey, PASSPHRASE),
      );
      expect(account.address).to.equal(key.address);
      expect(questions).to.deep.equal([]);
      await account.unlock();
      const signed = await account.sign({ from: key.address, ...TRANSACTION });
      const expected = await new Wallet(key.privateKey).signTransaction({
        type: 2,
        value: 0n,
        ...TRANSACTION,
      });
      expect(signed).to.equal(expected);
      expect(questions).to.have.length(1);
    });

    it("takes keystore and passphrase from the settings", async () => {
      const env = { BSC_KEYSTORE: "/key.json", BSC_PASSPHRASE_FILE: "/passphrase" };
      const { account, questions } = await open({}, env, [], await lightKeystore(key.privateKey, PASSPHRASE));
      await account.unlock();
      expect(questions).to.deep.equal([]);
    });

    it("asks for the passphrase where the setting of its file is there without a value", async () => {
      const env = { BSC_KEYSTORE: "/key.json", BSC_PASSPHRASE_FILE: "" };
      const keystore = await lightKeystore(key.privateKey, PASSPHRASE);
      const { account, questions } = await open({}, env, [PASSPHRASE], keystore);
      await account.unlock();
      expect(questions).to.have.length(1);
    });

    it("refuses a wrong passphrase, another key than it names, a log's key, and what is none", async () => {
      const own = await lightKeystore(key.privateKey, PASSPHRASE);
      const other = { ...JSON.parse(own), address: newWallet().address.slice(2) };
      const cases: [string, string, RegExp][] = [
        [own, "another passphrase", /does not open as 0x\w{40} with this passphrase/],
        [JSON.stringify(other), PASSPHRASE, /does not open as 0x/],
        [
          await lightLogKeystore(new Uint8Array(32).fill(7), PASSPHRASE),
          PASSPHRASE,
          /is no keystore of an account/,
        ],
        ["{}", PASSPHRASE, /is no keystore of an account/],
      ];
      for (const [file, typed, words] of cases) {
        const error = await open({ keystore: "/key.json" }, {}, [typed], file)
          .then(({ account }) => account.unlock())
          .then(
            () => null,
            (thrown: unknown) => thrown,
          );
        expect(error).to.be.instanceOf(CommandError);
        expect((error as CommandError).message)
          .to.match(words)
          .and.not.contain(typed);
      }
    });
  });
});
