/** Root hooks of a mocha run: what the run started, it ends. */
import { stopPostgresServer } from "./postgres.ts";
import { stopSharedWorld } from "./world.ts";

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopSharedWorld();
    await stopPostgresServer();
  },
};
