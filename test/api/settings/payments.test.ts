/** The settings of the paid phase: one list of everything that is wrong, and nothing secret in it. */
import { expect } from "chai";
import { createLogger } from "../../../api/metrics/logger.ts";
import { startServer } from "../../../api/server.ts";
import { ConfigError, parseConfig } from "../../../api/settings/config.ts";
import type { Environment } from "../../../api/settings/environment.ts";
import { databaseFile } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { faultsWhen } from "../../support/settings.ts";
import { testWorld } from "../../support/world.ts";

const PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7";
const OPTION = {
  network: "eip155:56",
  asset: "0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d",
  name: "World Liberty Financial USD",
  version: "1",
  prices: { "*": "10000000000000000" },
};
/** Binance-Peg USDT: no EIP-3009. */
const { name, version, ...WITHOUT_DOMAIN } = OPTION;
const USDT = "0x55d398326f99059fF775485246999027B3197955";
const BY_PERMIT2 = { ...WITHOUT_DOMAIN, asset: USDT, transferMethod: "permit2" };
const LIVE: Environment = {
  ASSAY_PROFILE: "live",
  RPC_URL: "https://rpc.example.org/key",
  DEPLOYMENT_FILE: "/deployments/56.json",
  ATTESTOR_KEYSTORE: "/keystore.json",
  ATTESTOR_KEYSTORE_PASSPHRASE: "open sesame",
  LOG_KEYSTORE: "/keystore.json",
  LOG_KEYSTORE_PASSPHRASE: "open sesame",
  LOG_ORIGIN: "assay.example.com/log",
  PAYMENT_PHASE: "paid",
  PAYMENT_PAY_TO: PAYEE,
  PAYMENT_OPTIONS_FILE: "/options.json",
  FACILITATOR_URL: "https://facilitator.example.org/key",
  PUBLIC_URL: "https://assay.example.com",
};

function parse(env: Environment, options: unknown = { options: [OPTION] }) {
  const text = typeof options === "string" ? options : JSON.stringify(options);
  return parseConfig(env, (path) => (path === "/options.json" ? text : "content"));
}
const faultsOf = (env: Environment, options?: unknown) => faultsWhen(() => parse(env, options));

