/** The way to the chain, checked before anything else is done on it. */
import type { JsonRpcProvider } from "ethers";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { connectRetrying, type Patience } from "../../chain/rpc.ts";
import { Refused } from "../errors.ts";
import { LOCAL_CHAIN_ID } from "./network.ts";
import type { AdminWorld } from "./world.ts";

export interface Connection {
  readonly networkName: string;
  /** What the configuration says and the RPC confirmed. */
  readonly chainId: number;
  /** Not the local chain: what is done here costs money and trust. */
  readonly live: boolean;
  readonly provider: JsonRpcProvider;
}

/**
 * Connects to the network of `--network`, for as long as the work takes.
 * @param again whether to ask the RPC once more after so many failures of one question; three times by default
 * @throws Refused; UpstreamUnavailable when the RPC does not answer
 */
export async function withConnection<T>(
  world: Pick<AdminWorld, "network" | "rpcTimeoutMs" | "sleep" | "dataDir">,
  work: (connection: Connection) => Promise<T>,
  { again = (failures) => failures < 3, onFailure }: Partial<Omit<Patience, "sleep">> = {},
): Promise<T> {
  const { network } = world;
  const { chainId } = network;
  const patience: Patience = { again, onFailure, sleep: (ms) => world.sleep(ms) };
  const url = network.url().reveal();
  const provider = connectRetrying(url, chainId, world.rpcTimeoutMs, patience);
  // Fast enough for a chain that mines at once, and no burden for a public node while one transaction is out.
  provider.pollingInterval = 500;
  try {
    await assertServes(provider, chainId, network.name, world.dataDir);
    return await work({ networkName: network.name, chainId, live: chainId !== LOCAL_CHAIN_ID, provider });
  } finally {
    provider.destroy();
  }
}

async function assertServes(
  provider: JsonRpcProvider,
  chainId: number,
  name: string,
  dataDir: string,
): Promise<void> {
  let seen: bigint;
  try {
    seen = BigInt(await provider.send("eth_chainId", []));
  } catch (error) {
    // The cause may name the address, and with it a provider's key.
    const where =
      chainId === LOCAL_CHAIN_ID
        ? ` Start it with npm run chain, or set RPC_PORT to its port, and DATA_DIR to its folder (now ${dataDir}).`
        : "";
    throw new UpstreamUnavailable(`The RPC of the network "${name}" does not answer.${where}`, {
      cause: error,
    });
  }
  if (seen !== BigInt(chainId))
    throw new Refused(
      `The RPC of the network "${name}" serves chain ${seen}, but the configuration says ${chainId}: nothing was done.`,
    );
}
