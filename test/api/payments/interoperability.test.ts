/**
 * Other people's x402 with ours, by both methods: the official client and our own pay, and both facilitators settle.
 * Payers are plain accounts and ones with delegated code (EIP-7702), whose own key signs all the same.
 */

import { x402Facilitator } from "@x402/core/facilitator";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { expect } from "chai";
import { Contract, type JsonRpcProvider, Wallet, ZeroAddress } from "ethers";
import type { FacilitatorClient } from "../../../api/payments/facilitator.ts";
import { signPayment } from "../../../client/client.ts";
import { LocalBatchAccount__factory } from "../../../types/contracts/factories/test/support/contracts/LocalBatchAccount__factory.ts";
import { approvePermit2 } from "../../support/dollars.ts";
import { type Answer, expectStatus, json } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import {
  buyerOf,
  buyerOnChain,
  stateOf,
  testPaidService,
  testPaidWorld,
  testPurchase,
} from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import type { TestWorld } from "../../support/world.ts";
import { encodeHeader, expectUnpaid, receiptIn, termsIn, WAYS } from "../../support/x402.ts";

const RECEIPT_TIMEOUT_MS = 10_000;

/** Sends the settlements from the account of the world's facilitator. */
function officialFacilitator({ provider, accounts, deployment }: TestWorld): FacilitatorClient {
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

/** Users of the world: with a plain account, and with one of each kind of delegated code. */
const [PLAIN, DELEGATED, MUTE] = [0, 1, 2];

for (const [whose, works] of [
  ["the local world's facilitator", undefined],
  ["x402's own facilitator", officialFacilitator],
] as const)
  describe(`a payment that ${whose} settles`, () => {
    const world = testPaidWorld();
    const facilitator = testFacilitator(world, works);
    const wallet = (index: number) => walletOf(world, index);

    before(async () => {
      await approvePermit2(world, [PLAIN, DELEGATED, MUTE].map(wallet));
      const code = await new LocalBatchAccount__factory(wallet(8)).deploy();
      await code.waitForDeployment();
      await delegate(DELEGATED, await code.getAddress());
      // A contract that answers no ERC-1271 question.
      await delegate(MUTE, world.token("USDL"));
    });

    /** A user's account gets code of somebody else's (EIP-7702). */
    async function delegate(index: number, address: string): Promise<void> {
      const owner = wallet(index);
      const nonce = await owner.getNonce();
      const authorization = await owner.authorize({ address, nonce: nonce + 1 });
      const sent = await owner.sendTransaction({
        type: 4,
        to: ZeroAddress,
        nonce,
        authorizationList: [authorization],
      });
      await sent.wait();
      expect(await world.provider.getCode(owner.address)).to.have.length(2 + 2 * 23);
    }

    for (const way of WAYS)
      describe(`by ${way.title}`, () => {
        const service = testPaidService(world, () => ({ FACILITATOR_URL: facilitator.url }));
        const purchase = testPurchase(service, way);
        const { charged } = purchase;
        /** Bought by the official client, which asks, signs and asks again. */
        const buy = (index: number): Promise<Answer> =>
          buyerOf(service, index, way).pay("/a2mcp/verify", json(purchase.body));

        for (const [payer, index] of [
          ["an account with a key", PLAIN],
          ["an account with delegated code (EIP-7702)", DELEGATED],
        ] as const)
          it(`a payment is made by the official client from ${payer}, once though it signs anew`, async () => {
            const first = expectStatus(await buy(index), 200);
            expect(receiptIn(first).payer).to.equal(wallet(index).address);
            const again = expectStatus(await buy(index), 200);
            expect(again.headers.get("idempotent-replayed")).to.equal("true");
            expect(again.body.jobId).to.equal(first.body.jobId);
            expect(await charged()).to.equal(way.price);
          });

        it("a payment is made by this project's client", async () => {
          const challenge = await purchase.challenge();
          const payer = wallet(PLAIN);
          const payment = await signPayment(
            termsIn(challenge),
            {
              address: payer.address,
              signTypedData: ({ domain, types: { EIP712Domain, ...types }, message }) =>
                payer.signTypedData(domain, types, message),
            },
            { network: "eip155:31337", asset: world.token(way.symbol), maxAmount: way.price },
          );
          const signature = encodeHeader(payment);
          expectStatus(await service.verify(purchase.body, signature), 200);
          expect(await stateOf(service, signature)).to.equal("settled");
          expect(await charged()).to.equal(way.price);
        });

        // x402's own facilitator refuses these, whatever the token does.
        const ours = works === undefined ? it : () => {};
        ours(
          "a payment from an account whose delegated code answers for no signature needs a token that asks for none",
          async () => {
            const signature = await buyerOnChain(world, MUTE, way).sign(await purchase.challenge());
            const answer = await service.verify(purchase.body, signature);
            // Permit2 asks the code of every account that has some.
            if (way.method === "permit2") expectUnpaid(answer, "refused");
            else expectStatus(answer, 200);
            expect(await charged()).to.equal(way.method === "permit2" ? 0n : way.price);
          },
        );
      });
  });
