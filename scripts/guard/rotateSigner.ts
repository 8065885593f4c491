/** `assay guard rotate-signer`: replaces the attestation key. The guard refuses certificates of the old one from then on. */

import { rotateSignerCall } from "../../chain/guard/adminCalls.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import type { HistoryEntry } from "../admin/records.ts";
import type { Session } from "../admin/session.ts";
import { type AdminWorld, adminWorld } from "../admin/world.ts";
import { command, text } from "../command.ts";
import { CommandError, EXIT } from "../errors.ts";
import { carryOut } from "../plan/byRole.ts";
import { ACT_OPTIONS, type ActGiven, changing } from "../plan/options.ts";
import { isoTime } from "../typed.ts";

import {
  assertNewSigner,
  certificateLines,
  proofWarnings,
  type RotationSources,
  readProof,
  rotationSources,
  serviceLine,
} from "./rotation.ts";

/** How long the command watches the service take the new key. */
const WATCH_MS = 10_000;
const WATCH_EVERY_MS = 250;

export const rotateSigner = command({
  summary:
    "Replace the attestation key, which ends certificates of the old one; lists the prepared trades that end",
  options: {
    ...ACT_OPTIONS,
    proof: text("FILE", "what assay keystore prove printed; required"),
    service: text("URL", "where the service listens, to ask which key it holds"),
  },
  notes: ["Settings: DATABASE_URL or DATA_DIR, for the prepared trades that end."],
  run: (given, world) => {
    const own = adminWorld(world, given);
    const { DATABASE_URL } = world.env;
    return rotate(own, given, rotationSources({ DATA_DIR: own.dataDir, DATABASE_URL }, world.fetch));
  },
});

export interface RotateGiven extends ActGiven {
  readonly proof?: string | undefined;
  readonly service?: string | undefined;
}

/** @returns the exit code */
export async function rotate(
  world: AdminWorld,
  given: RotateGiven,
  sources: RotationSources,
): Promise<number> {
  return await changing(given, world, async (session, checked) => {
    const proof = await readProof(given.proof);
    const { provider } = session.connection;
    const roles = await readRoles(provider, session.place.guard);
    await assertNewSigner(session, roles, proof);
    const { signer } = proof;
    const calls = signer === roles.signer ? [] : [rotateSignerCall(roles, signer)];
    const service = given.service ?? (await localService(session));
    if (calls.length > 0) {
      world.out(`Proof    the key of ${signer} is available (signed ${isoTime(proof.provedAt)})`);
      const history = await guardHistory(session);
      for (const warning of proofWarnings(proof, history, Math.floor(world.now() / 1000)))
        world.out(`WARNING  ${warning}`);
      await showConsequences(session, roles, { signer, service }, sources);
      world.out("");
    } else world.out(`${signer} is already the attestation key.`);
    const isSent = await carryOut(session, roles, calls, checked, "guard rotate-signer");
    // A call that has to wait for its delay is only scheduled.
    const isNamed = isSent && (await readRoles(provider, session.place.guard)).signer === signer;
    if (isNamed && service !== null) await watchService(world, sources, service, signer);
    return EXIT.ok;
  });
}

/** An unreadable file is reported and does not stop a rotation. */
async function guardHistory({ world, records, place }: Session): Promise<HistoryEntry[]> {
  try {
    return (await records.readHistory()).filter(({ guard }) => guard === place.guard);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    world.out(`WARNING  ${error.message}`);
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
  for (const line of certificateLines(await sources.certificates(of), roles)) world.out(line);
  if (service === null)
    world.out("Service  not asked: with --service <url> this says whether it already holds the new key");
  else world.out(serviceLine(service, await sources.service(service), signer));
}

/** Shows the admin the end of the rotation: the service signs with the new key. */
async function watchService(
  world: AdminWorld,
  sources: RotationSources,
  service: string,
  signer: string,
): Promise<void> {
  const until = world.now() + WATCH_MS;
  for (;;) {
    if ((await sources.service(service))?.signer === signer) {
      world.out(`The service at ${service} signs with the new key.`);
      return;
    }
    if (world.now() >= until) break;
    await world.sleep(WATCH_EVERY_MS);
  }
  world.out(
    `WARNING  The service at ${service} does not sign with the new key yet: it denies every trade until it is restarted with that key.`,
  );
}
