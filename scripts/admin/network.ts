/**
 * The networks of `--network`: the local chain, and each of `attestor/chains.json`. Address and key come from the settings:
 * `BSC_RPC_URL`, `BSC_KEYSTORE`, `BSC_PASSPHRASE_FILE`, `BSC_SIGNER_URL` for `bsc`.
 */
import { resolve } from "node:path";
import { getAddress } from "ethers";
import { z } from "zod";
import { withFiles } from "../../api/settings/environment.ts";
import { Secret } from "../../api/settings/secret.ts";
import { CHAINS } from "../../attestor/chains.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { type GivenBy, text } from "../command.ts";
import { passphraseFrom, type World } from "../console.ts";
import { Refused } from "../errors.ts";

export const LOCAL_CHAIN_ID = 31_337;
const DEFAULT_RPC_PORT = "8545";

/** Where the keys of a network are. */
export type AccountSource =
  /** Those of the local chain, which everybody has. */
  | { readonly kind: "keys"; readonly privateKeys: readonly Secret[] }
  /** An encrypted keystore, as `assay keystore create` makes it. The passphrase is asked for when something is signed. */
  | { readonly kind: "keystore"; readonly path: string; passphrase(): Promise<string> }
  /** The RPC signs: Frame with a Ledger behind it, web3signer, Clef through its node. */
  | { readonly kind: "remote" };

export interface Network {
  readonly name: string;
  readonly chainId: number;
  /** May carry a provider's key. @throws Refused where the settings name none */
  url(): Secret;
  /** @throws Refused where the settings name none */
  accounts(): AccountSource;
}

export const NETWORK_OPTIONS = {
  network: text("NAME", "the chain: local (the default) or one of attestor/chains.json, such as bsc"),
  /** `external`: the signer at the setting <NETWORK>_SIGNER_URL. */
  keystore: text(
    "FILE",
    "encrypted keystore of the account that acts; by default the setting <NETWORK>_KEYSTORE",
  ),
  passphraseFile: text("FILE", "take its passphrase from the first line of a file instead of asking"),
};

/** Web3 Secret Storage names the address beside the encrypted key, with or without 0x. A log's key says of what kind it is. */
const Keystore = z.object({
  address: z.string().regex(/^(0x)?[0-9a-fA-F]{40}$/),
  kind: z.never().optional(),
});

/** The account of a keystore, without its passphrase. @returns EIP-55; null for what is no keystore of an account */
export function accountIn(json: string): string | null {
  const named = Keystore.safeParse(orElse(() => JSON.parse(json), null)).data?.address;
  return named === undefined ? null : getAddress(`0x${named.replace(/^0x/, "")}`);
}

export type NetworkGiven = Partial<GivenBy<typeof NETWORK_OPTIONS>>;

/** In place of a keystore's file. */
const EXTERNAL = "external";

type Settings = Pick<World, "env" | "ask" | "readText">;

/** @throws Refused for a name that no row has */
export function networkNamed(given: NetworkGiven, world: Settings): Network {
  const name = given.network ?? "local";
  if (name === "local") return localNetwork(given, world);
  const row = Object.values(CHAINS).find(({ network }) => network === name);
  if (row?.chainId == null) {
    const names = Object.values(CHAINS).flatMap(({ network, chainId }) =>
      chainId === null ? [] : (network ?? []),
    );
    throw new Refused(`There is no network "${name}"; there are local, ${names.join(", ")}.`);
  }
  const prefix = name.toUpperCase();
  const isExternal = given.keystore === EXTERNAL;
  const setting = `${prefix}_${isExternal ? "SIGNER" : "RPC"}_URL`;
  return {
    name,
    chainId: row.chainId,
    url: () => {
      const url = withFiles({ ...world.env }, undefined, [setting])[setting];
      if (url) return new Secret(url);
      throw new Refused(`Set ${setting}, or ${setting}_FILE, to a JSON-RPC address of ${name}.`);
    },
    accounts: () => (isExternal ? { kind: "remote" } : keystoreOf(prefix, given, world)),
  };
}

/** The chain of `npm start`. Everybody has its keys, and its money is none. */
function localNetwork(given: NetworkGiven, world: Settings): Network {
  const { RPC_PORT = DEFAULT_RPC_PORT } = world.env;
  return {
    name: "local",
    chainId: LOCAL_CHAIN_ID,
    url: () => new Secret(`http://127.0.0.1:${RPC_PORT}`),
    accounts: () =>
      given.keystore === undefined
        ? { kind: "keys", privateKeys: localAccounts().all.map(({ privateKey }) => new Secret(privateKey)) }
        : keystoreOf("LOCAL", given, world),
  };
}

function keystoreOf(
  prefix: string,
  { keystore, passphraseFile }: NetworkGiven,
  world: Settings,
): AccountSource {
  const path = keystore ?? world.env[`${prefix}_KEYSTORE`];
  if (!path)
    throw new Refused(
      `Set ${prefix}_KEYSTORE to an encrypted keystore (assay keystore create), or name one with --keystore.`,
    );
  // A setting that is there without a value is as one that is not set.
  const file = passphraseFile ?? (world.env[`${prefix}_PASSPHRASE_FILE`] || undefined);
  return {
    kind: "keystore",
    path: resolve(path),
    passphrase: () => passphraseFrom(file, `Passphrase of ${path}: `, world),
  };
}
