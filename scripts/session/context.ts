/** Everything outside that an admin command touches, as one object: tests bring their own. */
import { join } from "node:path";
import type { Secret } from "../../api/settings/secret.ts";
import type { UnixMs } from "../../attestor/values/time.ts";

export const REPOSITORY = join(import.meta.dirname, "../..");

/** Where the keys of a network's configuration are. */
export type AccountSource =
  /** Private keys, from the Hardhat keystore or, for the local chain alone, the development mnemonic. */
  | { readonly kind: "keys"; readonly privateKeys: readonly Secret[] }
  /** The RPC signs: Frame with a Ledger behind it, web3signer, Clef through its node. */
  | { readonly kind: "remote" };

/** What `--network` named. Nothing of it is asked for before it is needed, because asking may prompt. */
export interface Network {
  readonly name: string;
  /** From the configuration; null where it names none, or where the network lives in this process alone. */
  readonly chainId: number | null;
  /** May carry a provider's key. */
  url(): Promise<Secret>;
  accounts(): Promise<AccountSource>;
}

export interface AdminContext {
  readonly network: Network;
  /** Folder of the records: `<chainId>.json`, `.desired.json`, `.history.jsonl`, `.pending.json`. */
  readonly deploymentsDir: string;
  /** The service's data folder, where the local chain records its deployments. */
  readonly dataDir: string;
  /** The operator; recorded in the history. */
  readonly actor: string;
  /** The address that the service would sign certificates with, by its settings here; null: they name none. */
  attestor(): Promise<string | null>;
  /** The commit of this working copy; null outside of one. */
  commit(): Promise<string | null>;
  now(): UnixMs;
  sleep(milliseconds: number): Promise<void>;
  print(line: string): void;
  printError(line: string): void;
  /** Asks for a yes. False where nobody is there to answer. */
  confirm(question: string): Promise<boolean>;
  /** The way to providers that need no key. */
  readonly fetch: typeof fetch;
  /** How long one question to the RPC may take. */
  readonly rpcTimeoutMs: number;
}
