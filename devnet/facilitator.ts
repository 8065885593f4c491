/**
 * The facilitator of the local world, in this process: the official library on the local chain, with an account of
 * its own that pays the gas. Beside it, what a buyer may pay with there: local dollars, by EIP-3009 or by Permit2.
 */
import { x402Facilitator } from "@x402/core/facilitator";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { Contract, type JsonRpcProvider, Wallet } from "ethers";
import type { FacilitatorClient } from "../api/payments/facilitator.ts";
import type { PaymentSetup } from "../api/payments/open.ts";
import type { PaymentOption } from "../api/settings/paymentOptions.ts";
import type { Deployment } from "../chain/deployment.ts";
import { localAccounts } from "./accounts.ts";
import { secondDollar } from "./secondDollar.ts";

/** One cent, in raw units of the local dollar and of the second one. */
const PRICE = "10000";
const SECOND_PRICE = "10000000000000000";
const RECEIPT_TIMEOUT_MS = 10_000;

/** For a service in the local world. */
export function localPayments(context: { deployment: Deployment; provider: JsonRpcProvider }): PaymentSetup {
  const { facilitator, payee } = localAccounts();
  return {
    options: localOptions(context.deployment),
    payTo: payee.address,
    facilitator: createLocalFacilitator({
      provider: context.provider,
      privateKey: facilitator.privateKey,
      chainId: context.deployment.chainId,
    }),
  };
}

/** A cent of a local dollar for every policy, or one of the second dollar. */
export function localOptions({ chainId, registry }: Deployment): PaymentOption[] {
  const dollar = registry.assets.find(({ kind }) => kind === "settlement");
  if (dollar === undefined) throw new Error("the local world has no settlement token");
  const common = { network: `eip155:${chainId}`, maxTimeoutSeconds: 300, confirmations: 1 };
  return [
    {
      ...common,
      asset: dollar.address,
      transferMethod: "eip3009",
      // As the token's EIP-712 domain says.
      name: "Local Dollar",
      version: "1",
      prices: { "*": PRICE },
    },
    {
      ...common,
      asset: secondDollar(),
      transferMethod: "permit2",
      prices: { "*": SECOND_PRICE },
    },
  ];
}

/** @param privateKey of the account that sends the settlements */
export function createLocalFacilitator(deps: {
  provider: JsonRpcProvider;
  privateKey: string;
  chainId: number;
  /** Factories of contract wallets that it calls to create a payer's (ERC-6492). */
  eip6492AllowedFactories?: string[];
}): FacilitatorClient {
  const { provider, privateKey, chainId, eip6492AllowedFactories = [] } = deps;
  const scheme = new ExactEvmScheme(facilitatorSigner(provider, privateKey), { eip6492AllowedFactories });
  const facilitator = new x402Facilitator().register(`eip155:${chainId}`, scheme);
  return {
    verify: (payment, requirements) => facilitator.verify(payment, requirements),
    settle: (payment, requirements) => facilitator.settle(payment, requirements),
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
