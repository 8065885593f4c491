/**
 * One order on CoW Protocol's published settlement contract, through the same V2 pool. The package is fetched when
 * the bench runs, because its licence and its old peer dependencies have no place among ours.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Contract, ContractFactory, type InterfaceAbi, ZeroAddress, ZeroHash } from "ethers";
import { AMOUNT } from "../../../test/support/contracts/gas.ts";
import { FOREVER, type World } from "../../../test/support/contracts/world.ts";

const PACKAGE = "@cowprotocol/contracts@1.8.0";
const SHA256 = "ae31f894e8067ba45aa676ee6f95a5415ae3bbaec3f7b0f039471b29158ea5ba";

const ORDER = {
  Order: [
    { name: "sellToken", type: "address" },
    { name: "buyToken", type: "address" },
    { name: "receiver", type: "address" },
    { name: "sellAmount", type: "uint256" },
    { name: "buyAmount", type: "uint256" },
    { name: "validTo", type: "uint32" },
    { name: "appData", type: "bytes32" },
    { name: "feeAmount", type: "uint256" },
    { name: "kind", type: "string" },
    { name: "partiallyFillable", type: "bool" },
    { name: "sellTokenBalance", type: "string" },
    { name: "buyTokenBalance", type: "string" },
  ],
};

interface Artifact {
  readonly abi: InterfaceAbi;
  readonly bytecode: string;
}

/** @throws Error when the package cannot be had or is not the one that was looked at */
function published(names: readonly string[]): Artifact[] {
  const folder = mkdtempSync(join(tmpdir(), "assay-cow-"));
  try {
    const file = execFileSync("npm", ["pack", "--silent", PACKAGE], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    const hash = createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
    if (hash !== SHA256) throw new Error(`${PACKAGE} has another hash than expected: ${hash}`);
    execFileSync("tar", ["xzf", file], { cwd: folder });
    return names.map((name) =>
      JSON.parse(readFileSync(join(folder, `package/lib/contracts/${name}.json`), "utf8")),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gas of the second settlement of the owner, when nothing is cold for the first time any more. */
export async function settleOnCow(world: World): Promise<number> {
  const settlement = await deployCow(world);
  const at = await settlement.getAddress();
  const router = await world.v2Router.getAddress();
  const path = [await world.dollar.getAddress(), await world.stock.getAddress()];
  const solver = settlement.connect(world.relayer) as Contract;
  const none: unknown[] = [];
  const approval = {
    target: path[0],
    value: 0n,
    callData: world.dollar.interface.encodeFunctionData("approve", [router, world.ethers.MaxUint256]),
  };
  await solver.getFunction("settle")(none, none, none, [none, [approval], none]);

  let gasUsed = 0;
  for (const validTo of [2 ** 32 - 1, 2 ** 32 - 2]) {
    const amounts = await world.v2Router.getFunction("getAmountsOut")(AMOUNT, path);
    const bought: bigint = amounts[1];
    const trade = await signedTrade(world, at, path, validTo);
    const callData = world.v2Router.interface.encodeFunctionData("swapExactTokensForTokens", [
      AMOUNT,
      0,
      path,
      at,
      FOREVER,
    ]);
    const swap = { target: router, value: 0n, callData };
    const sent = await solver.getFunction("settle")(path, [bought, AMOUNT], [trade], [none, [swap], none]);
    gasUsed = Number((await sent.wait()).gasUsed);
  }
  return gasUsed;
}

/** The settlement with one solver, the owner's approval and tokens of its own, so that its slots are not empty. */
async function deployCow(world: World): Promise<Contract> {
  const [allowList, settlementArtifact] = published(["GPv2AllowListAuthentication", "GPv2Settlement"]);
  const deploy = async ({ abi, bytecode }: Artifact, ...args: unknown[]) =>
    new Contract(
      await (await new ContractFactory(abi, bytecode, world.admin).deploy(...args)).getAddress(),
      abi,
      world.admin,
    );
  const authenticator = await deploy(allowList!);
  const settlement = await deploy(settlementArtifact!, await authenticator.getAddress(), ZeroAddress);
  await authenticator.getFunction("initializeManager")(await world.admin.getAddress());
  await authenticator.getFunction("addSolver")(await world.relayer.getAddress());
  await world.dollar
    .connect(world.owner)
    .approve(await settlement.getFunction("vaultRelayer")(), world.ethers.MaxUint256);
  const at = await settlement.getAddress();
  for (const token of [world.dollar, world.stock]) await token.mint(at, 10n ** 18n);
  return settlement;
}

/** The owner's order to sell, as the settlement takes it. */
async function signedTrade(world: World, settlement: string, path: readonly string[], validTo: number) {
  const order = {
    sellToken: path[0],
    buyToken: path[1],
    receiver: ZeroAddress,
    sellAmount: AMOUNT,
    buyAmount: 1n,
    validTo,
    appData: ZeroHash,
    feeAmount: 0n,
    kind: "sell",
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20",
  };
  const { chainId } = await world.ethers.provider.getNetwork();
  const signature = await world.owner.signTypedData(
    { name: "Gnosis Protocol", version: "v2", chainId, verifyingContract: settlement },
    ORDER,
    order,
  );
  return { ...order, sellTokenIndex: 0, buyTokenIndex: 1, flags: 0, executedAmount: 0n, signature };
}
