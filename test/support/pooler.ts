/** A real PgBouncer in transaction mode, by the configuration of docs/run/several-machines.md. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { documentedConfig } from "./configs.ts";
import { startDaemon } from "./debian.ts";
import { freePort } from "./ports.ts";

export type Pooler = Awaited<ReturnType<typeof startPooler>>;

/**
 * Stands before every database of a server of the tests.
 * @param connections to each of them: few, so that clients get those of others all the time
 */
export async function startPooler(
  postgresPort: number,
  { program = "/usr/sbin/pgbouncer", connections = 20 } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "assay-pgbouncer-"));
  // It does not run as root, and reads these as somebody else then.
  await chmod(folder, 0o755);
  const port = await freePort();
  const config = documentedConfig("pgbouncer", [
    ["assay = host=10.0.0.9 port=5432 dbname=assay", `* = host=127.0.0.1 port=${postgresPort}`],
    ["listen_port = 6432", `listen_port = ${port}`],
    ["/etc/pgbouncer/users.txt", join(folder, "users.txt")],
    ["default_pool_size = 20", `default_pool_size = ${connections}`],
  ]);
  await writeFile(join(folder, "pgbouncer.ini"), config);
  await writeFile(join(folder, "users.txt"), '"postgres" "password"\n');
  const args = [...(userInfo().uid === 0 ? ["-u", "nobody"] : []), join(folder, "pgbouncer.ini")];
  const daemon = await startDaemon(program, args, () => answers(port));
  return {
    port,
    async stop() {
      await daemon.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const connectionString = `postgres://postgres:password@127.0.0.1:${port}/postgres`;
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
