/** The two dollars of the local world: balances, transfers, and what signatures for them are made over. */
import { Contract, MaxUint256, type Wallet } from "ethers";
import { PERMIT2 } from "../../api/payments/typedData.ts";
import { walletOf } from "./service.ts";
import type { TestWorld } from "./world.ts";

/** Lets Permit2 take the second dollar from users of the world, by transactions of their own. */
export async function approvePermit2(
  world: TestWorld,
  wallets: readonly Wallet[] = world.accounts.users.map((_, index) => walletOf(world, index)),
  amount: bigint = MaxUint256,
): Promise<void> {
  for (const wallet of wallets) await mined(tokenOf(world, "USDT", wallet), "approve", PERMIT2, amount);
}

/** A token of the world, as a wallet sees it. */
export const tokenOf = (world: TestWorld, symbol: string, wallet?: Wallet): Contract =>
  new Contract(world.token(symbol), ERC20, wallet ?? world.provider);

const ERC20 = [
  "function allowance(address,address) view returns (uint256)",
  "function approve(address,uint256) returns (bool)",
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address,uint256) returns (bool)",
  "function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)",
  "function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
];

/** Resolves when the transaction that calls a contract is mined. */
export async function mined(contract: Contract, name: string, ...args: unknown[]): Promise<void> {
  await (await contract.getFunction(name).send(...args)).wait();
}

/** Raw units of local dollars, or of the second one. */
export const dollarsOf = (world: TestWorld, account: string, symbol = "USDL"): Promise<bigint> =>
  tokenOf(world, symbol).getFunction("balanceOf").staticCall(account);

/** What the service has been paid on the chain, raw units. */
export const income = (world: TestWorld, { symbol } = { symbol: "USDL" }): Promise<bigint> =>
  dollarsOf(world, world.accounts.payee.address, symbol);

/** EIP-712 of the local dollar. */
export const dollarDomain = (world: TestWorld) => ({
  name: "Local Dollar",
  version: "1",
  chainId: world.deployment.chainId,
  verifyingContract: world.token("USDL"),
});

/** EIP-712 of Permit2. */
export const permit2Domain = (world: TestWorld) => ({
  name: "Permit2",
  chainId: world.deployment.chainId,
  verifyingContract: PERMIT2,
});

const fields = (members: string) =>
  members.split(", ").map((member) => {
    const [type = "", name = ""] = member.split(" ");
    return { name, type };
  });

export const TRANSFER_AUTHORIZATION = {
  TransferWithAuthorization: fields(
    "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce",
  ),
};
export const CANCEL_AUTHORIZATION = { CancelAuthorization: fields("address authorizer, bytes32 nonce") };
export const PERMIT_WITNESS_TRANSFER = {
  PermitWitnessTransferFrom: fields(
    "TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline, Witness witness",
  ),
  TokenPermissions: fields("address token, uint256 amount"),
  Witness: fields("address to, uint256 validAfter"),
};
