/** x402's own facilitator, as its library has it, with a wallet of ethers: proof that others than ours serve the service. */
import { x402Facilitator } from "@x402/core/facilitator";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { Contract, type JsonRpcProvider, Wallet } from "ethers";
import type { FacilitatorClient } from "../../api/payments/facilitator.ts";
import type { TestWorld } from "./world.ts";

const RECEIPT_TIMEOUT_MS = 10_000;

/** Sends the settlements from the account of the world's facilitator. */
export function officialFacilitator({ provider, accounts, deployment }: TestWorld): FacilitatorClient {
  const scheme = new ExactEvmScheme(facilitatorSigner(provider, accounts.facilitator.privateKey), {
    eip6492AllowedFactories: [],
  });
  const facilitator = new x402Facilitator().register(`eip155:${deployment.chainId}`, scheme);
  return {
    verify: (payment, terms) => facilitator.verify(payment as never, terms),
    settle: (payment, terms) => facilitator.settle(payment as never, terms),
  };
}

type Signer = ConstructorParameters<typeof ExactEvmScheme>[0];

/** What the library wants of a wallet, made of an ethers one. */
function facilitatorSigner(provider: JsonRpcProvider, privateKey: string): Signer {
  const wallet = new Wallet(privateKey, provider);
  const contract = (address: string, abi: readonly unknown[]) => new Contract(address, abi as never, wallet);
  // One after the other, so that each takes the nonce after the one before: this chain mines what it is sent at once.
  let last: Promise<unknown> = Promise.resolve();
  function sent(send: () => Promise<{ hash: string }>): Promise<`0x${string}`> {
    const hash = last.then(async () => (await send()).hash as `0x${string}`);
    last = hash.catch(() => {});
    return hash;
  }
  return {
    getAddresses: () => [wallet.address as `0x${string}`],
    readContract: async ({ address, abi, functionName, args = [] }) =>
      contract(address, abi)
        .getFunction(functionName)
        .staticCall(...args),
    writeContract: ({ address, abi, functionName, args }) =>
      sent(() =>
        contract(address, abi)
          .getFunction(functionName)
          .send(...args),
      ),
    sendTransaction: (transaction) => sent(() => wallet.sendTransaction(transaction)),
    async waitForTransactionReceipt({ hash }) {
      const receipt = await provider.waitForTransaction(hash, 1, RECEIPT_TIMEOUT_MS);
      if (receipt === null) throw new Error("the transaction was not mined in time");
      return {
        status: receipt.status === 1 ? "success" : "reverted",
        logs: receipt.logs as never,
      };
    },
    getCode: async ({ address }) => (await provider.getCode(address)) as `0x${string}`,
    // The library checks signatures itself; only the older scheme asks.
    verifyTypedData: async () => false,
  };
}
