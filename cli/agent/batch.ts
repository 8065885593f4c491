/**
 * The agent's account as a wallet that takes `wallet_sendCalls` (EIP-5792): approval and trade by one signature, in one
 * transaction, all of it or nothing. Its code is delegated by EIP-7702; on the local chain the agent sets that up itself,
 * once an account, and uses the account's development key for it.
 */
import {
  AbiCoder,
  Contract,
  getAddress,
  Interface,
  type TransactionResponse,
  toQuantity,
  type Wallet,
} from "ethers";
import { type PreparedExecution, type WalletCall, walletCallsOf } from "../../client/client.ts";
import { LocalBatchAccount__factory } from "../../types/contracts/factories/devnet/contracts/LocalBatchAccount__factory.ts";
import { Mistrust } from "./checks.ts";
import { send } from "./wallet.ts";

/** ERC-7821: one batch, of which nothing stays when a call of it fails. */
const BATCH_MODE = `0x01${"00".repeat(31)}`;
const ACCOUNT = new Interface([
  "function execute(bytes32 mode, bytes executionData) payable",
  "function supportsExecutionMode(bytes32 mode) view returns (bool)",
]);
/** What an account's code begins with that is delegated by EIP-7702; the address of the code follows. */
const DELEGATED = "0xef0100";

/**
 * Makes the calls of a prepared and checked trade, at once.
 * @param log told of the set-up, where the account needs one
 * @throws Error for an account whose code takes no batch, and with the guard's own error where it refuses the trade
 */
export async function sendBatch(
  owner: Wallet,
  execution: PreparedExecution,
  log: (line: string) => void,
): Promise<TransactionResponse> {
  const walletCalls = walletCallsOf(execution);
  const { chainId } = await owner.provider!.getNetwork();
  if (walletCalls.from !== owner.address || walletCalls.chainId !== toQuantity(chainId))
    throw new Mistrust("The batch is for another account or chain.");
  await delegated(owner, log);
  return send(owner, { to: owner.address, data: batchData(walletCalls.calls) });
}

function batchData(calls: readonly WalletCall[]): string {
  const list = calls.map(({ to, value, data }) => [to, value, data]);
  const executionData = AbiCoder.defaultAbiCoder().encode(["tuple(address,uint256,bytes)[]"], [list]);
  return ACCOUNT.encodeFunctionData("execute", [BATCH_MODE, executionData]);
}

/** Leaves an account behind whose code takes a batch. */
async function delegated(owner: Wallet, log: (line: string) => void): Promise<void> {
  const code = await owner.provider!.getCode(owner.address);
  if (code === "0x") await delegate(owner, log);
  const takesBatches = await new Contract(owner.address, ACCOUNT, owner)
    .getFunction("supportsExecutionMode")
    .staticCall(BATCH_MODE)
    .catch(() => false);
  if (takesBatches !== true)
    throw new Error(
      `The code of ${owner.address}${codeName(code)} takes no batch (ERC-7821); run without --batch.`,
    );
}

function codeName(code: string): string {
  return code.startsWith(DELEGATED) ? `, which is that of ${getAddress(`0x${code.slice(8)}`)},` : "";
}

/** Once an account: its code is on the chain, and the account points at it. */
async function delegate(owner: Wallet, log: (line: string) => void): Promise<void> {
  const deployed = await new LocalBatchAccount__factory(owner).deploy();
  await deployed.waitForDeployment();
  const address = await deployed.getAddress();
  const nonce = await owner.getNonce();
  // The transaction that carries the authorization uses up a nonce before it counts.
  const authorization = await owner.authorize({ address, nonce: nonce + 1 });
  const sent = await owner.sendTransaction({
    type: 4,
    nonce,
    to: owner.address,
    authorizationList: [authorization],
    gasLimit: 100_000n,
  });
  await sent.wait();
  log(
    `6. set up     ${owner.address} (a local development key) uses the code of LocalBatchAccount ${address} from now on (EIP-7702), in ${sent.hash}`,
  );
}
