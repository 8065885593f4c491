/** The settings: what the environment says, checked. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Retention } from "../../market/collect/retention.ts";
import { PROVIDERS } from "../../market/providers/providers.ts";
import { isDevelopmentKey } from "./developmentKeys.ts";
import { type Environment, withFiles } from "./environment.ts";
import { MAX_LIMIT_PER_MINUTE } from "./limits.ts";
import { LOCAL_ORIGIN, OriginSetting, originOf, WitnessList } from "./logSettings.ts";
import { HostList, hostsOf, TrustProxySetting } from "./mcpHosts.ts";
import { paymentSettingsOf, payToSetting } from "./payments.ts";
import {
  KEYED_PROVIDERS,
  keySetting,
  type LiveProviders,
  limitSetting,
  PROVIDER_KEYS,
  urlSetting,
} from "./providers.ts";
import { JOB_RETENTION_SETTINGS, type JobRetention, jobRetentionOf } from "./retention.ts";
import { Secret } from "./secret.ts";
import { type KmsSetting, kmsSettingOf, SIGNER_SETTINGS, settingOfKey } from "./signers.ts";
import { oneOf, url, wholeNumber } from "./texts.ts";

/** Where the attestation key comes from. */
export type AttestorKey =
  | { readonly backend: "keystore"; readonly path: string; readonly passphrase: Secret }
  | { readonly backend: "privateKey"; readonly privateKey: Secret }
  | KmsSetting;

/** What reads a file that a setting names, and says so where it cannot. */
type ReadSetting = (name: string, path: string) => string | null;

export type Config = Readonly<ReturnType<typeof configOf>>;

/** Every fault of the settings in one message. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Missing or invalid settings:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const days = (least: number) =>
  z
    .string()
    .refine(
      (text) => text === "forever" || (/^[0-9]{1,5}$/.test(text) && Number(text) >= least),
      `must be a whole number of days, ${least} or more, or forever`,
    );

/** Days of each kind of stored data, with the least that makes sense. */
const RETENTION_SETTINGS = {
  RETENTION_RAW_DAYS: ["rawDays", 1],
  RETENTION_IMPACT_DAYS: ["impactDays", 8],
  RETENTION_HOUR_DAYS: ["hourDays", 1],
  RETENTION_VOLUME_DAYS: ["volumeDays", 8],
  RETENTION_TOTAL_DAYS: ["totalDays", 1],
  RETENTION_REJECTED_DAYS: ["rejectedDays", 1],
} as const satisfies Record<string, readonly [keyof Retention, number]>;

