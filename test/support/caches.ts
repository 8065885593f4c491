/** Parts of the service that a test opens by themselves. */
import type { JsonRpcProvider } from "ethers";
import { type Caches, createCaches } from "../../chain/caches.ts";
import { createChain } from "../../chain/chain.ts";
import type { TestWorld } from "./world.ts";

export const ownCaches = (): Caches => createCaches(() => performance.now());

/** What is read of a world through a provider. */
export const chainBehind = (
  { deployment }: Pick<TestWorld, "deployment">,
  provider: JsonRpcProvider,
  warn?: (line: string) => void,
) =>
  createChain({
    caches: ownCaches(),
    provider,
    deployment,
    offchain: null,
    attestorFor: (signer) => signer,
    sessionAt: () => null,
    ...(warn && { warn }),
  });