describe("the settings of the paid phase", () => {
  const world = testWorld();

  it("the settings of the paid phase are read from variables and a file", () => {
    const { payments, paymentPhase } = parse(LIVE);
    expect(paymentPhase).to.equal("paid");
    expect(payments?.payTo).to.equal(PAYEE);
    expect(payments?.facilitatorTimeoutMs).to.equal(20_000);
    expect(payments?.options?.[0]).to.deep.include({ ...OPTION, maxTimeoutSeconds: 300, confirmations: 1 });
  });

  it("the settings of the paid phase say of each token how it is moved, EIP-3009 where they say nothing", () => {
    const { payments } = parse(LIVE, { options: [OPTION, BY_PERMIT2] });
    const methods = payments?.options?.map(({ transferMethod, name }) => [transferMethod, name]);
    expect(methods?.flat()).to.deep.equal(["eip3009", OPTION.name, "permit2", undefined]);
  });

  it("the settings of the paid phase are not looked at in the free phase", () => {
    expect(parse({ ...LIVE, PAYMENT_PHASE: "free" }, "{").payments).to.equal(null);
  });

  it("the settings of the paid phase are all required in the live profile, and all missing ones are named at once", () => {
    const names = ["PAYMENT_PAY_TO", "PAYMENT_OPTIONS_FILE", "FACILITATOR_URL", "PUBLIC_URL"];
    const rest = { ...LIVE, ...Object.fromEntries(names.map((name) => [name, undefined])) };
    const required = names.map((name) => `${name} is required for PAYMENT_PHASE=paid in the live profile`);
    expect(faultsOf(rest)).to.deep.equal(required);
  });

  it("the settings of the paid phase let no live service be paid on a well-known development account", () => {
    const known = "0x2546BcD3c84621e976D8185a91A922aE77ECEc30";
    const fault = [`payments to ${known} would go to a well-known development account`];
    expect(faultsOf({ ...LIVE, PAYMENT_PAY_TO: known })).to.deep.equal(fault);
    expect(faultsOf(LIVE, { options: [{ ...OPTION, payTo: known }] })).to.deep.equal(fault);
  });

  it("the settings of the paid phase say where in the options file something is wrong, and never quote it", () => {
    const option = (changes: object) => ({ options: [{ ...OPTION, ...changes }] });
    const twice = "names the same token of a network twice";
    const eip3009 = 'is required with the transfer method "eip3009"';
    const alone = 'goes with the transfer method "eip3009" alone';
    const cases: [unknown, string][] = [
      ["{", "PAYMENT_OPTIONS_FILE is not JSON"],
      [{ options: [] }, "PAYMENT_OPTIONS_FILE options: "],
      [option({ network: "base" }), "options.0.network: must be eip155:<chain id>"],
      [option({ asset: "0x12" }), "options.0.asset: "],
      [option({ prices: {} }), "options.0.prices: must name a price"],
      [option({ prices: { "*": "0" } }), "options.0.prices.*: must be more than zero"],
      [option({ prices: { "*": "0.5" } }), "options.0.prices.*: must be a decimal integer"],
      [option({ prices: { "*": [{ price: "1" }] } }), "options.0.prices.*: "],
      [{ options: [OPTION], dollarsPerToken: {} }, "PAYMENT_OPTIONS_FILE content: "],
      [option({ rpcUrl: "ftp://secret-key" }), "options.0.rpcUrl: must be an http"],
      [option({ maxTimeoutSeconds: 1 }), "options.0.maxTimeoutSeconds: "],
      [{ options: [OPTION, OPTION] }, twice],
      [option({ price: "1" }), "options.0: "],
      [option({ transferMethod: "erc7710" }), "options.0.transferMethod: "],
      [option({ version: undefined }), `options.0.version: ${eip3009}`],
      [{ options: [{ ...BY_PERMIT2, name: "USDT" }] }, `options.0.name: ${alone}`],
      [{ options: [OPTION, { ...BY_PERMIT2, asset: OPTION.asset }] }, twice],
    ];
    for (const [options, fault] of cases) {
      const faults = faultsOf(LIVE, options);
      expect(faults, JSON.stringify(options)).to.have.length(1);
      expect(faults[0]).to.include(fault).and.not.include("secret-key");
    }
    expect(faultsOf({ ...LIVE, PAYMENT_PAY_TO: "me" })[0]).to.include("PAYMENT_PAY_TO must be an address");
    expect(faultsOf({ ...LIVE, FACILITATOR_KEY: "two words" })).to.deep.equal([
      "FACILITATOR_KEY must be one word of printable characters",
    ]);
    expect(faultsOf({ ...LIVE, FACILITATOR_URL: "facilitator secret" })[0]).to.equal(
      "FACILITATOR_URL must be a URL such as https://facilitator.example.com",
    );
  });

  it("the settings of the paid phase stop the start with one list of what contradicts the deployment", async () => {
    const database = databaseFile();
    const places = { DATA_DIR: world.dataDir, DATABASE_URL: database.url, RPC_URL: world.url };
    const ATTESTOR_PRIVATE_KEY = world.accounts.attestation.privateKey;
    const env = { PORT: "0", ...places, ATTESTOR_PRIVATE_KEY, PAYMENT_PHASE: "paid" };
    const start = async (more: object, options?: unknown) => {
      const logger = createLogger({ level: "silent" });
      return (await failureOf(startServer(parse({ ...env, ...more }, options), { logger }), ConfigError))
        .faults;
    };
    expect(await start({})).to.deep.equal([
      "PAYMENT_OPTIONS_FILE is required for PAYMENT_PHASE=paid",
      "FACILITATOR_URL is required for PAYMENT_PHASE=paid",
    ]);
    const set = { PAYMENT_OPTIONS_FILE: "/options.json", FACILITATOR_URL: "http://127.0.0.1:1" };
    const faults = await start(set, { options: [{ ...OPTION, prices: { STRICT_LIVE: "1" } }] });
    expect(faults).to.have.length(2 + 2);
    expect(faults.join()).to.include("names no payTo").and.not.include("undefined");
    await database.remove();
  });
});