export const Settings = z.object({
  ASSAY_PROFILE: oneOf(["local", "live"]).default("local"),
  ROLE: oneOf(["api", "worker", "all"]).default("all"),
  DRAIN_MS: wholeNumber(0, 60_000).default(0),
  HOST: z.string().default("127.0.0.1"),
  PORT: wholeNumber(0, 65_535).default(3_000),
  PUBLIC_URL: url(/^https?:\/\/[^?#]+$/i, "https://assay.example.com")
    .transform((text) => text.replace(/\/+$/, ""))
    .optional(),
  SECURITY_CONTACT: url(/^(https:\/\/|mailto:[^@\s]+@)\S+$/i, "mailto:security@example.com").optional(),
  MCP_ALLOWED_HOSTS: HostList.default([]),
  DATA_DIR: z.string().default("./data"),
  /** SQLite in DATA_DIR by default. */
  DATABASE_URL: z
    .string()
    .refine((text) => !/^[a-z]+:\/\//i.test(text) || /^(postgres(ql)?|sqlite):\/\//.test(text), {
      error: "must be postgres://…, sqlite:<path> or a path",
    })
    .optional(),
  RPC_URL: url(/^https?:\/\//i, "http://127.0.0.1:8545").optional(),
  /** Port of the local chain, when RPC_URL does not say it. */
  RPC_PORT: wholeNumber(1, 65_535).default(8_545),
  DEPLOYMENT_FILE: z.string().optional(),
  PUBLISHER_KEYS_FILE: z.string().optional(),
  ATTESTOR_KEYSTORE: z.string().optional(),
  ATTESTOR_KEYSTORE_PASSPHRASE: z.string().optional(),
  ATTESTOR_KEYSTORE_PASSPHRASE_FILE: z.string().optional(),
  ATTESTOR_PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hexadecimal digits")
    .optional(),
  ...SIGNER_SETTINGS,
  LOG_ORIGIN: OriginSetting.optional(),
  LOG_KEYSTORE: z.string().optional(),
  LOG_KEYSTORE_PASSPHRASE: z.string().optional(),
  LOG_KEYSTORE_PASSPHRASE_FILE: z.string().optional(),
  LOG_STATE_DIR: z.string().optional(),
  LOG_WITNESSES: WitnessList.default([]),
  LOG_WAIT_MS: wholeNumber(50, 30_000).default(250),
  ONE_SHOTS_PER_DAY: wholeNumber(1, 1_000_000_000).default(500),
  KEY_AUTO_APPROVE_LIMIT: wholeNumber(1, MAX_LIMIT_PER_MINUTE).optional(),
  KEY_LIMIT_PER_MINUTE: wholeNumber(1, MAX_LIMIT_PER_MINUTE).default(60),
  ADDRESS_LIMIT_PER_MINUTE: wholeNumber(1, MAX_LIMIT_PER_MINUTE).default(20),
  TRUST_PROXY: TrustProxySetting.default(false),
  PAYMENT_PHASE: oneOf(["free", "paid"]).default("free"),
  PAYMENT_PAY_TO: payToSetting.optional(),
  PAYMENT_OPTIONS_FILE: z.string().optional(),
  FACILITATOR_URL: url(/^https?:\/\//i, "https://facilitator.example.com").optional(),
  FACILITATOR_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/, "must be one word of printable characters")
    .optional(),
  FACILITATOR_TIMEOUT_MS: wholeNumber(100, 120_000).default(20_000),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_HOST: z.string().default("127.0.0.1"),
  PUBLIC_EVIDENCE: oneOf(["executed", "off"]).default("executed"),
  PLATFORM_FEE_BPS: z
    .string()
    .regex(/^[0-9]{1,4}(\.[0-9]{1,4})?$/, "must be a number of basis points such as 10")
    .optional(),
  ...Object.fromEntries(
    Object.entries(RETENTION_SETTINGS).map(([name, [, least]]) => [name, days(least).optional()]),
  ),
  ...Object.fromEntries(
    Object.entries(JOB_RETENTION_SETTINGS).map(([name, [, least]]) => [name, days(least).optional()]),
  ),
  ...Object.fromEntries(
    KEYED_PROVIDERS.map((provider) => {
      const { pattern, fault } = provider.key?.form ?? { pattern: /^/, fault: "" };
      return [keySetting(provider), z.string().regex(pattern, fault).optional()];
    }),
  ),
  ...Object.fromEntries(
    PROVIDERS.map((provider) => [
      urlSetting(provider),
      url(/^https?:\/\//i, "https://api.example.com").optional(),
    ]),
  ),
  ...Object.fromEntries(
    PROVIDERS.map((provider) => [limitSetting(provider), wholeNumber(1, MAX_LIMIT_PER_MINUTE).optional()]),
  ),
  LOG_LEVEL: oneOf(LOG_LEVELS).default("info"),
});
type Settings = z.infer<typeof Settings>;

// Settings whose values must not appear in messages.
export const NOT_SHOWN = new Set([
  "DATABASE_URL",
  "RPC_URL",
  "ATTESTOR_PRIVATE_KEY",
  "ATTESTOR_KEYSTORE_PASSPHRASE",
  "LOG_KEYSTORE_PASSPHRASE",
  "FACILITATOR_URL",
  "FACILITATOR_KEY",
  ...KEYED_PROVIDERS.map(keySetting),
  // Of a node it has the key.
  ...PROVIDERS.map(urlSetting),
]);

/** From settings that the schema has accepted. */
function providersOf(given: Environment): LiveProviders {
  const set = <T>(settingOf: typeof keySetting, read: (text: string) => T) =>
    Object.fromEntries(
      PROVIDERS.flatMap((provider) => {
        const text = given[settingOf(provider)];
        return text === undefined ? [] : [[provider.name, read(text)]];
      }),
    );
  return {
    keys: set(keySetting, (key) => new Secret(key)),
    baseUrls: set(urlSetting, (text) => text),
    limits: set(limitSetting, Number),
  };
}

/**
 * @param env variables; an empty one counts as not set
 * @param readFile of the keystore's passphrase and of the keystore itself
 * @throws ConfigError with everything that is wrong or missing; Error where the file of a provider's key cannot be read
 */
export function parseConfig(
  env: Environment,
  readFile: (path: string) => string = (path) => readFileSync(path, "utf8"),
): Config {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== "");
  const given = withFiles(Object.fromEntries(set), readFile, PROVIDER_KEYS);
  const parsed = Settings.safeParse(given);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => faultOf(issue, given));
  // Where single settings are wrong already, the rest is still looked at: one start, one whole list.
  const settings = parsed.success ? parsed.data : withoutFaulty(given, parsed.error);
  const parts = partsOf(settings, given, reading(readFile, faults), faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return configOf(settings, given, parts);
}

/** What several settings make together. @param faults takes what is wrong: everything is looked at */
function partsOf(settings: Settings, given: Environment, read: ReadSetting, faults: string[]) {
  const attestor = attestorOf(settings, given, read, faults);
  const live = settings.ASSAY_PROFILE === "live";
  if (live)
    for (const name of ["RPC_URL", "DEPLOYMENT_FILE"] as const)
      if (given[name] === undefined) faults.push(`${name} is required in the live profile`);
  const payments = settings.PAYMENT_PHASE === "paid" ? paymentSettingsOf(settings, live, read, faults) : null;
  faults.push(...faultsOnSqlite(settings));
  return {
    /** null in the local profile alone: the caller of `startServer` then brings the key. */
    attestor,
    signers: {
      /** Of the attestation key that the guard does not name yet; null: there is none. */
      next: kmsSettingOf(settings.ATTESTOR_NEXT_KMS_KEY),
      /** The required address of the attestation key; null: any address of its backend. */
      address: settings.ATTESTOR_ADDRESS ?? null,
      /** Milliseconds for one certificate, and for one checkpoint. */
      attestorTimeoutMs: settings.ATTESTOR_SIGNER_TIMEOUT_MS,
      logTimeoutMs: settings.LOG_SIGNER_TIMEOUT_MS,
    },
    /** null in the free phase. */
    payments,
    retention: jobRetentionOf(daysOf(JOB_RETENTION_SETTINGS, given), faults),
    log: logOf(settings, given, read, faults),
  };
}

function configOf(settings: Settings, given: Environment, parts: ReturnType<typeof partsOf>) {
  return {
    ...parts,
    ...placesOf(settings),
    profile: settings.ASSAY_PROFILE,
    /** What a process does: `api` only serves, `worker` only works in the background, `all` does both. */
    role: settings.ROLE,
    /** Requests a minute of keys that work as soon as they are applied for; null: a person approves each. */
    keyAutoApproveLimit: settings.KEY_AUTO_APPROVE_LIMIT ?? null,
    keyLimitPerMinute: settings.KEY_LIMIT_PER_MINUTE,
    addressLimitPerMinute: settings.ADDRESS_LIMIT_PER_MINUTE,
    trustProxy: settings.TRUST_PROXY,
    paymentPhase: settings.PAYMENT_PHASE,
    providers: providersOf(given),
    market: {
      /** What is kept how long, over the defaults of `market/collect/retention.ts`. */
      retention: daysOf(RETENTION_SETTINGS, given),
      /** What a platform takes of a trade: basis points, decimal text. */
      platformFeeBps: settings.PLATFORM_FEE_BPS,
    },
    /** Reports that one address may ask for without a key or a payment, in a day. */
    oneShotsPerDay: settings.ONE_SHOTS_PER_DAY,
    /** Whose evidence anybody may read: that of trades that were carried out, or nobody's. */
    publicEvidence: settings.PUBLIC_EVIDENCE,
    /** Where GET /metrics is served; null: nowhere. */
    metrics:
      settings.METRICS_PORT === undefined
        ? null
        : { host: settings.METRICS_HOST, port: settings.METRICS_PORT },
    logLevel: settings.LOG_LEVEL,
    /** How long a process that is to end goes on serving, and says that it does. */
    drainMs: settings.DRAIN_MS,
  };
}

/** Where the service is found, and where it finds others. */
function placesOf(settings: Settings) {
  const { HOST, PUBLIC_URL, DATA_DIR, DATABASE_URL } = settings;
  return {
    host: HOST,
    /** 0 takes a free one. */
    port: settings.PORT,
    /** Where clients find the service, without a slash at its end; null: at host and port. */
    publicUrl: PUBLIC_URL ?? null,
    /** Of `/.well-known/security.txt`; null: there is no such file. */
    securityContact: settings.SECURITY_CONTACT ?? null,
    /** Host names, without ports, under which /mcp may be spoken to. */
    mcpHosts: hostsOf(HOST, PUBLIC_URL ?? null, settings.MCP_ALLOWED_HOSTS),
    dataDir: DATA_DIR,
    /** May carry a password. */
    databaseUrl: new Secret(DATABASE_URL ?? `sqlite:${join(DATA_DIR, "assay.db")}`),
    /** May carry a provider's key. */
    rpcUrl: new Secret(settings.RPC_URL ?? `http://127.0.0.1:${settings.RPC_PORT}`),
    deploymentFile: settings.DEPLOYMENT_FILE ?? join(DATA_DIR, "chain", "deployment.json"),
    /** More keys of price publishers than this version knows; null: none. */
    publisherKeysFile: settings.PUBLISHER_KEYS_FILE ?? null,
  };
}

/** What needs PostgreSQL. */
function faultsOnSqlite({ DATABASE_URL, ROLE }: Settings): string[] {
  if (ROLE === "all" || /^postgres(ql)?:\/\//.test(DATABASE_URL ?? "")) return [];
  return [`ROLE=${ROLE} needs PostgreSQL in DATABASE_URL: on SQLite one process does everything (ROLE=all)`];
}

/** Days by kind, of settings that the schema has accepted. */
function daysOf<Kind extends string>(
  settings: Readonly<Record<string, readonly [Kind, number]>>,
  given: Environment,
): Partial<Record<Kind, number | null>> {
  const entries = Object.entries(settings).flatMap(([name, [kind]]) => {
    const value = given[name];
    return value === undefined ? [] : [[kind, value === "forever" ? null : Number(value)]];
  });
  return Object.fromEntries(entries);
}

/**
 * The database and how long it keeps what, for programs that need no more of the settings.
 * @throws ConfigError
 */
export function parseRetention(env: Environment): { databaseUrl: Secret; retention: JobRetention } {
  const { DATABASE_URL, DATA_DIR } = env;
  const days = Object.fromEntries(Object.keys(JOB_RETENTION_SETTINGS).map((name) => [name, env[name]]));
  const { databaseUrl, retention } = parseConfig({ DATABASE_URL, DATA_DIR, ...days });
  return { databaseUrl, retention };
}

/** The database alone, for programs that need no more of the settings. @throws ConfigError */
export function parseDatabaseUrl(env: Environment): Secret {
  const { DATABASE_URL, DATA_DIR } = env;
  return parseConfig({ DATABASE_URL, DATA_DIR }).databaseUrl;
}

function faultOf(issue: z.core.$ZodIssue, given: Environment): string {
  const name = String(issue.path[0]);
  const value = given[name] ?? "";
  const shown = NOT_SHOWN.has(name) ? "" : `, not ${JSON.stringify(value.slice(0, 80))}`;
  return `${name} ${issue.message}${shown}`;
}

function withoutFaulty(given: Environment, error: z.ZodError): Settings {
  const faulty = new Set(error.issues.map((issue) => String(issue.path[0])));
  return Settings.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !faulty.has(name))));
}

