/** Nodes of the networks that are paid on: the service's own, and those that the payment options name. */
import type { JsonRpcProvider } from "ethers";
import { chainIdOf } from "../../api/settings/paymentOptions.ts";
import { connectRpc } from "../../chain/rpc.ts";

const TIMEOUT_MS = 10_000;

export type Nodes = ReturnType<typeof createNodes>;

/** @param urls by network, CAIP-2 */
export function createNodes(urls: ReadonlyMap<string, string>) {
  const open = new Map<string, JsonRpcProvider>();
  return {
    /** @param network CAIP-2. @returns null where no node of it is known */
    of(network: string): JsonRpcProvider | null {
      const known = open.get(network);
      const url = urls.get(network);
      if (known !== undefined || url === undefined) return known ?? null;
      const node = connectRpc(url, chainIdOf(network), TIMEOUT_MS);
      open.set(network, node);
      return node;
    },
    close() {
      for (const node of open.values()) node.destroy();
    },
  };
}

export const noNode = (network: string): string =>
  `No node of ${network} is known: set RPC_URL, or rpcUrl in PAYMENT_OPTIONS_FILE.`;
