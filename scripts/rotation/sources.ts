/** What is known of the service beside the chain: its database and its own word. Each may be out of reach from here. */
import { existsSync } from "node:fs";
import { z } from "zod";
import { parseDatabaseUrl } from "../../api/settings/config.ts";
import type { Environment } from "../../api/settings/environment.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { type Database, isPostgres, openDatabase, sqlitePath } from "../../database/open.ts";

/** One that was handed out and that a guard would still take. */
export type PreparedCertificate = Awaited<ReturnType<typeof preparedCertificates>>[number];

export interface RotationSources {
  /** @returns null when the database cannot be reached from here */
  certificates(of: { chainId: number; guard: string; now: number }): Promise<PreparedCertificate[] | null>;
  /** @returns null when the service cannot be reached from here, or is no such service */
  service(baseUrl: string): Promise<ServiceKeys | null>;
}

const ServiceKeys = z.object({ signer: Address, waiting: Address.nullable() });
export type ServiceKeys = z.infer<typeof ServiceKeys>;
const Ready = z.object({ attestation: ServiceKeys });

const SERVICE_TIMEOUT_MS = 5_000;

export function rotationSources(env: Environment, ask: typeof fetch): RotationSources {
  return {
    async certificates(of) {
      try {
        const url = parseDatabaseUrl(env).reveal();
        // Opening would make an empty one.
        if (!isPostgres(url) && !existsSync(sqlitePath(url))) return null;
        await using db = openDatabase(url);
        return await preparedCertificates(db, of);
      } catch {
        // Unreachable, of another version, or not set up here: the admin sees that nothing is known.
        return null;
      }
    },
    async service(baseUrl) {
      try {
        const answer = await ask(new URL("/readyz", baseUrl), {
          signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
        });
        return Ready.parse(await answer.json()).attestation;
      } catch {
        return null;
      }
    },
  };
}

/** Longer than a certificate can live (300 s): what was made before needs no look. */
const LOOK_BACK_SECONDS = 900;

const Execution = z.object({
  certificate: z.object({ signer: Address }),
  guardCall: z.object({ chainId: z.int(), to: Address }),
});

/**
 * Not expired, not executed, for this guard; the next to expire first.
 * @param now unix seconds, of the chain
 */
async function preparedCertificates(
  db: Database,
  { chainId, guard, now }: { chainId: number; guard: string; now: number },
) {
  const rows = await db
    .selectFrom("reports")
    .select(["job_id", "version", "execution", "deadline"])
    .where("kind", "=", "prepare")
    .where("created_at", ">=", now - LOOK_BACK_SECONDS)
    .where("deadline", ">=", now)
    .where("execution", "is not", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("executions")
            .select("executions.id")
            .whereRef("executions.job_id", "=", "reports.job_id")
            .whereRef("executions.report_version", "=", "reports.version")
            .where("executions.state", "=", "confirmed"),
        ),
      ),
    )
    .orderBy("deadline")
    .execute();
  return rows.flatMap(({ job_id, version, execution, deadline }) => {
    const { certificate, guardCall } = Execution.parse(JSON.parse(execution as string));
    if (guardCall.chainId !== chainId || guardCall.to !== guard) return [];
    // The last second, unix time, at which the prepared trade can be executed.
    return [{ jobId: job_id, version, signer: certificate.signer, deadline: deadline as number }];
  });
}
