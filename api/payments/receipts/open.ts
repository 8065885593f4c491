/** Opens the key of receipts from where the settings say it is, and compares it with the other keys. */
import { sameBytes } from "../../../attestor/values/bytes.ts";
import { signerOfFile } from "../../log/files.ts";
import { type Config, ConfigError } from "../../settings/config.ts";
import {
  developmentReceiptSigner,
  ReceiptKeyError,
  type ReceiptSigner,
  receiptSignerFromKeystore,
} from "./key.ts";

/** The keys that must be others. */
export interface OtherKeys {
  /** Addresses of attestation keys. */
  readonly attestation: readonly string[];
  /** The log's public key, 32 bytes. */
  readonly log: Uint8Array;
}

/**
 * @returns the key that the settings name, or in the local profile the development key. Without a key in the live
 *   profile, or where nothing is sold, null: receipts are then not signed
 * @throws ConfigError for a key that will not do
 */
export async function openReceiptKey(
  { receipts, payments, profile }: Pick<Config, "receipts" | "payments" | "profile">,
  others: OtherKeys,
): Promise<ReceiptSigner | null> {
  if (payments === null) return null;
  if (receipts.keystore === null) return profile === "live" ? null : developmentReceiptSigner();
  const open = receiptSignerFromKeystore;
  const signer = await signerOfFile("RECEIPT_KEYSTORE", receipts.keystore, open, ReceiptKeyError);
  const fault = faultOf(signer, profile, others);
  if (fault !== null) throw new ConfigError([`RECEIPT_KEYSTORE: ${fault}`]);
  return signer;
}

function faultOf(
  signer: ReceiptSigner,
  profile: Config["profile"],
  { attestation, log }: OtherKeys,
): string | null {
  if (profile === "live" && signer.isDevelopmentKey)
    return "it is the well-known development key: make one of your own";
  if (attestation.some((address) => signer.isKeyOf(address)))
    return "it is the attestation key: make another one for receipts";
  if (sameBytes(signer.publicKey, log)) return "it is the decision log's key: make another one for receipts";
  return null;
}
