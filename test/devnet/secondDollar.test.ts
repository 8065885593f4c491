/** The second dollar of the local world is paid by the published Permit2 and a substitute for x402's proxy. */
import {
  PERMIT2_ADDRESS,
  permit2WitnessTypes,
  x402ExactPermit2ProxyABI,
  x402ExactPermit2ProxyAddress,
} from "@x402/evm";
import { expect } from "chai";
import { Contract, Interface, type InterfaceAbi, TypedDataEncoder } from "ethers";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../../api/payments/typedData.ts";
import { LocalExactPermit2Proxy__factory } from "../../types/contracts/factories/devnet/contracts/LocalExactPermit2Proxy.sol/LocalExactPermit2Proxy__factory.ts";
import { PERMIT_WITNESS_TRANSFER, permit2Domain } from "../support/dollars.ts";
import { failureOf } from "../support/failure.ts";
import { testWorld } from "../support/world.ts";

const PERMIT = (amount: bigint) => {
  return { permitted: { token: PERMIT2, amount }, nonce: 1n, deadline: 2n ** 40n };
};

describe("the second dollar of the local world", () => {
  const world = testWorld();
  const proxy = () => new Contract(EXACT_PERMIT2_PROXY, LocalExactPermit2Proxy__factory.abi, world.provider);

  it("has 18 decimals, and no EIP-3009", async () => {
    const abi = [
      "function decimals() view returns (uint8)",
      "function symbol() view returns (string)",
      "function authorizationState(address, bytes32) view returns (bool)",
    ];
    const token = new Contract(world.token("USDT"), abi, world.provider);
    const ask = (name: string, ...args: unknown[]) => token.getFunction(name).staticCall(...args);
    expect([await ask("decimals"), await ask("symbol")]).to.deep.equal([18n, "USDT"]);
    await failureOf(ask("authorizationState", PERMIT2, `0x${"00".repeat(32)}`));
  });

  it("is moved by Permit2 at its address, whose signatures are bound to this chain and address", async () => {
    expect([PERMIT2, EXACT_PERMIT2_PROXY]).to.deep.equal([PERMIT2_ADDRESS, x402ExactPermit2ProxyAddress]);
    const abi = ["function DOMAIN_SEPARATOR() view returns (bytes32)"];
    const separator = new Contract(PERMIT2, abi, world.provider).getFunction("DOMAIN_SEPARATOR");
    expect(await separator.staticCall()).to.equal(TypedDataEncoder.hashDomain(permit2Domain(world)));
    expect(PERMIT_WITNESS_TRANSFER).to.deep.equal(permit2WitnessTypes);
  });

  it("is paid through a stand-in that has every function and event of the published interface", async () => {
    const ours = new Interface(LocalExactPermit2Proxy__factory.abi);
    const theirs = new Interface(x402ExactPermit2ProxyABI as unknown as InterfaceAbi);
    theirs.forEachFunction(({ selector, name }) =>
      expect(ours.getFunction(selector)?.name, name).to.equal(name),
    );
    theirs.forEachEvent(({ topicHash, name }) => expect(ours.getEvent(topicHash)?.name, name).to.equal(name));
    expect(await proxy().getFunction("PERMIT2").staticCall()).to.equal(PERMIT2);
  });

  it("is not paid early, without an amount, a payer or a payee, or by a permit for another amount", async () => {
    const [payer, nobody] = [world.accounts.users[0]!.address, `0x${"00".repeat(20)}`];
    const witness = { to: PERMIT2, validAfter: 0n };
    const [r, s] = [`0x${"00".repeat(32)}`, `0x${"00".repeat(32)}`];
    const permit2612 = { value: 2n, deadline: 0n, r, s, v: 27 };
    for (const [name, args, error] of [
      ["settle", [PERMIT(0n), payer, witness, "0x"], "InvalidAmount"],
      ["settle", [PERMIT(1n), nobody, witness, "0x"], "InvalidOwner"],
      ["settle", [PERMIT(1n), payer, { ...witness, to: nobody }, "0x"], "InvalidDestination"],
      ["settle", [PERMIT(1n), payer, { ...witness, validAfter: 2n ** 40n }, "0x"], "PaymentTooEarly"],
      ["settleWithPermit", [permit2612, PERMIT(1n), payer, witness, "0x"], "Permit2612AmountMismatch"],
    ] as const) {
      const { revert } = await failureOf(
        proxy()
          .getFunction(name)
          .staticCall(...args),
      );
      expect(revert?.name).to.equal(error);
    }
  });
});
