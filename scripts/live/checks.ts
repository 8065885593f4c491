/** What a live service needs of its surroundings, one check a thing; each opens what it asks, and closes it. */
import { dirname } from "node:path";
import { openBackend, openFirstKey } from "../../api/attestation/load.ts";
import { assertAddress } from "../../api/attestation/open.ts";
import { unsignedWarning } from "../../api/data/capabilities.ts";
import { FAST_HASHER } from "../../api/log/hasher.ts";
import { openLogKey } from "../../api/log/openKey.ts";
import { createLogger, type Logger } from "../../api/metrics/logger.ts";
import { sellingBy } from "../../api/payments/open.ts";
import type { Config } from "../../api/settings/config.ts";
import { keyedProviders, keySetting } from "../../api/settings/providers.ts";
import { probesOf } from "../../api/status/probes.ts";
import { guardDomain } from "../../attestor/certificate/certificate.ts";
import { isProofSound, proveKey } from "../../attestor/certificate/keyProof.ts";
import type { CertificateSigner } from "../../attestor/certificate/signer.ts";
import { parseVkey, vkeyText } from "../../attestor/log/note.ts";
import { sameBytes } from "../../attestor/values/bytes.ts";
import { databaseTime } from "../../database/clock.ts";
import { appliedMigrations, newerMigrations } from "../../database/migrate.ts";
import { EDITION } from "../../database/migrations/all.ts";
import { isPostgres, openDatabase, sqlitePath } from "../../database/open.ts";
import { CHAINLINK_STREAMS } from "../../market/providers/chainlinkStreams.ts";
import { createLimits } from "../../market/providers/limits.ts";
import { PROVIDERS } from "../../market/providers/providers.ts";
import { tryProvider } from "../../market/providers/tryProvider.ts";
import { assertClock, check, type LiveCheck, Missing, type Subject, Wrong } from "./check.ts";
import { nodeChecks, withNode } from "./node.ts";

/** A `Date` header has whole seconds, and was written before it came. */
const MOST_HEADER_MS = 4_000;
/** Unix seconds of the proofs that keys sign here: they go nowhere. */
const PROVED_AT = 1;
const GIB = 2 ** 30;
const LEAST_FREE_BYTES = GIB;
const PATIENCE_MS = 5_000;

/** The node is asked by checks of its own. */
const NO_CHAIN = { probe: async () => {} };

const quiet = (): Logger => createLogger({ level: "silent" });

/** In the order in which they are shown. */
export const liveChecks = (subject: Subject): LiveCheck[] => [
  ...deployedChecks(subject),
  ...machineChecks(subject),
];

/** What needs to know where the guard is, and what is traded. */
export const deployedChecks = (subject: Subject): LiveCheck[] => [
  ...nodeChecks(subject),
  ...keyChecks(subject),
  ...(subject.config.payments === null ? [] : [saleCheck(subject)]),
  signedPricesCheck(subject),
];

/** What is around the service whatever it trades. */
export function machineChecks(subject: Subject): LiveCheck[] {
  const { keys } = subject.config.providers;
  // The check of signed prices says whether one publisher more is needed.
  const providers = PROVIDERS.filter(
    ({ name }) => name !== CHAINLINK_STREAMS.name || keys[name] !== undefined,
  );
  return [
    ...databaseChecks(subject),
    ...providers.map((provider) => providerCheck(provider, subject)),
    ...folderChecks(subject),
  ];
}

