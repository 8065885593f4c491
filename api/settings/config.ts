/** The settings: what the environment says, checked. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import type { Retention } from "../../market/collect/retention.ts";
import { isDevelopmentKey } from "./developmentKeys.ts";
import { type Environment, withFiles } from "./environment.ts";
import { hostsOf } from "./mcpHosts.ts";
import { paymentSettingsOf } from "./payments.ts";
import { PROVIDER_KEYS, providersOf } from "./providers.ts";
import { JOB_RETENTION_SETTINGS, type JobRetention, jobRetentionOf, withoutUnset } from "./retention.ts";
import { SECRETS, Settings } from "./schema.ts";
import { Secret } from "./secret.ts";
import { attestorOf, kmsSettingOf, logOf, type ReadSetting } from "./signers.ts";

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
  return configOf(settings, parts);
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
    retention: jobRetentionOf(settings, faults),
    log: logOf(settings, given, read, faults),
  };
}

function configOf(settings: Settings, parts: ReturnType<typeof partsOf>) {
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
    providers: providersOf(settings),
    market: {
      /** What is kept how long, over the defaults of `market/collect/retention.ts`. */
      retention: withoutUnset({
        rawDays: settings.RETENTION_RAW_DAYS,
        impactDays: settings.RETENTION_IMPACT_DAYS,
        hourDays: settings.RETENTION_HOUR_DAYS,
        volumeDays: settings.RETENTION_VOLUME_DAYS,
        totalDays: settings.RETENTION_TOTAL_DAYS,
        rejectedDays: settings.RETENTION_REJECTED_DAYS,
      } satisfies { [Kind in keyof Retention]: number | null | undefined }),
      /** What a platform takes of a trade: basis points, decimal text. */
      platformFeeBps: settings.PLATFORM_FEE_BPS,
    },
    /** Reports that one address may ask for without a key or a payment, in a day. */
    oneShotsPerDay: settings.ONE_SHOTS_PER_DAY,
    /** Whose evidence anybody may read: that of trades that were carried out, or nobody's. */
    publicEvidence: settings.PUBLIC_EVIDENCE,
    /** The market's page shows what the API gives to keys alone. */
    pagePrices: settings.PAGE_PRICES === "on",
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

/**
 * The database and how long it keeps what, for programs that need no more of the settings.
 * @throws ConfigError
 */
export function parseRetention(env: Environment): { databaseUrl: Secret; retention: JobRetention } {
  const { DATABASE_URL, DATA_DIR } = env;
  const days = Object.fromEntries(JOB_RETENTION_SETTINGS.map((name) => [name, env[name]]));
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
  const shown = SECRETS.has(name) ? "" : `, not ${JSON.stringify(value.slice(0, 80))}`;
  return `${name} ${issue.message}${shown}`;
}

function withoutFaulty(given: Environment, error: z.ZodError): Settings {
  const faulty = new Set(error.issues.map((issue) => String(issue.path[0])));
  return Settings.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !faulty.has(name))));
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
