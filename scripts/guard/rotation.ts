/** Whether a new attestation key may be: somebody holds it, and it holds nothing else. */

import { existsSync } from "node:fs";
import { getAddress, ZeroAddress } from "ethers";
import { z } from "zod";
import { parseDatabaseUrl } from "../../api/settings/config.ts";
import { isDevelopmentKey } from "../../api/settings/developmentKeys.ts";
import type { Environment } from "../../api/settings/environment.ts";
import { isProofSound, KeyProof } from "../../attestor/certificate/keyProof.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { named } from "../../chain/guard/adminCalls.ts";
import { rolesOf } from "../../chain/guard/manager.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { type Database, isPostgres, openDatabase, sqlitePath } from "../../database/open.ts";
import type { HistoryEntry } from "../admin/records.ts";
import type { Session } from "../admin/session.ts";
import { Refused, Unusable } from "../errors.ts";
import { parseJson, readText } from "../files.ts";

/** @throws Unusable */
export async function readProof(path: string): Promise<KeyProof> {
  const text = await readText(path);
  if (text === null) throw new Unusable(`${path} cannot be read: it does not exist.`);
  // npm puts its own lines before what a script prints.
  return parseJson(path, text.slice(Math.max(0, text.indexOf("{"))), KeyProof);
}

/**
 * A key that judges trades has no other power over the guard, and is known to its holder alone.
 * @throws Refused; UpstreamUnavailable
 */
export async function assertNewSigner(
  { connection, place }: Pick<Session, "connection" | "place">,
  roles: GuardRoles,
  proof: KeyProof,
): Promise<void> {
  const { signer } = proof;
  const refuse = (why: string): never => {
    throw new Refused(`${signer} cannot become the attestation key: ${why}.`);
  };
  if (signer === ZeroAddress) refuse("it is the zero address");
  if (proof.chainId !== connection.chainId)
    refuse(`its proof is for chain ${proof.chainId}, and this is ${connection.chainId}`);
  if (proof.guard !== getAddress(place.guard))
    refuse(`its proof is for the guard ${proof.guard}, and this one is ${place.guard}`);
  if (!isProofSound(proof, connection.chainId, place.guard))
    refuse("the signature of its proof is by another key");
  if ([roles.guard, roles.manager, roles.executor].includes(signer))
    refuse("it is one of the guard's own contracts");
  const [held] = (await rolesOf(connection.provider, roles.manager, signer, roles.block)).keys();
  if (held !== undefined) refuse(`it is ${named(held)}, and the judge of trades must have no other power`);
  if (connection.live && isDevelopmentKey(signer)) refuse("everybody has this development key");
}

/** What `/readyz` says of the keys that a service holds. */
const ServiceKeys = z.object({ signer: Address, waiting: Address.nullable() });
type ServiceKeys = z.infer<typeof ServiceKeys>;
const Ready = z.object({ attestation: ServiceKeys });

const SERVICE_TIMEOUT_MS = 5_000;

/** @returns null when the service cannot be reached from here, or is no such service */
export async function keysOfService(baseUrl: string, ask: typeof fetch): Promise<ServiceKeys | null> {
  try {
    const signal = AbortSignal.timeout(SERVICE_TIMEOUT_MS);
    const answer = await ask(new URL("/readyz", baseUrl), { signal });
    return Ready.parse(await answer.json()).attestation;
  } catch {
    return null;
  }
}

/** One that was handed out and that a guard would still take. */
interface PreparedCertificate {
  readonly jobId: string;
  readonly version: number;
  readonly signer: string;
  /** The last second, unix time, at which the prepared trade can be executed. */
  readonly deadline: number;
}

/**
 * Not expired, not executed, for this guard; the next to expire first.
 * @returns null when the database of the settings cannot be reached from here
 */
