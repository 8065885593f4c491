/** `assay guard rotate-signer`: replaces the attestation key. The guard refuses certificates of the old one from then on. */
import { rotateSignerCall } from "../../chain/guard/adminCalls.ts";
import { type GuardRoles, readRoles } from "../../chain/guard/roles.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import type { HistoryEntry } from "../admin/records.ts";
import type { Session } from "../admin/session.ts";
import { command, required, text } from "../command.ts";
import { EXIT, Unusable } from "../errors.ts";
import { carryOut } from "../plan/byRole.ts";
import { ACT_OPTIONS, changing } from "../plan/options.ts";
import { isoTime } from "../typed.ts";
import {
  assertNewSigner,
  certificateLines,
  keysOfService,
  preparedCertificates,
  proofWarnings,
  readProof,
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
    proof: required(text("FILE", "what assay keystore prove printed")),
    service: text("URL", "where the service listens, to ask which key it holds"),
  },
  notes: ["Settings: DATABASE_URL or DATA_DIR, for the prepared trades that end."],
  run: (given, outside) =>
    changing(given, outside, async (session) => {
      const { world, place } = session;
      const { provider } = session.connection;
      const proof = await readProof(given.proof);
      const roles = await readRoles(provider, place.guard);
      await assertNewSigner(session, roles, proof);
      const { signer } = proof;
      const calls = signer === roles.signer ? [] : [rotateSignerCall(roles, signer)];
      const service = given.service ?? (await localService(session));
      if (calls.length > 0) {
        world.out(`Proof    the key of ${signer} is available (signed ${isoTime(proof.provedAt)})`);
        const history = await guardHistory(session);
        for (const warning of proofWarnings(proof, history, Math.floor(world.now() / 1000)))
          world.out(`WARNING  ${warning}`);
        await showConsequences(session, roles, signer, service);
        world.out("");
      } else world.out(`${signer} is already the attestation key.`);
      const isSent = await carryOut(session, roles, calls, given, "guard rotate-signer");
      // A call that has to wait for its delay is only scheduled.
      const isNamed = isSent && (await readRoles(provider, place.guard)).signer === signer;
      if (isNamed && service !== null) await watchService(session, service, signer);
      return EXIT.ok;
    }),
});

/** An unreadable file is reported and does not stop a rotation. */
async function guardHistory({ world, records, place }: Session): Promise<HistoryEntry[]> {
  try {
    return (await records.readHistory()).filter(({ guard }) => guard === place.guard);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    world.out(`WARNING  ${error.message}`);
    return [];
  }
}

async function localService({ world, connection }: Session): Promise<string | null> {
  const local = connection.live ? null : await readLocalFile(world.dataDir);
  return local?.chainId === connection.chainId ? local.baseUrl : null;
}

async function showConsequences(
  { world, connection: { chainId } }: Session,
  roles: GuardRoles,
  signer: string,
  service: string | null,
): Promise<void> {
  const settings = { DATA_DIR: world.dataDir, DATABASE_URL: world.env.DATABASE_URL };
  for (const line of certificateLines(await preparedCertificates(settings, chainId, roles), roles))
    world.out(line);
  if (service === null)
    world.out("Service  not asked: with --service <url> this says whether it already holds the new key");
  else world.out(serviceLine(service, await keysOfService(service, world.fetch), signer));
}

/** Shows the admin the end of the rotation: the service signs with the new key. */
async function watchService({ world }: Session, service: string, signer: string): Promise<void> {
  const until = world.now() + WATCH_MS;
  for (;;) {
    if ((await keysOfService(service, world.fetch))?.signer === signer) {
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
