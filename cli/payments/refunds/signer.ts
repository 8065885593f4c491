/** An operator's own keys, from the Hardhat keystore by the project's configuration. The service has no part in it. */
import { HDNodeWallet, Mnemonic, Wallet } from "ethers";
import { PlainError } from "../../console.ts";

/** Wallets of a network of hardhat.config.ts. It may ask for the keystore's password. */
export type Signer = (network: string, chainId: number) => Promise<readonly Wallet[]>;

/** @throws PlainError */
export const hardhatSigner: Signer = async (name, chainId) => {
  const { default: hre } = await import("hardhat");
  const config = hre.config.networks[name];
  if (config?.type !== "http" || config.chainId !== chainId)
    throw new PlainError(
      `hardhat.config.ts has no network "${name}" of chain ${chainId}; name one by --signer.`,
    );
  const { accounts } = config;
  if (accounts === "remote")
    throw new PlainError(
      `The network "${name}" signs by another program: write a Safe file, or send it there by hand.`,
    );
  if (!Array.isArray(accounts)) {
    const { mnemonic, passphrase, path, initialIndex, count } = accounts;
    const phrase = Mnemonic.fromPhrase((await mnemonic.get()).trim(), await passphrase.get());
    const root = HDNodeWallet.fromMnemonic(phrase, path);
    return Array.from(
      { length: count },
      (_, index) => new Wallet(root.deriveChild(initialIndex + index).privateKey),
    );
  }
  const wallets: Wallet[] = [];
  for (const account of accounts) wallets.push(walletOf(await account.getHexString(), name));
  return wallets;
};

/** The library's own error would show the key. */
function walletOf(key: string, network: string): Wallet {
  try {
    return new Wallet(key);
  } catch {
    throw new PlainError(
      `The key of the network "${network}" is no private key: 0x and 64 hexadecimal digits.`,
    );
  }
}