export async function preparedCertificates(
  settings: Environment,
  chainId: number,
  { guard, blockTime }: Pick<GuardRoles, "guard" | "blockTime">,
): Promise<PreparedCertificate[] | null> {
  try {
    const url = parseDatabaseUrl(settings).reveal();
    // Opening would make an empty one.
    if (!isPostgres(url) && !existsSync(sqlitePath(url))) return null;
    await using db = openDatabase(url);
    return await certificatesIn(db, { chainId, guard, now: blockTime });
  } catch {
    // Unreachable, of another version, or not set up here: the admin sees that nothing is known.
    return null;
  }
}

/** Longer than a certificate can live (300 s): what was made before needs no look. */
const LOOK_BACK_SECONDS = 900;

const Execution = z.object({
  certificate: z.object({ signer: Address }),
  guardCall: z.object({ chainId: z.int(), to: Address }),
});

/** @param now unix seconds, of the chain */
async function certificatesIn(
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

const MOST_LINES = 10;
const INDENT = " ".repeat(9);

/**
 * Which prepared trades the rotation ends: the guard refuses certificates of the old key from its block on.
 * @param certificates null: not known
 */
export function certificateLines(
  certificates: readonly PreparedCertificate[] | null,
  roles: GuardRoles,
): string[] {
  if (certificates === null)
    return [
      "Prepared not known here (no database at DATABASE_URL): trades that were prepared within the last 300 seconds have to be prepared again",
    ];
  const ending = certificates.filter(({ signer }) => signer === roles.signer);
  if (ending.length === 0) return ["Prepared no certificate could be executed now"];
  const lines = ending.slice(0, MOST_LINES).map(({ jobId, version, deadline }) => {
    const left = deadline - roles.blockTime;
    return `${INDENT}ends: ${jobId} version ${version}, which had ${left} seconds more`;
  });
  if (ending.length > MOST_LINES) lines.push(`${INDENT}ends: ${ending.length - MOST_LINES} more`);
  const [certificate, end, agents] =
    ending.length === 1 ? ["certificate", "ends", "its agent"] : ["certificates", "end", "their agents"];
  return [
    `Prepared ${ending.length} ${certificate} could be executed now and ${end} with the rotation: ${agents} must prepare again`,
    ...lines,
  ];
}

/** @param keys null: the service does not answer */
export function serviceLine(baseUrl: string, keys: ServiceKeys | null, newSigner: string): string {
  if (keys === null) return `Service  ${baseUrl} does not say which key it holds`;
  if (keys.signer === newSigner) return `Service  ${baseUrl} already signs with the new key`;
  if (keys.waiting === newSigner)
    return `Service  ${baseUrl} holds the new key and signs with it as soon as the guard names it`;
  return `Service  ${baseUrl} signs with ${keys.signer} and does NOT hold the new key: after the rotation it denies every trade until it is restarted with that key`;
}

/** A proof says that the key was available when it was made. */
const FRESH_SECONDS = 24 * 3_600;

/**
 * What an admin should look at before an address is trusted.
 * @param history of this guard
 * @param now unix seconds
 */
export function proofWarnings(
  { signer, provedAt }: Pick<KeyProof, "signer" | "provedAt">,
  history: readonly Pick<HistoryEntry, "at" | "call" | "outcome">[],
  now: number,
): string[] {
  const warnings: string[] = [];
  if (now - provedAt > FRESH_SECONDS)
    warnings.push(
      `the proof is ${Math.floor((now - provedAt) / FRESH_SECONDS)} day(s) old: make a new one where the key is (assay keystore prove)`,
    );
  if (provedAt - now > FRESH_SECONDS)
    warnings.push("the proof is from the future: one of the clocks is wrong");
  const before = history.filter(
    ({ call: { name, args }, outcome }) =>
      outcome === "confirmed" &&
      ((name === "rotateSigner" && args[0] === signer) || (name === "constructor" && args[2] === signer)),
  );
  if (before.length > 0)
    warnings.push(
      `${signer} was the attestation key before (since ${before.at(-1)!.at}): others may know an old key`,
    );
  return warnings;
}