function attestorOf(
  settings: Settings,
  given: Environment,
  read: ReadSetting,
  faults: string[],
): AttestorKey | null {
  const live = settings.ASSAY_PROFILE === "live";
  if (live && given.ATTESTOR_PRIVATE_KEY !== undefined)
    faults.push("ATTESTOR_PRIVATE_KEY works in the local profile only: use ATTESTOR_KEYSTORE");
  const setting = settingOfKey(
    "ATTESTOR",
    given,
    ["ATTESTOR_PRIVATE_KEY", "ATTESTOR_KEYSTORE"],
    live ? "ATTESTOR_KEYSTORE" : null,
    faults,
  );
  if (setting === "ATTESTOR_PRIVATE_KEY") {
    const { ATTESTOR_PRIVATE_KEY: key } = settings;
    if (live) faults.push("ATTESTOR_KEYSTORE is required in the live profile");
    return live || key === undefined ? null : { backend: "privateKey", privateKey: new Secret(key) };
  }
  const { ATTESTOR_KEYSTORE: path } = settings;
  if (setting !== "ATTESTOR_KEYSTORE" || path === undefined)
    return setting === "ATTESTOR_KMS_KEY" ? kmsSettingOf(settings.ATTESTOR_KMS_KEY) : null;
  if (read("ATTESTOR_KEYSTORE", path) === null) return null;
  const passphrase = passphraseOf("ATTESTOR_KEYSTORE", settings, read, faults);
  return passphrase === null ? null : { backend: "keystore", path, passphrase };
}

