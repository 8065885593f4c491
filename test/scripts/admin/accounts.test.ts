import { inspect } from "node:util";
import { expect } from "chai";
import { type JsonRpcProvider, makeError, Wallet } from "ethers";
import { Secret } from "../../../api/settings/secret.ts";
import { type CallTransaction, openAccounts } from "../../../scripts/admin/accounts.ts";
import type { Network } from "../../../scripts/admin/network.ts";
import { Refused } from "../../../scripts/errors.ts";
import { keys } from "../../support/admin.ts";
import { failureOf } from "../../support/failure.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { shownIn } from "../../support/typed.ts";

const WALLET = new Wallet(`0x${"a1".repeat(32)}`);
const TRANSACTION: CallTransaction = {
  chainId: 56,
  from: WALLET.address,
  to: "0x1111111111111111111111111111111111111111",
  data: "0x8456cb59",
  nonce: 7,
  gasLimit: 60_000n,
  maxFeePerGas: 3n,
  maxPriorityFeePerGas: 1n,
};

/** A signer behind the RPC with the given answers. */
async function remote(answers: Record<string, (transaction: any) => unknown>) {
  const asked: [string, unknown][] = [];
  const provider = {
    send: async (method: string, [transaction]: unknown[]) => {
      asked.push([method, transaction]);
      if (method === "eth_accounts") return [WALLET.address.toLowerCase()];
      const answer = answers[method];
      if (answer === undefined) throw Object.assign(new Error("no"), { error: { code: -32601 } });
      return answer(transaction);
    },
  } as unknown as JsonRpcProvider;
  const network: Network = {
    name: "bscSigner",
    chainId: 56,
    url: () => new Secret("http://127.0.0.1:1"),
    accounts: () => ({ kind: "remote" }),
  };
  const [account] = await openAccounts({ network, readText }, { provider });
  return { account: account!, asked };
}

const sign = (changes: object = {}) => {
  const { from: _, ...fields } = TRANSACTION;
  return WALLET.signTransaction({ type: 2, ...fields, ...changes });
};
const readText = () => Promise.reject(new Error("there is no file"));

describe("A key that is none", () => {
  it("A key that is none is not shown: one with a digit too few is still most of a key", async () => {
    for (const typed of [`0x${"a1".repeat(31)}b`, `0x${"a1".repeat(33)}`, `0x${"ff".repeat(32)}`, "0xzz"]) {
      const network: Network = {
        name: "bsc",
        chainId: 56,
        url: () => new Secret("http://127.0.0.1:1"),
        accounts: () => keys(typed),
      };
      const error = await openAccounts({ network, readText }, { provider: {} as JsonRpcProvider }).catch(
        (e) => e,
      );
      expect(error).to.be.instanceOf(Refused);
      expect(inspect(error, { depth: 9 }))
        .to.contain('A key of the network "bsc" is not a private key')
        .and.to.not.contain(typed.slice(2));
    }
  });
});

describe("An unforeseen error of the library", () => {
  it("An unforeseen error of the library is reported by its code alone", async () => {
    const cause = makeError("secret words", "INVALID_ARGUMENT", { argument: "value", value: "0xsecret" });
    const coded = makeError("secret words", "UNKNOWN_ERROR", {});
    Object.assign(coded, { error: { code: -32000, message: "secret words" } });
    const lines: string[] = [];
    for (const error of [cause, coded]) {
      const { world, warned } = fakeConsole();
      expect(await shownIn(world, () => Promise.reject(error))).to.equal(1);
      lines.push(...warned);
    }
    expect(lines).to.deep.equal([
      "assay: The chain's RPC, or the signer behind it, gives an unexpected answer (INVALID_ARGUMENT).",
      "assay: The chain's RPC, or the signer behind it, gives an unexpected answer (error -32000).",
    ]);
  });
});

describe("An external signer", () => {
  it("signs what it is asked to, and answers the bytes or an object with them", async () => {
    for (const shape of [(raw: string) => raw, (raw: string) => ({ raw, tx: {} })]) {
      const { account, asked } = await remote({ eth_signTransaction: async () => shape(await sign()) });
      expect(account.address).to.equal(WALLET.address);
      expect(await account.sign(TRANSACTION)).to.equal(await sign());
      expect(asked[1]).to.deep.equal([
        "eth_signTransaction",
        {
          from: WALLET.address,
          to: TRANSACTION.to,
          data: "0x8456cb59",
          value: "0x0",
          chainId: "0x38",
          nonce: "0x7",
          gas: "0xea60",
          maxFeePerGas: "0x3",
          maxPriorityFeePerGas: "0x1",
        },
      ]);
    }
  });

  it("that signs something else is not believed", async () => {
    const other = new Wallet(`0x${"a2".repeat(32)}`);
    for (const signed of [
      await sign({ to: other.address }),
      await sign({ data: "0x3f4ba83a" }),
      await sign({ nonce: 8 }),
      await sign({ value: 1n }),
      await sign({ chainId: 1 }),
      await other.signTransaction({ type: 2, ...TRANSACTION, from: other.address }),
      "0x1234",
      null,
    ]) {
      const { account } = await remote({ eth_signTransaction: () => signed });
      await failureOf(account.sign(TRANSACTION), Refused);
    }
  });

  it("that only sends is asked to send", async () => {
    const { account } = await remote({ eth_sendTransaction: () => "0xabc" });
    expect(await account.sign(TRANSACTION)).to.equal(null);
    expect(await account.send(TRANSACTION)).to.equal("0xabc");
  });

  it("lets an external signer refuse to sign", async () => {
    const no = () => {
      throw Object.assign(new Error("User rejected"), { error: { code: 4001 } });
    };
    const { account } = await remote({ eth_signTransaction: no, eth_sendTransaction: no });
    await failureOf(account.sign(TRANSACTION), Refused);
    await failureOf(account.send(TRANSACTION), Refused);
  });
});

describe("A network's accounts", () => {
  it("A network's accounts are never shown with their keys", async () => {
    const source = keys(WALLET.privateKey);
    expect(JSON.stringify(source)).to.not.contain(WALLET.privateKey);
  });

  it("needs an account in the network's configuration", async () => {
    const network = { name: "bsc", accounts: () => keys() } as unknown as Network;
    await failureOf(openAccounts({ network, readText }, { provider: {} as JsonRpcProvider }), Refused);
  });
});
