/**
 * Picks up a new attestation key while the service runs: looks at the contents of the keystore file and the
 * passphrase file again and again. Contents and not events or times, because editors replace files, containers
 * replace links, and a file system's clock may be coarse. A signal would be one more thing to do at night.
 */
import { createHash } from "node:crypto";
import type { CertificateSigner } from "../../attestor/certificate/signer.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import type { Logger } from "../metrics/logger.ts";
import { repeat } from "../repeat.ts";
import { ConfigError } from "../settings/config.ts";
import type { AttestationKeys } from "./keys.ts";
import type { KeystoreFiles } from "./load.ts";

export interface WatchDeps {
  readonly keys: AttestationKeys;
  /** What the service started with. */
  readonly first: KeystoreFiles;
  /** The files as they are now. @throws AttestorError */
  read(): Promise<KeystoreFiles>;
  /** @throws AttestorError, ConfigError */
  open(files: KeystoreFiles): Promise<CertificateSigner>;
  readonly logger: Logger;
  readonly pollMs: number;
}

export interface KeyWatch {
  /** Whether the files, as they were last seen, gave a key. */
  readonly refused: boolean;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Keeps the key that signs as long as no other one is there to be used. */
export function watchKeystore(deps: WatchDeps): KeyWatch {
  const { keys, logger } = deps;
  /** What was tried last, and what the last look saw. */
  let tried = fingerprint(deps.first);
  let seen = tried;
  let refused = false;
  /** Address of the key that this file last put in place. */
  let offered: string | null = null;

  async function look(): Promise<void> {
    const { files, mark, fault } = await glance(deps);
    const still = mark === seen;
    seen = mark;
    // Two files, each perhaps half written: what is the same twice is meant.
    if (!still || mark === tried) return;
    tried = mark;
    if (files === null) return refuse(fault);
    try {
      accept(await deps.open(files));
    } catch (error) {
      refuse(faultOf(error));
    }
  }

  function accept(signer: CertificateSigner): void {
    const waits = keys.waiting();
    // Another key waits by the settings, in a token or a cloud: the file does not take its place.
    const isForeign = waits !== null && waits !== offered;
    if (isForeign && signer.address !== keys.current()) {
      refuse("another key waits for the guard, by ATTESTOR_NEXT");
      return;
    }
    refused = false;
    if (!isForeign) {
      keys.offer(signer);
      offered = signer.address;
    }
    const waiting = keys.waiting();
    if (waiting === null) logger.info({ signer: keys.current() }, "the keystore file holds the signing key");
    else
      logger.warn(
        { signer: keys.current(), waiting },
        "a new attestation key was loaded; it signs as soon as the guard names it",
      );
  }

  function refuse(fault: string): void {
    refused = true;
    logger.error(
      { signer: keys.current(), fault },
      "the keystore file cannot be used; the previous key keeps signing",
    );
  }

  const looking = repeat(look, deps.pollMs);
  return {
    get refused() {
      return refused;
    },
    stop: () => looking.stop(),
  };
}

/** What is there, under a mark that tells it from anything else; the mark does not give the passphrase away. */
async function glance(deps: WatchDeps) {
  try {
    const files = await deps.read();
    return { files, mark: fingerprint(files), fault: "" };
  } catch (error) {
    const fault = faultOf(error);
    return { files: null, mark: fault, fault };
  }
}

function fingerprint({ keystore, passphrase }: KeystoreFiles): string {
  const inner = createHash("sha256").update(keystore).digest("hex");
  return createHash("sha256").update(`${inner}\n${passphrase.reveal()}`).digest("hex");
}

/** Our own words only: a library's could carry what was in the file. */
function faultOf(error: unknown): string {
  if (error instanceof AttestorError) return error.message;
  if (error instanceof ConfigError) return error.faults.join("; ");
  return `it cannot be opened (${error instanceof Error ? error.name : "unknown"})`;
}