function logOf(settings: Settings, given: Environment, read: ReadSetting, faults: string[]) {
  const { PUBLIC_URL } = settings;
  const live = settings.ASSAY_PROFILE === "live";
  const setting = settingOfKey("LOG", given, ["LOG_KEYSTORE"], live ? "LOG_KEYSTORE" : null, faults);
  if (live && settings.LOG_ORIGIN === undefined && PUBLIC_URL === undefined)
    faults.push("the decision log needs a name: set PUBLIC_URL or LOG_ORIGIN");
  return {
    /** What the logs of all years have in common; each is called this and its year. */
    origin: settings.LOG_ORIGIN ?? (PUBLIC_URL === undefined ? LOCAL_ORIGIN : originOf(PUBLIC_URL)),
    /** null where the key has a backend, and in the local profile: the development key then signs. */
    keystore: logKeystoreOf(settings, read, faults),
    /** Where the key is kept elsewhere than in a file. */
    backend: setting === "LOG_KMS_KEY" ? kmsSettingOf(settings.LOG_KMS_KEY) : null,
    /** Folder for the last checkpoint that was signed. */
    stateDir: settings.LOG_STATE_DIR ?? join(settings.DATA_DIR, "log", live ? "" : ofDatabase(settings)),
    witnesses: settings.LOG_WITNESSES,
    /** How long a certificate waits for its checkpoint, milliseconds. */
    waitMs: settings.LOG_WAIT_MS,
  };
}

