/** The attestation key of a running service, which may change while it runs. */
import type { GuardDomain } from "../../attestor/certificate.ts";
import type { Logger } from "../metrics/logger.ts";
import type { Config } from "../settings/config.ts";
import { type AttestationKeys, type AttestationState, createAttestationKeys } from "./keys.ts";
import { openFirstKey, openKeystore, readKeystoreFiles } from "./load.ts";
import { watchKeystore } from "./watch.ts";

/** How often the keystore file is looked at, in milliseconds; what is there twice is taken. */
const LOOK_EVERY_MS = { local: 250, live: 1_000 };

export interface Attestation {
  readonly keys: AttestationKeys;
  state(): AttestationState;
  stop(): Promise<void>;
}

/**
 * @param guardSigner the signer that the guard names now
 * @throws AttestorError `invalid_key`; ConfigError for a missing key, or a development key in the live profile
 */
export async function openAttestation(
  config: Pick<Config, "attestor" | "profile">,
  domain: GuardDomain,
  guardSigner: () => Promise<string>,
  logger: Logger,
): Promise<Attestation> {
  const { attestor, profile } = config;
  const { signer, files } = await openFirstKey(config, domain);
  const keys = createAttestationKeys(signer, (now, before) =>
    logger.warn(
      { signer: now, before },
      "the guard now names the new attestation key, which signs from here on; the old key was dropped",
    ),
  );
  const watch =
    attestor?.backend === "keystore" && files !== null
      ? watchKeystore({
          keys,
          first: files,
          read: () => readKeystoreFiles(attestor),
          open: (changed) => openKeystore(changed, domain, profile),
          guardSigner,
          logger,
          pollMs: LOOK_EVERY_MS[profile],
        })
      : null;
  return {
    keys,
    state: () => ({
      signer: keys.current(),
      waiting: keys.waiting(),
      keystore: watch === null ? "none" : watch.refused ? "refused" : "ok",
    }),
    stop: async () => watch?.stop(),
  };
}
