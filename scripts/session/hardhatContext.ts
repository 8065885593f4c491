/** The real hands of an admin: Hardhat's configuration and keystore, this terminal, this working copy. */
import { execFile } from "node:child_process";
import { hostname, userInfo } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { HDNodeWallet, Mnemonic } from "ethers";
import type { HttpNetworkAccountsConfig } from "hardhat/types/config";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { environment } from "../../api/settings/environment.ts";
import { Secret } from "../../api/settings/secret.ts";
import { AdminError } from "../adminErrors.ts";
import { attestorAddress } from "./attestor.ts";
import { askYes, plainText } from "./confirm.ts";
import { type AccountSource, type AdminContext, type Network, REPOSITORY } from "./context.ts";

const RPC_TIMEOUT_MS = 20_000;

/**
 * @param dir folder of the records, from the option `--dir`
 * @throws AdminError `wrong_network` when the configuration has no such network
 */
export function contextFrom(hre: HardhatRuntimeEnvironment, dir: string | undefined): AdminContext {
  const env = environment();
  return {
    network: networkFrom(hre),
    deploymentsDir: dir === undefined ? resolve(REPOSITORY, "deployments") : resolve(dir),
    dataDir: resolve(REPOSITORY, env.DATA_DIR ?? "data"),
    actor: `${userInfo().username}@${hostname()}`,
    attestor: () => attestorAddress(env),
    commit,
    now: Date.now,
    sleep: (milliseconds) => sleep(milliseconds),
    print: (line) => console.log(plainText(line)),
    printError: (line) => console.error(plainText(line)),
    confirm,
    fetch,
    rpcTimeoutMs: RPC_TIMEOUT_MS,
  };
}

function networkFrom(hre: HardhatRuntimeEnvironment): Network {
  const name = hre.globalOptions.network ?? "default";
  const config = hre.config.networks[name];
  if (config === undefined) {
    const known = Object.entries(hre.config.networks).filter(([, { type }]) => type === "http");
    throw new AdminError(
      "wrong_network",
      `hardhat.config.ts has no network "${name}"; it has ${known.map(([other]) => other).join(", ")}.`,
    );
  }
  return {
    name,
    chainId: config.type === "http" ? (config.chainId ?? null) : null,
    url: async () => {
      if (config.type !== "http")
        throw new AdminError("wrong_network", `The network "${name}" has no address.`);
      return new Secret(await config.url.getUrl());
    },
    accounts: async () =>
      config.type === "http" ? await accountsFrom(config.accounts) : { kind: "keys", privateKeys: [] },
  };
}

async function accountsFrom(accounts: HttpNetworkAccountsConfig): Promise<AccountSource> {
  if (accounts === "remote") return { kind: "remote" };
  if (Array.isArray(accounts)) {
    const privateKeys: Secret[] = [];
    // One after the other: each may ask for the keystore's password.
    for (const account of accounts) privateKeys.push(new Secret(await account.getHexString()));
    return { kind: "keys", privateKeys };
  }
  const { mnemonic, passphrase, path, initialIndex, count } = accounts;
  const phrase = Mnemonic.fromPhrase((await mnemonic.get()).trim(), await passphrase.get());
  const root = HDNodeWallet.fromMnemonic(phrase, path);
  return {
    kind: "keys",
    privateKeys: Array.from(
      { length: count },
      (_, index) => new Secret(root.deriveChild(initialIndex + index).privateKey),
    ),
  };
}

async function commit(): Promise<string | null> {
  try {
    const args = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude", "*"];
    const { stdout } = await promisify(execFile)("git", args, { cwd: REPOSITORY, timeout: 10_000 });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

async function confirm(question: string): Promise<boolean> {
  return process.stdin.isTTY && (await askYes(question, process.stdin, process.stderr));
}
