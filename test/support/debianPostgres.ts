/** A PostgreSQL server by Debian's programs, which include pg_dump and pg_restore of its version. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../../workshop/rehearse/topology/packages.ts";
import { postgresServer } from "../../workshop/rehearse/topology/postgres.ts";
import { freePort } from "./ports.ts";
import { lacking } from "./suite.ts";

/** Without Debian's programs the test is skipped. */
export async function startDebianPostgres(test: Mocha.Context) {
  const programs =
    findPostgres() ?? lacking(test, "PostgreSQL is not installed (apt-get install postgresql)");
  const folder = mkdtempSync(join(tmpdir(), "assay-postgres-"));
  // The server's user has to enter it.
  chmodSync(folder, 0o755);
  const server = postgresServer(programs, { folder, port: await freePort() });
  await server.create();
  await server.start();
  return {
    async createEmptyDatabase(name: string): Promise<string> {
      await server.ask(`create database ${name}`);
      return server.url(name);
    },
    async [Symbol.asyncDispose]() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
