/** Certificates that were handed out and that a guard would still take, from the service's database. */
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import type { Database } from "../../database/open.ts";

export interface PreparedCertificate {
  readonly jobId: string;
  readonly version: number;
  readonly signer: string;
  /** Last second, unix time, at which the prepared trade can be executed. */
  readonly deadline: number;
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
export async function preparedCertificates(
  db: Database,
  { chainId, guard, now }: { chainId: number; guard: string; now: number },
): Promise<PreparedCertificate[]> {
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
    return [{ jobId: job_id, version, signer: certificate.signer, deadline: deadline as number }];
  });
}
