/** The local chain in a process and a folder of its own, for as long as a bench takes. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "../../api/settings/environment.ts";

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
