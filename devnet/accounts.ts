/**
 * The accounts of the local chain. Their mnemonic is public, so anything they hold is worthless: the live profile refuses
 * every one of these keys.
 */
import { HDNodeWallet, Mnemonic } from "ethers";

export const DEVELOPMENT_MNEMONIC = "test test test test test test test test test test test junk";
/** How many accounts of the mnemonic hold native coin on the local chain. */
export const ACCOUNT_COUNT = 20;

export interface LocalAccount {
  readonly index: number;
  /** EIP-55 */
  readonly address: string;
  readonly privateKey: string;
}

const ROLES: readonly [string, string][] = [
  ["0", "deployer, guard admin and token issuer"],
  ["1-9", "users: 1,000,000 USDL, as many USDT and 1,000 of each stock token each (1 is the agent)"],
  ["10", "attestation key (local development key)"],
  ["11", "price publisher"],
  ["12", "market trader"],
  ["13", "pauser"],
  ["14", "relayer"],
  ["15", "payment facilitator"],
  ["16", "payee of reports in the paid phase"],
  ["17-21", "test keys that sign the prices, as Pyth's routers do (20 and 21 hold nothing)"],
];

let derivedOnce: ReturnType<typeof derived> | undefined;

/** The accounts (m/44'/60'/0'/0/n), derived once a process: stretching the mnemonic takes a while. */
export function localAccounts() {
  derivedOnce ??= derived();
  return derivedOnce;
}

function derived() {
  const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEVELOPMENT_MNEMONIC), "m/44'/60'/0'/0");
  const accounts = Array.from({ length: ACCOUNT_COUNT + 2 }, (_, index): LocalAccount => {
    const { address, privateKey } = root.deriveChild(index);
    return { index, address, privateKey };
  });
  const all = accounts.slice(0, ACCOUNT_COUNT);
  const at = (index: number) => all[index]!;
  return {
    all,
    deployer: at(0),
    users: all.slice(1, 10),
    /** The wallet of `npm run agent`: the first user. */
    agent: at(1),
    /** Development key that signs certificates of the local world and nothing else. */
    attestation: at(10),
    publisher: at(11),
    trader: at(12),
    pauser: at(13),
    relayer: at(14),
    /** Sends the settlements of payments; its native coin pays their gas. */
    facilitator: at(15),
    payee: at(16),
    /** Sign the local world's prices as Pyth's routers do: `LOCAL_SIGNER_SET` of the attestor. They hold nothing. */
    routers: accounts.slice(17),
  };
}

/** The roles as lines for people. */
export function describeAccounts(): string[] {
  return ROLES.map(([index, role]) => `${index.padStart(4)}  ${role}`);
}
