/** `guard rotate-signer`: replaces the attestation key. The guard refuses certificates of the old one from then on. */
import { environment } from "../api/settings/environment.ts";
import { rotateSignerCall } from "../chain/guard/adminCalls.ts";
import { type GuardRoles, readRoles } from "../chain/guard/roles.ts";
import { readLocalFile } from "../devnet/localFile.ts";
import { AdminError, EXIT, type ExitCode } from "./adminErrors.ts";
import type { HistoryEntry } from "./records/history.ts";
import { assertNewSigner, readProof } from "./rotation/proof.ts";
import { certificateLines, proofWarnings, serviceLine } from "./rotation/rotationLines.ts";
import { type RotationSources, rotationSources } from "./rotation/sources.ts";
import type { AdminContext } from "./session/context.ts";
import { type Session, withSession } from "./session/session.ts";
import { type ActArguments, actOptions, carryOut } from "./transactions/carryOut.ts";
import { isoTime } from "./transactions/steps.ts";

/** How long the command watches the service take the new key. */
const WATCH_MS = 10_000;
const WATCH_EVERY_MS = 250;

export interface RotateArguments extends ActArguments {
  readonly proof?: string | undefined;
  readonly service?: string | undefined;
}

/** @returns the exit code */
export async function rotateSigner(
  world: AdminContext,
  args: RotateArguments,
  sources: RotationSources,
): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const proof = await readProof(args.proof);
    const roles = await readRoles(session.connection.provider, session.place.guard);
    await assertNewSigner(session, roles, proof);
    const { signer } = proof;
    const calls = signer === roles.signer ? [] : [rotateSignerCall(roles, signer)];
    const service = args.service ?? (await localService(session));
    if (calls.length > 0) {
      world.print(`Proof    the key of ${signer} is available (signed ${isoTime(proof.provedAt)})`);
      const history = await guardHistory(session);
      for (const warning of proofWarnings(proof, history, Math.floor(world.now() / 1000)))
        world.print(`WARNING  ${warning}`);
      await showConsequences(session, roles, { signer, service }, sources);
      world.print("");
    } else world.print(`${signer} is already the attestation key.`);
    const code = await carryOut(session, roles, calls, options, "guard rotate-signer");
    const isNamed = async () =>
      (await readRoles(session.connection.provider, session.place.guard)).signer === signer;
    if (code === EXIT.ok && options.execute && calls.length > 0 && service !== null && (await isNamed()))
      await watchService(world, sources, service, signer);
    return code;
  });
}

/** An unreadable file is reported and does not stop a rotation. */
async function guardHistory({ world, records, place }: Session): Promise<HistoryEntry[]> {
  try {
    return (await records.readHistory()).filter(({ guard }) => guard === place.guard);
  } catch (error) {
    if (!(error instanceof AdminError)) throw error;
    world.print(`WARNING  ${error.message}`);
    return [];
  }
}

async function localService({ world, connection }: Session): Promise<string | null> {
  const local = connection.live ? null : await readLocalFile(world.dataDir);
  return local?.chainId === connection.chainId ? local.baseUrl : null;
}

interface Rotation {
  readonly signer: string;
  readonly service: string | null;
}

async function showConsequences(
  { world, connection, place }: Session,
  roles: GuardRoles,
  { signer, service }: Rotation,
  sources: RotationSources,
): Promise<void> {
  const of = { chainId: connection.chainId, guard: place.guard, now: roles.blockTime };
  for (const line of certificateLines(await sources.certificates(of), roles)) world.print(line);
  if (service === null)
    world.print("Service  not asked: with --service <url> this says whether it already holds the new key");
  else world.print(serviceLine(service, await sources.service(service), signer));
}

/** Shows the admin the end of the rotation: the service signs with the new key. */
async function watchService(
  world: AdminContext,
  sources: RotationSources,
  service: string,
  signer: string,
): Promise<void> {
  const until = world.now() + WATCH_MS;
  for (;;) {
    if ((await sources.service(service))?.signer === signer) {
      world.print(`The service at ${service} signs with the new key.`);
      return;
    }
    if (world.now() >= until) break;
    await world.sleep(WATCH_EVERY_MS);
  }
  world.print(
    `WARNING  The service at ${service} does not sign with the new key yet: it denies every trade until it is restarted with that key.`,
  );
}

/** With the database and the service of this machine. */
export const rotateSignerHere = (world: AdminContext, args: RotateArguments): Promise<ExitCode> =>
  rotateSigner(
    world,
    args,
    rotationSources({ DATA_DIR: world.dataDir, DATABASE_URL: environment().DATABASE_URL }),
  );
