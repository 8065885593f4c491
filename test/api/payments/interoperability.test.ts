/**
 * Other people's x402 with ours, by both methods: the official client and our own pay, and both facilitators settle.
 * Payers are plain accounts and ones with delegated code (EIP-7702), whose own key signs all the same.
 */
import { expect } from "chai";
import { ZeroAddress } from "ethers";
import { signPayment } from "../../../client/client.ts";
import { LocalBatchAccount__factory } from "../../../types/contracts/factories/test/support/contracts/LocalBatchAccount__factory.ts";
import { approvePermit2 } from "../../support/dollars.ts";
import { type Answer, expectStatus, json } from "../../support/http.ts";
import { officialFacilitator } from "../../support/officialFacilitator.ts";
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
import { encodeHeader, expectUnpaid, receiptIn, termsIn, WAYS } from "../../support/x402.ts";

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
          it(`is made by the official client from ${payer}, once though it signs anew`, async () => {
            const first = expectStatus(await buy(index), 200);
            expect(receiptIn(first).payer).to.equal(wallet(index).address);
            const again = expectStatus(await buy(index), 200);
            expect(again.headers.get("idempotent-replayed")).to.equal("true");
            expect(again.body.jobId).to.equal(first.body.jobId);
            expect(await charged()).to.equal(way.price);
          });

        it("is made by this project's client", async () => {
          const challenge = await purchase.challenge();
          const payer = wallet(PLAIN);
          const payment = await signPayment(
            termsIn(challenge),
            {
              address: payer.address,
              signTypedData: ({ domain, types: { EIP712Domain: _, ...types }, message }) =>
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
          "from an account whose delegated code answers for no signature needs a token that asks for none",
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
