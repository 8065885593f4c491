import { expect } from "chai";
import { type JsonRpcProvider, makeError } from "ethers";
import { createPaymentChain } from "../../../api/payments/chain.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";

const SIGNATURE = `0x${"5a".repeat(70)}`;
const SIGNED = {
  address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  digest: `0x${"17".repeat(32)}`,
  signature: SIGNATURE,
};

/** A contract wallet's node; `call` fails as ethers has it fail: the same code for a revert and for a node's own trouble. */
const nodeThat = (message: string, data: string | null) =>
  ({
    send: async () => "0x1",
    getCode: async () => "0x60",
    call: async () => {
      throw makeError(`missing revert data (${SIGNATURE})`, "CALL_EXCEPTION", {
        action: "call",
        data,
        reason: null,
        invocation: null,
        revert: null,
        transaction: { to: null, data: SIGNATURE },
        info: { error: { code: -32_000, message } },
      });
    },
  }) as unknown as JsonRpcProvider;

const kindBy = (message: string, data: string | null) =>
  createPaymentChain({ provider: nodeThat(message, data), chainId: 1, confirmations: 1 }).signerKindOf(
    SIGNED,
  );

describe("the signature of a contract wallet", () => {
  it("the signature of a contract wallet is asked about with gas that has an end", async () => {
    let gas: unknown;
    const call = async ({ gasLimit }: { gasLimit: unknown }) => {
      gas = gasLimit;
      return `0x1626ba7e${"0".repeat(56)}`;
    };
    const provider = { ...nodeThat("", null), call } as unknown as JsonRpcProvider;
    const reader = createPaymentChain({ provider, chainId: 1, confirmations: 1 });
    expect([await reader.signerKindOf(SIGNED), gas]).to.deep.equal(["contract", 5_000_000]);
  });

  it("the signature of a contract wallet is none where the wallet reverts", async () => {
    for (const [message, data] of [
      ["execution reverted", null],
      ["out of gas", null],
      ["failed", "0x08c379a0"],
    ] as const)
      expect(await kindBy(message, data), message).to.equal(null);
  });

  it("the signature of a contract wallet is not called wrong where the node cannot say, and what it said is not passed on", async () => {
    for (const message of ["header not found", "rate limit exceeded", "execution aborted (timeout)"]) {
      const told = await kindBy(message, null).catch((error: unknown) => error);
      expect(told, message).to.be.instanceOf(UpstreamUnavailable);
      const { stack, cause } = told as Error;
      expect(`${stack} ${cause}`).to.not.include(SIGNATURE.slice(2, 40));
    }
  });
});
