import { inspect } from "node:util";
import { expect } from "chai";
import { HDNodeWallet, Mnemonic, Wallet } from "ethers";
import { assertNotDevelopmentKey, ConfigError, parseConfig } from "../../../api/settings/config.ts";
import type { Environment } from "../../../api/settings/environment.ts";
import { faultsWhen } from "../../support/settings.ts";

const FILES: Record<string, string> = { "/keystore.json": "{}", "/passphrase": "open sesame\n" };

function readFile(path: string): string {
  const content = FILES[path];
  if (content === undefined) throw new Error("ENOENT");
  return content;
}

const faultsOf = (env: Environment) => faultsWhen(() => parseConfig(env, readFile));

const LIVE: Environment = {
  ASSAY_PROFILE: "live",
  RPC_URL: "https://rpc.example.org/v2/provider-key",
  DEPLOYMENT_FILE: "/deployments/56.json",
  ATTESTOR_KEYSTORE: "/keystore.json",
  ATTESTOR_KEYSTORE_PASSPHRASE_FILE: "/passphrase",
  LOG_KEYSTORE: "/keystore.json",
  LOG_KEYSTORE_PASSPHRASE_FILE: "/passphrase",
  LOG_ORIGIN: "assay.example.com/log",
};

describe("the settings", () => {
  it("the settings have defaults for the local profile, and an empty variable counts as not set", () => {
    for (const env of [{}, { PORT: "", DATA_DIR: "", RPC_URL: "" }]) {
      const config = parseConfig(env, readFile);
      expect(config).to.deep.include({
        profile: "local",
        host: "127.0.0.1",
        port: 3000,
        dataDir: "./data",
        deploymentFile: "data/chain/deployment.json",
        attestor: null,
        keyLimitPerMinute: 60,
        keyAutoApproveLimit: null,
        addressLimitPerMinute: 20,
        trustProxy: false,
        paymentPhase: "free",
        logLevel: "info",
      });
      expect(config.databaseUrl.reveal()).to.equal("sqlite:data/assay.db");
      expect(config.rpcUrl.reveal()).to.equal("http://127.0.0.1:8545");
    }
  });

  it("the settings come from environment variables", () => {
    const config = parseConfig(
      {
        PORT: "0",
        HOST: "::1",
        DATA_DIR: "/srv",
        DATABASE_URL: "postgres://u:p@db/assay",
        RPC_PORT: "9000",
        KEY_LIMIT_PER_MINUTE: "5",
        KEY_AUTO_APPROVE_LIMIT: "3",
        ADDRESS_LIMIT_PER_MINUTE: "2",
        LOG_LEVEL: "debug",
        ATTESTOR_PRIVATE_KEY: `0x${"1".repeat(64)}`,
      },
      readFile,
    );
    expect(config).to.deep.include({ port: 0, host: "::1", deploymentFile: "/srv/chain/deployment.json" });
    expect(config).to.include({ keyLimitPerMinute: 5, keyAutoApproveLimit: 3, addressLimitPerMinute: 2 });
    expect(config.logLevel).to.equal("debug");
    expect(config.databaseUrl.reveal()).to.equal("postgres://u:p@db/assay");
    expect(config.rpcUrl.reveal()).to.equal("http://127.0.0.1:9000");
    expect(config.attestor?.backend).to.equal("privateKey");
  });

  it("the settings give a process a role of its own on PostgreSQL alone, and say how long one that is to end serves on", () => {
    expect(parseConfig({}, readFile)).to.include({ role: "all", drainMs: 0 });
    const url = "postgres://localhost/assay";
    for (const role of ["api", "worker", "all"] as const) {
      const config = parseConfig({ ROLE: role, DATABASE_URL: url, DRAIN_MS: "3000" }, readFile);
      expect(config).to.include({ role, drainMs: 3_000 });
    }
    for (const env of [{}, { DATABASE_URL: "sqlite:assay.db" }])
      expect(faultsOf({ ...env, ROLE: "worker" })).to.deep.equal([
        "ROLE=worker needs PostgreSQL in DATABASE_URL: on SQLite one process does everything (ROLE=all)",
      ]);
    expect(faultsOf({ ROLE: "both", DRAIN_MS: "60001" })).to.deep.equal([
      'ROLE must be one of api, worker, all, not "both"',
      'DRAIN_MS must be a whole number from 0 to 60000, not "60001"',
    ]);
  });

  it("the settings of the live profile name a keystore, whose passphrase is without the file's line break", () => {
    const config = parseConfig(LIVE, readFile);
    if (config.attestor?.backend !== "keystore") throw new Error("no keystore");
    expect(config.attestor.path).to.equal("/keystore.json");
    expect(config.attestor.passphrase.reveal()).to.equal("open sesame");
  });

  it("the settings are refused with each wrong value and its variable, but for addresses, which may hold secrets", () => {
    const number = (from: number, to: number) => `must be a whole number from ${from} to ${to}, not`;
    const levels = "must be one of fatal, error, warn, info, debug, trace, silent, not";
    /** Invalid values of each setting, with the words that the error begins with. */
    const told: [name: string, fault: string, ...values: string[]][] = [
      ["PORT", number(0, 65_535), "http", "65536", "-1", "1e3"],
      ["KEY_LIMIT_PER_MINUTE", number(1, 1_000_000), "0"],
      ["KEY_AUTO_APPROVE_LIMIT", number(1, 1_000_000), "0", "yes"],
      ["ADDRESS_LIMIT_PER_MINUTE", number(1, 1_000_000), "a"],
      ["ASSAY_PROFILE", "must be one of local, live, not", "prod"],
      ["LOG_LEVEL", levels, "loud"],
      ["PAYMENT_PHASE", "must be one of free, paid, not", "maybe"],
      ["METRICS_PORT", number(0, 65_535), "on"],
    ];
    for (const [name, fault, ...values] of told)
      for (const value of values)
        expect(faultsOf({ [name]: value }), name).to.deep.equal([`${name} ${fault} "${value}"`]);
    for (const [name, value, fault] of [
      ["RPC_URL", "ws://x", "must be a URL such as http://127.0.0.1:8545"],
      ["DATABASE_URL", "mysql://u:geheim@x", "must be postgres://…, sqlite:<path> or a path"],
    ] as const)
      expect(faultsOf({ [name]: value }), name).to.deep.equal([`${name} ${fault}`]);
  });

  it("the settings trust proxies by number or address, and never everybody", () => {
    const trust = (value: string) => parseConfig({ TRUST_PROXY: value }, readFile).trustProxy;
    expect(trust("false")).to.equal(false);
    expect(trust("0")).to.equal(false);
    expect(trust("2")).to.equal(2);
    expect(trust("loopback, 10.0.0.0/8,fd00::/8")).to.deep.equal(["loopback", "10.0.0.0/8", "fd00::/8"]);
    for (const value of ["true", "yes", "10.0.0.0/33", "10.0.0", "a.example", "10.0.0.1/8/8", ","])
      expect(faultsOf({ TRUST_PROXY: value }), value).to.have.length(1);
  });

  it("the settings of the live profile are refused with everything that is missing or wrong at once", () => {
    expect(faultsOf({ ASSAY_PROFILE: "live", PORT: "x" })).to.deep.equal([
      'PORT must be a whole number from 0 to 65535, not "x"',
      "ATTESTOR_KEYSTORE is required in the live profile",
      "RPC_URL is required in the live profile",
      "DEPLOYMENT_FILE is required in the live profile",
      "LOG_KEYSTORE is required in the live profile",
      "the decision log needs a name: set PUBLIC_URL or LOG_ORIGIN",
    ]);
    for (const name of ["RPC_URL", "DEPLOYMENT_FILE", "ATTESTOR_KEYSTORE", "LOG_KEYSTORE"])
      expect(faultsOf({ ...LIVE, [name]: undefined }).join()).to.contain(`${name} is required`);
  });

  it("the settings of the live profile take no key from the environment", () => {
    const fault = "ATTESTOR_PRIVATE_KEY works in the local profile only: use ATTESTOR_KEYSTORE";
    const ATTESTOR_PRIVATE_KEY = `0x${"1".repeat(64)}`;
    expect(faultsOf({ ...LIVE, ATTESTOR_PRIVATE_KEY })).to.include(fault);
    expect(faultsOf({ ...LIVE, ATTESTOR_KEYSTORE: "", ATTESTOR_PRIVATE_KEY })).to.include(fault);
    expect(faultsOf({ ...LIVE, ATTESTOR_PRIVATE_KEY: "junk" })).to.include(fault);
  });

  it("the settings of the live profile need one passphrase, and files that can be read", () => {
    const needsOne =
      "ATTESTOR_KEYSTORE needs either ATTESTOR_KEYSTORE_PASSPHRASE or ATTESTOR_KEYSTORE_PASSPHRASE_FILE";
    expect(faultsOf({ ...LIVE, ATTESTOR_KEYSTORE_PASSPHRASE_FILE: undefined })).to.deep.equal([needsOne]);
    expect(faultsOf({ ...LIVE, ATTESTOR_KEYSTORE_PASSPHRASE: "x" })).to.deep.equal([needsOne]);
    for (const name of ["ATTESTOR_KEYSTORE", "ATTESTOR_KEYSTORE_PASSPHRASE_FILE"]) {
      const unread = `${name} names a file that cannot be read: /none`;
      expect(faultsOf({ ...LIVE, [name]: "/none" })).to.deep.equal([unread]);
    }
  });

  it("the settings never show a secret, whichever way they are printed or refused", () => {
    const secrets = {
      DATABASE_URL: "postgres://user:geheim-1@host/db",
      RPC_URL: "https://rpc.example.org/geheim-2",
      ATTESTOR_KEYSTORE: "/keystore.json",
      ATTESTOR_KEYSTORE_PASSPHRASE: "geheim-3",
    };
    const config = parseConfig(secrets, readFile);
    const shown = [JSON.stringify(config), inspect(config, { depth: 9, showHidden: true })];
    shown.push(`${config.databaseUrl}${config.rpcUrl}`);
    const refused = [
      faultsOf({ ...secrets, PORT: "x", ATTESTOR_PRIVATE_KEY: "geheim-4" }),
      faultsOf({ DATABASE_URL: "mysql://geheim-5", RPC_URL: "geheim-6" }),
    ];
    expect([...shown, ...refused.flat()].join("\n")).to.not.contain("geheim");
  });

  it("the settings know the development keys that everybody knows", () => {
    const junk = Mnemonic.fromPhrase("test test test test test test test test test test test junk");
    const root = HDNodeWallet.fromMnemonic(junk, "m/44'/60'/0'/0");
    for (let index = 0; index < 20; index++) {
      const { address } = root.deriveChild(index);
      expect(() => assertNotDevelopmentKey(address), `account ${index}`).to.throw(ConfigError, address);
      expect(() => assertNotDevelopmentKey(address.toLowerCase())).to.throw(ConfigError);
    }
    const { address: ofOne } = new Wallet(`0x${"1".padStart(64, "0")}`);
    expect(() => assertNotDevelopmentKey(ofOne)).to.throw(ConfigError);
    expect(() => assertNotDevelopmentKey(Wallet.createRandom().address)).to.not.throw();
  });

  it("the settings take keys, addresses and limits of providers, refuse what is none, and show no key", () => {
    const baseUrls = { jupiter: "http://127.0.0.1:1", xstocks: "http://127.0.0.1:2" };
    const urls = { JUPITER_URL: baseUrls.jupiter, XSTOCKS_URL: baseUrls.xstocks };
    const { providers } = parseConfig({ JUPITER_KEY: "s3cret", ...urls });
    expect(providers.keys.jupiter?.reveal()).to.equal("s3cret");
    const { limits } = parseConfig({ JUPITER_LIMIT: "600", SOLANA_RPC_LIMIT: "1" }).providers;
    expect(limits).to.deep.equal({ jupiter: 600, solana: 1 });
    expect(faultsOf({ JUPITER_LIMIT: "0" })[0]).to.match(/^JUPITER_LIMIT must be/);
    expect(providers.baseUrls).to.deep.equal(baseUrls);
    expect(JSON.stringify(providers)).not.to.include("s3cret");
    expect(() => parseConfig({ BINANCE_URL: "nowhere" })).to.throw("BINANCE_URL must be a URL");
    expect(faultsOf({ SOLANA_RPC_URL: "wss://node/?api-key=s3cret" })[0]).not.to.include("s3cret");
  });

  it("the settings name the address that clients see, without the slash at its end", () => {
    expect(parseConfig({}).publicUrl).to.equal(null);
    const { publicUrl } = parseConfig({ PUBLIC_URL: "https://assay.example.com/api/" });
    expect(publicUrl).to.equal("https://assay.example.com/api");
    for (const wrong of ["assay.example.com", "ftp://a.example", "https://a.example/?q=1"])
      expect(() => parseConfig({ PUBLIC_URL: wrong })).to.throw(ConfigError, "PUBLIC_URL must be a URL");
  });

  for (const [setting, name] of [
    ["BINANCE_RWA_KEY", "binanceRwa"],
    ["CHAINLINK_STREAMS_KEY", "chainlink-streams"],
  ] as const)
    it(`the settings take ${setting} with its secret alone, and show neither`, () => {
      expect(parseConfig({ [setting]: "k1:s3cret" }).providers.keys[name]?.reveal()).to.equal("k1:s3cret");
      for (const wrong of ["s3cret", "s3cret:", ":s3cret", "a:s3cret:b"])
        expect(() => parseConfig({ [setting]: wrong }))
          .to.throw(ConfigError, `${setting} must be a key and its secret`)
          .and.not.match(/s3cret/);
    });

  it("the settings say what is kept how long, and no shorter than the figures need", () => {
    const days = { RETENTION_RAW_DAYS: "5", RETENTION_HOUR_DAYS: "forever" };
    const { market } = parseConfig({ ...days, PLATFORM_FEE_BPS: "12.5" });
    expect(market).to.deep.equal({ retention: { rawDays: 5, hourDays: null }, platformFeeBps: "12.5" });
    expect(() => parseConfig({ RETENTION_IMPACT_DAYS: "7" })).to.throw("RETENTION_IMPACT_DAYS must be");
    expect(() => parseConfig({ PLATFORM_FEE_BPS: "-1" })).to.throw("PLATFORM_FEE_BPS must be");
  });
});