/** The file of an encrypted key and its passphrase; null where none is named, or one of them cannot be had. */
function logKeystoreOf(
  settings: Settings,
  read: ReadSetting,
  faults: string[],
): { path: string; passphrase: Secret } | null {
  const path = settings.LOG_KEYSTORE;
  if (path === undefined || read("LOG_KEYSTORE", path) === null) return null;
  const passphrase = passphraseOf("LOG_KEYSTORE", settings, read, faults);
  return passphrase === null ? null : { path, passphrase };
}

/** A local world may have several databases, one after the other, each with a log of its own. */
const ofDatabase = ({ DATABASE_URL = "" }: Settings): string => hash("sha256", DATABASE_URL).slice(0, 12);

function passphraseOf(
  keystore: "ATTESTOR_KEYSTORE" | "LOG_KEYSTORE",
  settings: Settings,
  read: ReadSetting,
  faults: string[],
): Secret | null {
  const direct = settings[`${keystore}_PASSPHRASE`];
  const file = settings[`${keystore}_PASSPHRASE_FILE`];
  if ((direct === undefined) === (file === undefined)) {
    faults.push(`${keystore} needs either ${keystore}_PASSPHRASE or ${keystore}_PASSPHRASE_FILE`);
    return null;
  }
  if (direct !== undefined) return new Secret(direct);
  const content = read(`${keystore}_PASSPHRASE_FILE`, file ?? "");
  return content === null ? null : new Secret(passphraseIn(content));
}

/** What a passphrase file says: editors end it with a line break that is no part of the passphrase. */
function passphraseIn(content: string): string {
  return content.replace(/\r?\n$/, "");
}

const reading =
  (readFile: (path: string) => string, faults: string[]): ReadSetting =>
  (name, path) => {
    try {
      return readFile(path);
    } catch {
      faults.push(`${name} names a file that cannot be read: ${path}`);
      return null;
    }
  };

/** The last look before a live service signs: whichever backend the key came from. @throws ConfigError */
export function assertNotDevelopmentKey(address: string): void {
  if (isDevelopmentKey(address))
    throw new ConfigError([
      `the attestation key ${address} is a well-known development key: create your own`,
    ]);
}
