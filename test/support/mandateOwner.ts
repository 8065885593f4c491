/** An owner at a local chain who types `assay mandate`: the terms of a mandate, Safes, and what was granted. */
import { Contract, Wallet, ZeroAddress } from "ethers";
import type { PlainCall } from "../../attestor/evm/reads.ts";
import { readMandate } from "../../chain/guard/mandates.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { ownerCall, SAFE } from "../../chain/mandates/calls.ts";
import { SAFE_CONTRACTS } from "../../devnet/artifacts.ts";
import { adminsOf, type FakeAdmin, keys, typedBy } from "./admin.ts";
import { expectSaid } from "./said.ts";
import type { TestWorld } from "./world.ts";

/** In a suite's own function. */
export function mandateOwner(chain: TestWorld) {
  const ownersAt = adminsOf(chain, () => ({
    accounts: keys(user(3).privateKey, user(4).privateKey),
    now: chain.clock.now,
  }));
  let here: FakeAdmin;
  const user = (index: number) => chain.accounts.users[index]!;
  const [owner, revoker, agent, second] = [
    () => user(3).address,
    () => user(4).address,
    () => user(5).address,
    () => user(6).address,
  ];
  before(async () => {
    here = await ownersAt();
  });

  /** What is typed after `assay mandate`. */
  const run = (line: string, as = here) => typedBy(as, `mandate ${line}`);
  /** That must succeed, and say these. */
  const done = async (line: string, ...words: string[]) => expectSaid(await run(line), 0, ...words);
  const terms = () =>
    `--agent ${agent()} --stocks AAPLx,TSLAx:2.5 --per-trade 100 --per-day 500 --budget 5000`;
  const moduleHere = () => mandateContracts(chain.deployment.guard).module.address;
  const wallet = (index: number) => new Wallet(user(index).privateKey, chain.provider);
  const send = async (index: number, call: PlainCall) => (await wallet(index).sendTransaction(call)).wait();
  /** As the Safe, by its only owner. */
  const asSafe = (safe: string, { to, data }: PlainCall) =>
    send(3, ownerCall(safe, owner(), { to, data, operation: 0 }));
  const made = (text: string) => /make the Safe (0x\w{40})/.exec(text)?.[1] as string;
  const granted = async (safe: string, to = agent()) =>
    readMandate(chain.provider, { module: moduleHere(), safe, agent: to });
  const blocks = () => chain.provider.getBlockNumber();
  const create = async (more = "", its = terms()) =>
    made(await done(`create --owner ${owner()} ${its} ${more} --execute`));

  async function plainSafe(owners: string[], threshold: bigint): Promise<string> {
    const nobody = [ZeroAddress, "0x", SAFE.fallbackHandler, ZeroAddress, 0, ZeroAddress];
    const setup = SAFE_CONTRACTS.singleton.abi.encodeFunctionData("setup", [owners, threshold, ...nobody]);
    const make = new Contract(SAFE.factory, SAFE_CONTRACTS.factory.abi, wallet(8)).getFunction(
      "createProxyWithNonce",
    );
    const address = await make.staticCall(SAFE.singleton, setup, 7n);
    await (await make.send(SAFE.singleton, setup, 7n)).wait();
    return address;
  }

  return {
    ownersAt,
    user,
    owner,
    revoker,
    agent,
    second,
    run,
    done,
    terms,
    moduleHere,
    wallet,
    send,
    asSafe,
    made,
    granted,
    blocks,
    create,
    plainSafe,
    here: () => here,
  };
}