const hostsWith = (env: Record<string, string>) => parseConfig(env).mcpHosts;
const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];

describe("the hosts of /mcp in the settings", () => {
  it("the hosts of /mcp are this machine's own names by default", () => {
    expect(hostsWith({})).to.deep.equal(LOCAL_NAMES);
    expect(hostsWith({ HOST: "::1" })).to.deep.equal(LOCAL_NAMES);
  });

  it("the hosts of /mcp are also the address that the service listens at, where that is one", () => {
    expect(hostsWith({ HOST: "192.168.1.5" })).to.deep.equal([...LOCAL_NAMES, "192.168.1.5"]);
    expect(hostsWith({ HOST: "fd00::5" })).to.deep.equal([...LOCAL_NAMES, "[fd00::5]"]);
    for (const HOST of ["0.0.0.0", "::"]) expect(hostsWith({ HOST })).to.deep.equal(LOCAL_NAMES);
  });

  it("the hosts of /mcp are also the public name behind a proxy, and those that the operator adds", () => {
    const behind = hostsWith({ PUBLIC_URL: "https://Assay.example.com/base/" });
    expect(behind).to.deep.equal([...LOCAL_NAMES, "assay.example.com"]);
    const added = hostsWith({ MCP_ALLOWED_HOSTS: "assay.internal, 10.0.0.7,[fd00::5]" });
    expect(added).to.deep.equal([...LOCAL_NAMES, "assay.internal", "10.0.0.7", "[fd00::5]"]);
  });

  it("the hosts of /mcp are refused with a scheme or a port", () => {
    for (const MCP_ALLOWED_HOSTS of ["https://a.example", "a.example:80", "*", "a.example,", "a b"])
      expect(() => parseConfig({ MCP_ALLOWED_HOSTS }), MCP_ALLOWED_HOSTS)
        .to.throw(ConfigError)
        .with.property("message")
        .that.matches(/MCP_ALLOWED_HOSTS must be host names/);
  });
});
