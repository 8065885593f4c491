/** The service as several processes on one database, each with a role, as an operator runs them. */
import { randomBytes } from "node:crypto";
import type { Selectable } from "kysely";
import { createKeys } from "../../api/keys/keys.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { type Answer, APPLICANT, answerOf, json } from "./http.ts";
import { recordLiquidity } from "./liquidity.ts";
import { type Program, start } from "./programs.ts";
import { purchaseIn, type TestWorld } from "./world.ts";

export interface Replica {
  readonly url: string;
  readonly program: Program;
  /** From the start of the process until it served, in milliseconds. */
  readonly startedMs: number;
}

export type Replicas = Awaited<ReturnType<typeof openReplicas>>;

/** @param env of all processes */
export async function openReplicas(world: TestWorld, databaseUrl: string, env: Record<string, string> = {}) {
  const db = openDatabase(databaseUrl);
  const { key } = await createKeys({ db, now: Date.now, randomBytes }).create(APPLICANT, "test");
  await recordLiquidity(world, db);
  const programs: Program[] = [];
  let jobs = 0;
  return {
    db,
    /** @param own such as RPC_URL, of this process alone */
    async start(role: "api" | "worker" | "all", own: Record<string, string> = {}): Promise<Replica> {
      const from = performance.now();
      // The local world's own start, where the work is done: it has a market to collect.
      const script = role === "api" ? "api/server.ts" : "devnet/api.ts";
      const program = start(script, [], {
        ROLE: role,
        PORT: "0",
        DATA_DIR: world.dataDir,
        DATABASE_URL: databaseUrl,
        RPC_URL: world.url,
        ATTESTOR_PRIVATE_KEY: world.accounts.attestation.privateKey,
        KEY_LIMIT_PER_MINUTE: "1000000",
        ADDRESS_LIMIT_PER_MINUTE: "1000000",
        LOG_LEVEL: "info",
        // Many tests share a machine's two cores.
        LOG_WAIT_MS: "20000",
        ...env,
        ...own,
      });
      programs.push(program);
      await program.printed(role === "worker" ? "in the background" : "Assay ");
      const url = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(program.output())?.[0];
      if (url === undefined) throw new Error(`no address in:\n${program.output()}`);
      return { url, program, startedMs: performance.now() - from };
    },
    /** With an API key of this service. */
    async call({ url }: { readonly url: string }, path: string, body?: unknown): Promise<Answer> {
      const init: RequestInit = body === undefined ? {} : json(body);
      const headers = { ...(init.headers as Record<string, string>), "x-api-key": key };
      return answerOf(await fetch(new URL(path, url), { ...init, headers }));
    },
    /** A body for POST /v1/jobs that STRICT_LIVE allows. */
    jobBody: () => ({ clientRequestId: `replicas-${++jobs}`, ...purchaseIn(world) }),
    /** Ends all that still runs, at once. */
    async stop() {
      // One that was frozen would not die of it.
      for (const program of programs) program.kill("SIGCONT");
      await Promise.all(programs.map((program) => program.crash()));
      await db.destroy();
    },
  };
}

export type LeaseRow = Pick<Selectable<Schema["leases"]>, "name" | "holder" | "epoch">;

/** By name. */
export async function leases(db: Database): Promise<Map<string, LeaseRow>> {
  const rows = await db.selectFrom("leases").select(["name", "holder", "epoch"]).execute();
  return new Map(rows.map((row) => [row.name, row]));
}

/** Whether a lease is a process's; those of this machine name their process. */
export const isOf = ({ holder }: LeaseRow, { program }: Replica): boolean =>
  holder.split(" ")[1] === String(program.process.pid);
