/** The local chain in a process and a folder of its own, for as long as a bench takes. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../api/metrics/logger.ts";
import { startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import { type Environment, environment } from "../../api/settings/environment.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import type { LocalFile } from "../../devnet/localFile.ts";
import { prepareLocal } from "../../devnet/service.ts";

/** @param use gets the chain's DATA_DIR and its JSON-RPC; both are gone when it is over, however it ends */
export async function withLocalChain(use: (folder: string, url: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "assay-bench-"));
  const chain = fork(join(import.meta.dirname, "../../devnet/chain.ts"), [], {
    env: { ...environment(), DATA_DIR: folder, RPC_PORT: "0" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  try {
    const [{ url }] = (await once(chain, "message")) as [{ url: string }];
    await use(folder, url);
  } finally {
    chain.kill("SIGTERM");
    await once(chain, "exit");
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The service in this process, on that chain; its limits do not count, and its log is switched off.
 * @param folder of the chain
 * @param env settings beyond, or instead
 */
export async function startOn(
  folder: string,
  rpcUrl: string,
  env: Environment = {},
  options: Omit<Parameters<typeof startServer>[1], "logger"> = {},
) {
  const config = parseConfig({
    DATA_DIR: folder,
    PORT: "0",
    RPC_URL: rpcUrl,
    ATTESTOR_PRIVATE_KEY: localAccounts().attestation.privateKey,
    KEY_LIMIT_PER_MINUTE: "1000000",
    ADDRESS_LIMIT_PER_MINUTE: "1000000",
    ...env,
  });
  const server = await startServer(config, { ...options, logger: createLogger({ level: "silent" }) });
  return { server, local: await prepareLocal({ config, server, log: () => {} }) };
}

/** A buy of AAPLx. @param n each its own amount, so that no two share a quote */
export const tradeOf = ({ chainId, tokens }: Pick<LocalFile, "chainId" | "tokens">, n: number) => ({
  ownerAddress: localAccounts().agent.address,
  inputAssetKey: `eip155:${chainId}:${tokens.USDL}`,
  outputAssetKey: `eip155:${chainId}:${tokens.AAPLx}`,
  amountInRaw: String(250_000_000 + n),
  policyId: "STRICT_LIVE",
  maxSlippageBps: 50,
});
