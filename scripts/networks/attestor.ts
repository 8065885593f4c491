/** Which key the service would sign with, by its settings. The address alone: nothing is decrypted. */
import { readFile } from "node:fs/promises";
import { computeAddress, getAddress } from "ethers";
import { z } from "zod";
import type { Environment } from "../../api/settings/environment.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { CommandError } from "../errors.ts";

/** Web3 Secret Storage names the address beside the encrypted key, with or without 0x. */
const Keystore = z.object({ address: z.string().regex(/^(0x)?[0-9a-fA-F]{40}$/) });

/**
 * @returns null where the settings name no key
 * @throws CommandError `unreadable_file` for a keystore that is none
 */
export async function attestorAddress(env: Environment): Promise<string | null> {
  const path = env.ATTESTOR_KEYSTORE;
  if (path !== undefined && path !== "") {
    try {
      const { address } = Keystore.parse(JSON.parse(await readFile(path, "utf8")));
      return getAddress(address.startsWith("0x") ? address : `0x${address}`);
    } catch {
      throw new CommandError(
        "unreadable_file",
        `${path} (ATTESTOR_KEYSTORE) is not a keystore that names its address.`,
      );
    }
  }
  if (env.ASSAY_PROFILE === "live") return null;
  const key = env.ATTESTOR_PRIVATE_KEY;
  if (key !== undefined && key !== "") {
    try {
      return computeAddress(key);
    } catch {
      throw new CommandError("unreadable_file", "ATTESTOR_PRIVATE_KEY is not a private key.");
    }
  }
  // What `npm start` signs with.
  return localAccounts().attestation.address;
}
