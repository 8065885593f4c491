/** The attestation key of a running service. */
import type { GuardDomain } from "../../attestor/certificate/certificate.ts";
import type { Logger } from "../metrics/logger.ts";
import { repeat } from "../repeat.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import type { BackendSigner } from "../signers/certificates.ts";
import { type AttestationKeys, type AttestationState, createAttestationKeys } from "./keys.ts";
import { openBackend, openFirstKey } from "./load.ts";

/** How often the guard is asked whether it names the waiting key, in milliseconds. */
const ASK_EVERY_MS = { local: 250, live: 1_000 };

export interface Attestation {
  readonly keys: AttestationKeys;
  state(): AttestationState;
  stop(): Promise<void>;
}

/**
 * @param guardSigner the signer that the guard names now
 * @throws AttestorError `invalid_key`; ConfigError for a missing key, for one with another address than the settings ask
 *   for, or a development key in the live profile
 */
export async function openAttestation(
  config: Pick<Config, "attestor" | "signers" | "profile">,
  domain: GuardDomain,
  guardSigner: () => Promise<string>,
  logger: Logger,
): Promise<Attestation> {
  const backends: BackendSigner[] = [];
  const stopBackends = () => Promise.all(backends.map((each) => each.stop()));
  try {
    const { signer, backend } = await openFirstKey(config, domain, logger);
    if (backend !== null) backends.push(backend);
    assertAddress(signer.address, config.signers.address);
    const keys = createAttestationKeys(signer, (now, before) => {
      logger.warn(
        { signer: now, before },
        "the guard now names the new attestation key, which signs from here on; the old key was dropped",
      );
      for (const each of backends) if (each.address === before) void each.stop();
    });
    const next = await openNext(config, domain, logger);
    if (next !== null) backends.push(next);
    if (next !== null) offer(keys, next, logger);
    // Without a request nobody else asks, and the operator waits to see the change.
    const askGuard = async () => {
      if (keys.waiting() !== null) await guardSigner().then(keys.addressFor, () => {});
    };
    const following = next === null ? null : repeat(askGuard, ASK_EVERY_MS[config.profile]);
    return {
      keys,
      state: () => ({
        signer: keys.current(),
        waiting: keys.waiting(),
        fault: backends.find(({ address }) => address === keys.current())?.fault() ?? null,
      }),
      stop: async () => {
        await following?.stop();
        await stopBackends();
      },
    };
  } catch (error) {
    await stopBackends();
    throw error;
  }
}

/** @throws ConfigError for a key with another address than the settings ask for */
export function assertAddress(address: string, asked: string | null): void {
  if (asked !== null && asked !== address)
    throw new ConfigError([`the attestation key is that of ${address}, and ATTESTOR_ADDRESS is ${asked}`]);
}

/** The key that waits for the guard from the start, where the settings name one. */
async function openNext(
  config: Pick<Config, "signers" | "profile">,
  domain: GuardDomain,
  logger: Logger,
): Promise<BackendSigner | null> {
  const { next } = config.signers;
  return next === null ? null : await openBackend("ATTESTOR_NEXT_KMS_KEY", next, config, domain, logger);
}

function offer(keys: AttestationKeys, next: BackendSigner, logger: Logger): void {
  keys.offer(next);
  const waiting = keys.waiting();
  if (waiting === null) logger.warn({ signer: next.address }, "the next attestation key is the present one");
  else
    logger.warn(
      { signer: keys.current(), waiting },
      "a new attestation key was loaded; it signs as soon as the guard names it",
    );
}