/** Opens each key once, whichever checks ask for it. */
function keysOf({ config, deployment: { chainId, guard } }: Subject) {
  const domain = guardDomain(chainId, guard);
  const signing = async (signer: CertificateSigner): Promise<string> => {
    const proof = await proveKey(signer, chainId, guard, PROVED_AT);
    if (!isProofSound(proof, chainId, guard)) throw new Wrong(`it does not sign as ${signer.address}`);
    return signer.address;
  };
  const { next, address } = config.signers;
  return {
    /** Its address. */
    attestation: once(async () => {
      const { signer, backend } = await openFirstKey(config, domain, quiet());
      assertAddress(signer.address, address);
      return await signing(signer).finally(() => backend?.stop());
    }),
    /** Of the key that waits for the guard; null: there is none. */
    next: once(async () => {
      if (next === null) return null;
      const backend = await openBackend("ATTESTOR_NEXT_KMS_KEY", next, config, domain, quiet());
      return await signing(backend).finally(() => backend.stop());
    }),
    log: once(async () => {
      const signer = await openLogKey(config, quiet());
      const { origin } = config.log;
      const checkpoint = { origin, size: 0, root: FAST_HASHER.empty };
      await Promise.resolve(signer.sign(checkpoint)).finally(() => signer.stop?.());
      return { vkey: vkeyText(signer.keyOf(origin)), publicKey: signer.publicKey };
    }),
  };
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

function keyChecks(subject: Subject): LiveCheck[] {
  const { deployment } = subject;
  const keys = keysOf(subject);
  return [
    check("attestation key", "see docs/run/keys.md", async () => {
      const [first, next] = [await keys.attestation(), await keys.next()];
      return next === null ? `${first} signs` : `${first} signs, and the next one, ${next}`;
    }),
    check("guard's signer", "put the guard's key in place, or assay guard rotate-signer", async () => {
      const [first, next] = [await keys.attestation(), await keys.next()];
      const { signer } = await withNode(subject, ({ roles }) => roles());
      if (signer !== first && signer !== next)
        throw new Wrong(`the guard takes ${signer}, and the service has ${first}`);
      return "the guard takes this key";
    }),
    check(
      "log key",
      "see docs/run/keys.md#the-log-key; the deployment file takes its verifier key by assay guard service-file --log-key",
      async () => {
        const { vkey, publicKey } = await keys.log();
        const listed = deployment.logKeys;
        if (listed && !listed.some((text) => sameBytes(parseVkey(text).publicKey, publicKey)))
          throw new Wrong(`the deployment file's logKeys do not name ${vkey}`);
        return `${vkey} signs`;
      },
    ),
  ];
}

function databaseChecks({ config, outside }: Subject): LiveCheck[] {
  const url = config.databaseUrl.reveal();
  const opened = async <T>(use: (db: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> => {
    await using db = openDatabase(url, { patienceMs: PATIENCE_MS });
    return await use(db);
  };
  return [
    check("database", "see DATABASE_URL, its server and rights; assay database migrations", async () => {
      // To look must not make it.
      if (!isPostgres(url) && !(await outside.exists(sqlitePath(url))))
        return "SQLite; there is no file yet, the first start makes it";
      return await opened(async (db) => {
        assertClock((await databaseTime(db)) ?? outside.now(), outside.now());
        const engine = isPostgres(url) ? "PostgreSQL" : "SQLite";
        const applied = await appliedMigrations(db);
        if (applied.length === 0) return `${engine}, empty: the first start makes the tables`;
        const newer = await newerMigrations(db);
        const refusing = newer.find(({ compatibility }) => compatibility.olderPrograms === "refused");
        if (refusing) throw new Wrong(`a newer version has migrated it: ${refusing.compatibility.because}`);
        await probesOf(db, NO_CHAIN, outside.now).database();
        const pending = Object.keys(EDITION.migrations).filter((name) => !applied.includes(name));
        return `${engine}, takes writes, ${pending.length} migrations pending`;
      });
    }),
  ];
}

const saleCheck = ({ config, deployment, outside }: Subject): LiveCheck =>
  check("payment options", "see FACILITATOR_URL and PAYMENT_OPTIONS_FILE", async () => {
    const { payments } = config;
    if (payments !== null) sellingBy({ deployment, setup: {}, fetch: outside.fetch }, payments);
    return "each policy has a price";
  });

const signedPricesCheck = ({ config, deployment }: Subject): LiveCheck =>
  check("signed prices", "see docs/run/deployment-file.md#signed-prices", async () => {
    const warning = unsignedWarning(deployment, keyedProviders(config));
    if (warning !== null) throw new Missing(warning);
    return "a publisher of signed prices is configured";
  });

function providerCheck(provider: (typeof PROVIDERS)[number], { config, outside }: Subject): LiveCheck {
  const { name, key } = provider;
  const apiKey = config.providers.keys[name]?.reveal();
  const baseUrl = config.providers.baseUrls[name];
  const setting = keySetting(provider);
  return check(
    `provider ${name}`,
    `see whether this machine can reach it${key ? `, and set ${setting} to a key that counts` : ""}`,
    async (signal) => {
      if (key?.required && apiKey === undefined) throw new Missing(`${setting} is not set: ${key.lack}`);
      let theirs: number | null = null;
      const asked: typeof fetch = async (input, init) => {
        const response = await outside.fetch(input, {
          ...init,
          signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]),
        });
        // A cache in between hands on the date of the answer that it has, and says how old that is.
        const age = Number(response.headers.get("age") ?? 0);
        theirs = Date.parse(response.headers.get("date") ?? "") + age * 1_000;
        return response;
      };
      const { now } = outside;
      await tryProvider(provider, {
        fetch: asked,
        now,
        limits: createLimits(),
        // A provider that jobs alone ask has no part for collectors.
        lane: "jobs",
        apiKey,
        baseUrl,
      });
      if (theirs) assertClock(theirs, outside.now(), MOST_HEADER_MS);
      return apiKey === undefined ? "it answers, without a key" : "it answers, and takes the key";
    },
  );
}

/** Those that the service writes into, by the setting that names them. */
function foldersOf({ dataDir, databaseUrl, log }: Config): Record<string, string> {
  const folders = { DATA_DIR: dataDir, LOG_STATE_DIR: log.stateDir };
  const url = databaseUrl.reveal();
  return isPostgres(url) ? folders : { ...folders, "SQLite's folder": dirname(sqlitePath(url)) };
}

const folderChecks = ({ config, outside }: Subject): LiveCheck[] =>
  Object.entries(foldersOf(config)).map(([name, folder]) =>
    check(name, `make ${folder} the service's own, on a disk with room`, async () => {
      const free = await outside.tryFolder(folder);
      const shown = `${(free / GIB).toFixed(1)} GiB free`;
      if (free < LEAST_FREE_BYTES) throw new Wrong(`${folder} has ${shown}: less than 1`);
      return `${folder} takes files, ${shown}`;
    }),
  );
