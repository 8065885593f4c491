/** `npm run chain`: the local chain and its market alone. Ctrl-C or SIGTERM ends it; a second start goes on. */
import { resolve } from "node:path";
import { environment } from "../api/settings/environment.ts";
import { describeAccounts } from "./accounts.ts";
import { ChainStartError } from "./chain/errors.ts";
import { systemClock } from "./clock.ts";
import { startLocalWorld } from "./localWorld.ts";

const log = (line: string) => console.log(line);

class SettingError extends Error {}

function portFrom(text: string | undefined): number {
  const port = Number(text ?? 8545);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SettingError(`RPC_PORT must be a port number, not "${text}".`);
}

async function main(): Promise<void> {
  const env = environment();
  const world = await startLocalWorld({
    dataDir: resolve(env.DATA_DIR ?? "./data"),
    port: portFrom(env.RPC_PORT),
    clock: systemClock,
    log,
  });
  log(`Local chain ${world.chainId} on ${world.url}. Its market is a simulation.`);
  log("Accounts of the development mnemonic:");
  for (const line of describeAccounts()) log(line);
  process.send?.({ type: "ready", url: world.url });

  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    log("Stopping the local chain…");
    await world.stop();
    process.exit(0);
  };
  // Ctrl-C reaches a parent too, and it may want the chain a little longer: then SIGTERM is its word.
  process.on("SIGINT", () => process.send === undefined && end());
  process.on("SIGTERM", end);
  // A parent that is gone cannot stop us any more.
  process.on("disconnect", end);
}

main().catch((error: unknown) => {
  console.error(error instanceof ChainStartError || error instanceof SettingError ? error.message : error);
  process.exit(1);
});
