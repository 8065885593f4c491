/** The receipts of a real chain's blocks, compared with the root in their header. */
import { expect } from "chai";
import { type TransactionRequest, Wallet, ZeroAddress } from "ethers";
import { headerOf, readHeader } from "../../../attestor/proofs/header.ts";
import { receiptsRoot } from "../../../attestor/proofs/receipts.ts";
import { testWorld } from "../../support/world.ts";

describe("the receipts of a block", () => {
  const world = testWorld();

  /** Of every type, one that reverts, and more than 128, so that keys of two bytes are among them. */
  async function mixedBlock(): Promise<number> {
    const wallet = new Wallet(world.accounts.users[3]!.privateKey);
    const { chainId, request, mine } = world.chain;
    const first = Number(await request("eth_getTransactionCount", [wallet.address, "latest"]));
    const other = new Wallet(world.accounts.users[4]!.privateKey);
    const nonce = Number(await request("eth_getTransactionCount", [other.address, "latest"]));
    const authorization = { address: ZeroAddress, nonce, chainId };
    const token = world.token("USDL");
    const approve = `0x095ea7b3${wallet.address.slice(2).padStart(64, "0")}${"1".padStart(64, "0")}`;
    const common = { chainId, to: other.address, gasLimit: 80_000n };
    const [legacy, capped] = [
      { gasPrice: 10n ** 11n },
      { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 0n },
    ];
    const chosen: TransactionRequest[] = [
      { ...common, ...legacy, type: 0, to: token, data: approve },
      { ...common, ...legacy, type: 1, accessList: [] },
      { ...common, ...capped, type: 2, to: token, data: "0xdeadbeef" },
      { ...common, ...capped, type: 4, authorizationList: [await other.authorize(authorization)] },
      ...Array.from({ length: 130 }, () => ({ ...common, ...capped, type: 2 })),
    ];
    const signed = chosen.map((given, index) => wallet.signTransaction({ ...given, nonce: first + index }));
    const raws = await Promise.all(signed);
    await mine(raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] })));
    return Number(await request("eth_blockNumber"));
  }

  it("of any type lead to the root of its header, and a changed one does not", async () => {
    const last = await mixedBlock();
    const types = new Set<unknown>();
    for (let number = Math.max(0, last - 40); number <= last; number++) {
      const block: any = await world.chain.request("eth_getBlockByNumber", [
        `0x${number.toString(16)}`,
        false,
      ]);
      const asked = block.transactions.map((hash: string) =>
        world.chain.request("eth_getTransactionReceipt", [hash]),
      );
      const receipts: any[] = await Promise.all(asked);
      const header = readHeader(headerOf(block)!);
      expect(receiptsRoot(receipts), `block ${number}`).to.equal(header?.receiptsRoot);
      for (const { type, status } of receipts) types.add(type).add(`status ${status}`);
      for (const [index, receipt] of number === last ? receipts.slice(0, 4).entries() : [])
        for (const change of [{ status: "0x2" }, { cumulativeGasUsed: "0x1" }, { type: "0x7e" }]) {
          const changed = receipts.with(index, { ...receipt, ...change });
          expect(receiptsRoot(changed)).to.not.equal(header?.receiptsRoot);
        }
    }
    expect([...types]).to.include.members(["0x0", "0x1", "0x2", "0x4", "status 0x0", "status 0x1"]);
  });
});
