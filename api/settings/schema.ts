/**
 * Every setting: its form, its default, and what it means to an operator. `config.ts` reads the environment by it, and
 * `npm run reference` writes docs/run/settings.md from it, a table for each section. Settings with the same meaning share
 * a row.
 */
import { z } from "zod";
import {
  AddressSetting,
  days,
  KmsKey,
  MAX_LIMIT_PER_MINUTE,
  oneOf,
  secret,
  secretOrFile,
  url,
  wholeNumber,
} from "./forms.ts";
import { OriginSetting, WitnessList } from "./logSettings.ts";
import { HostList, TrustProxySetting } from "./mcpHosts.ts";
import { PROVIDER_SETTINGS } from "./providers.ts";

const process = {
  ASSAY_PROFILE: oneOf(["local", "live"])
    .default("local")
    .describe("`live` runs the service on a public chain and refuses development keys."),
  ROLE: oneOf(["api", "worker", "all"])
    .default("all")
    .describe(
      "What this process does: see [roles](several-machines.md#roles). `api` and `worker` need PostgreSQL.",
    ),
  DRAIN_MS: wholeNumber(0, 60_000)
    .default(0)
    .describe(
      "Milliseconds that a stopping process keeps serving while `/readyz` answers 503. Use 3000 behind a balancer.",
    ),
  HOST: z.string().default("127.0.0.1").describe("Address on which the API listens."),
  PORT: wholeNumber(0, 65_535).default(3_000).describe("Port of the API; 0 takes a free one."),
  PUBLIC_URL: url(/^https?:\/\/[^?#]+$/i, "https://assay.example.com")
    .transform((text) => text.replace(/\/+$/, ""))
    .optional()
    .describe(
      "Address at which clients find the service. Required live to sell reports, and to name the log unless `LOG_ORIGIN` does. Default: host and port.",
    ),
  SECURITY_CONTACT: url(/^(https:\/\/|mailto:[^@\s]+@)\S+$/i, "mailto:security@example.com")
    .optional()
    .describe(
      "Where to report vulnerabilities: `https://…` or `mailto:…`, shown at `/.well-known/security.txt`.",
    ),
  MCP_ALLOWED_HOSTS: HostList.default([]).describe(
    "Host names, separated by commas, that `/mcp` accepts besides localhost, `HOST` and that of `PUBLIC_URL`. Add the name that a proxy passes on as `Host`.",
  ),
  TRUST_PROXY: TrustProxySetting.default(false).describe(
    "How many proxies are in front, or their networks, separated by commas. Without it all clients behind a proxy share one address and its limits.",
  ),
  LOG_LEVEL: oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("Level of the JSON lines on standard output; `warn` under `npm start`."),
};

const data = {
  DATA_DIR: z.string().default("./data").describe("Folder of the database and `local.json`."),
  DATABASE_URL: z
    .string()
    .refine((text) => !/^[a-z]+:\/\//i.test(text) || /^(postgres(ql)?|sqlite):\/\//.test(text), {
      error: "must be postgres://…, sqlite:<path> or a path",
    })
    .optional()
    .meta(secretOrFile("`postgres://…`, `sqlite:<path>` or a path. Default: SQLite in `DATA_DIR`.")),
};

const chain = {
  RPC_URL: url(/^https?:\/\//i, "http://127.0.0.1:8545")
    .optional()
    .meta(secretOrFile("Address of the chain's node. Required live. Default: the local chain.")),
  RPC_PORT: wholeNumber(1, 65_535).default(8_545).describe("Port of the local chain."),
  DEPLOYMENT_FILE: z
    .string()
    .optional()
    .describe(
      "[The deployment file](deployment-file.md). Required live. Default: `DATA_DIR/chain/deployment.json`.",
    ),
  PUBLISHER_KEYS_FILE: z
    .string()
    .optional()
    .describe(
      "Keys of price publishers that this version does not know yet, in the form of `assay verify --guardian-sets`.",
    ),
};

const KEYSTORE =
  "Keystore file of the attestation key, and of the [decision log](../spec/log.md)'s. Required live, unless the key is in [KMS](keys.md#a-key-in-aws-kms). Local default: development keys.";
const PASSPHRASE = "Its passphrase, or the file with it. Set one.";
const SIGNER =
  "Where the key is kept. The start fails if the other kind is set too. Default: the kind that is set.";
const keptIn = oneOf(["keystore", "aws-kms"]).optional();
const kmsKey = KmsKey.optional().describe(
  "Id, ARN or alias of a key in AWS KMS. `ATTESTOR_NEXT_KMS_KEY` names [the next one](keys.md#the-next-key-of-kms).",
);

const keys = {
  ATTESTOR_KEYSTORE: z.string().optional().describe(KEYSTORE),
  LOG_KEYSTORE: z.string().optional().describe(KEYSTORE),
  ATTESTOR_KEYSTORE_PASSPHRASE_FILE: z.string().optional().describe(PASSPHRASE),
  ATTESTOR_KEYSTORE_PASSPHRASE: z.string().optional().meta(secret(PASSPHRASE)),
  LOG_KEYSTORE_PASSPHRASE_FILE: z.string().optional().describe(PASSPHRASE),
  LOG_KEYSTORE_PASSPHRASE: z.string().optional().meta(secret(PASSPHRASE)),
  ATTESTOR_PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hexadecimal digits")
    .optional()
    .meta(secret("The attestation key itself. Only in the local profile.")),
  ATTESTOR_ADDRESS: AddressSetting.optional().describe(
    "Address that the attestation key must have. The start fails if it has another.",
  ),
  ATTESTOR_SIGNER: keptIn.describe(SIGNER),
  LOG_SIGNER: keptIn.describe(SIGNER),
  ATTESTOR_SIGNER_TIMEOUT_MS: wholeNumber(100, 10_000)
    .default(2_000)
    .describe("Milliseconds that KMS may take for one certificate."),
  // Less than what the publisher's lease has left when it signs.
  LOG_SIGNER_TIMEOUT_MS: wholeNumber(100, 1_400).default(1_000).describe("The same for one checkpoint."),
  ATTESTOR_KMS_KEY: kmsKey,
  ATTESTOR_NEXT_KMS_KEY: kmsKey,
  LOG_KMS_KEY: kmsKey,
};

const log = {
  LOG_ORIGIN: OriginSetting.optional().describe(
    "Name of the log, such as `assay.example.com/log`. A log that has begun keeps its name. Default: from `PUBLIC_URL`.",
  ),
  LOG_STATE_DIR: z
    .string()
    .optional()
    .describe("Folder of the log's last checkpoint, which is not in the database. Default: `DATA_DIR/log`."),
  LOG_WITNESSES: WitnessList.default([]).describe(
    "Witnesses that cosign the log: `<vkey> <url>`, separated by commas.",
  ),
  LOG_WAIT_MS: wholeNumber(50, 30_000)
    .default(250)
    .describe("Milliseconds that prepare-execution waits for its checkpoint before it answers 503."),
};

const access = {
  ONE_SHOTS_PER_DAY: wholeNumber(1, 1_000_000_000)
    .default(500)
    .describe("Reports that one address may have in a UTC day without a key or a payment; then 429."),
  KEY_AUTO_APPROVE_LIMIT: wholeNumber(1, MAX_LIMIT_PER_MINUTE)
    .optional()
    .describe(
      "Requests a minute of keys that work at once, such as 10. Without it a person approves [each key](keys.md#api-keys).",
    ),
  KEY_LIMIT_PER_MINUTE: wholeNumber(1, MAX_LIMIT_PER_MINUTE).default(60).describe("Default limit of a key."),
  ADDRESS_LIMIT_PER_MINUTE: wholeNumber(1, MAX_LIMIT_PER_MINUTE)
    .default(20)
    .describe(
      "Requests a minute of an address without a key; some endpoints take [a multiple](../data.md#limits).",
    ),
  PUBLIC_EVIDENCE: oneOf(["executed", "off"])
    .default("executed")
    .describe("`off`: only a job's holder can read its [evidence](go-live.md#6-write-the-settings)."),
  PAGE_PRICES: oneOf(["off", "on"])
    .default("off")
    .describe(
      "`on`: the market's page shows prices and liquidity grades, for which the API needs a key. Read the providers' terms first.",
    ),
};

const market = {
  PLATFORM_FEE_BPS: z
    .string()
    .regex(/^[0-9]{1,4}(\.[0-9]{1,4})?$/, "must be a number of basis points such as 10")
    .optional()
    .describe("Fee of a trading platform, deducted from the net edge. Default: 10."),
};

/** A job lives for a day, and its transactions are looked for a day longer. */
const LEAST_JOB_DAYS = 3;

const retention = {
  RETENTION_RAW_DAYS: days(1).describe("Samples, in days or `forever`. Default: 30."),
  RETENTION_IMPACT_DAYS: days(8).describe("Impact samples. Default: 100."),
  RETENTION_HOUR_DAYS: days(1).describe("Hour buckets. Default: 730."),
  RETENTION_VOLUME_DAYS: days(8).describe("Volumes. Default: 30."),
  RETENTION_TOTAL_DAYS: days(1).describe("Daily totals. Default: forever."),
  RETENTION_REJECTED_DAYS: days(1).describe("Rejected samples. Default: 30."),
  RETENTION_ONE_SHOT_DAYS: days(LEAST_JOB_DAYS).describe(
    "[One-shot jobs](backup-and-upgrade.md#retention). Default: 7.",
  ),
  RETENTION_JOB_DAYS: days(LEAST_JOB_DAYS).describe("Jobs of API keys. Default: 90."),
  RETENTION_SOLD_DAYS: days(LEAST_JOB_DAYS).describe(
    "Jobs that were paid for or executed. Default: forever.",
  ),
  RETENTION_FAILED_PAYMENT_DAYS: days(LEAST_JOB_DAYS).describe("Payments that failed. Default: 30."),
};

const payments = {
  PAYMENT_PHASE: oneOf(["free", "paid"]).default("free").describe("`paid` [sells reports](payments.md)."),
  PAYMENT_PAY_TO: AddressSetting.optional().describe(
    "The payee. Required live, not a development account. Local default: development account 16.",
  ),
  PAYMENT_OPTIONS_FILE: z
    .string()
    .optional()
    .describe(
      "[Tokens and prices](payments.md#ways-to-pay). Required live. Local default: a cent of USDL or USDT.",
    ),
  FACILITATOR_URL: url(/^https?:\/\//i, "https://facilitator.example.com")
    .optional()
    .meta(secretOrFile("x402 facilitator. Required live. Local default: one in the same process.")),
  FACILITATOR_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,4096}$/, "must be one word of printable characters")
    .optional()
    .meta(secretOrFile("Sent to the facilitator as a bearer token.")),
  FACILITATOR_TIMEOUT_MS: wholeNumber(100, 120_000)
    .default(20_000)
    .describe("Milliseconds for one request to the facilitator."),
};

const metrics = {
  METRICS_PORT: wholeNumber(0, 65_535)
    .optional()
    .describe("Port of `GET /metrics`: see [metrics](monitoring.md#metrics-and-alerts)."),
  METRICS_HOST: z.string().default("127.0.0.1").describe("Address on which the metrics listen."),
};

/** Sections of the page, in its order. */
export const SECTIONS: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  Process: process,
  "Data and databases": data,
  Chain: chain,
  Keys: keys,
  "Decision log": log,
  Access: access,
  "Market data": { ...PROVIDER_SETTINGS, ...market },
  Retention: retention,
  Payments: payments,
  Metrics: metrics,
};

export const Settings = z.object({
  ...process,
  ...data,
  ...chain,
  ...keys,
  ...log,
  ...access,
  ...PROVIDER_SETTINGS,
  ...market,
  ...retention,
  ...payments,
  ...metrics,
});
export type Settings = z.infer<typeof Settings>;

/** Settings whose values must not appear in messages. */
export const SECRETS: ReadonlySet<string> = new Set(
  Object.entries<z.ZodType>(Settings.shape)
    .filter(([, setting]) => setting.meta()?.secret === true)
    .map(([name]) => name),
);
