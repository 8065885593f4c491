/** The message by which one guardian set names the next. */

import { checksumAddress } from "../evm/address.ts";
import { toHex } from "../evm/hash.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { ByteReader } from "./bytes.ts";
import { parseVaa, signatureFault } from "./vaa.ts";

/** Wormhole's governance: the address 4 on Wormhole's chain 1. */
const GOVERNANCE_CHAIN = 1;
const GOVERNANCE = `0x${"4".padStart(64, "0")}`;
/** The word `Core` in 32 bytes: the message is for Wormhole's own contract. */
const CORE = `0x${"436f7265".padStart(64, "0")}`;
const SET_UPGRADE = 2;

/**
 * The set that the message names, once its predecessor's signatures are checked.
 * @param guardiansOf addresses of a set by its number
 * @throws AttestorError `invalid_proof`
 */
export function upgradeSignedBy(
  bytes: Uint8Array,
  guardiansOf: (index: number) => readonly string[] | undefined,
): { index: number; validFrom: number; guardians: string[] } {
  const vaa = parseVaa(bytes);
  const guardians = guardiansOf(vaa.guardianSet);
  if (guardians === undefined)
    throw new AttestorError(
      "invalid_proof",
      `guardian set ${vaa.guardianSet}, which signed it, is not known`,
    );
  const fault = signatureFault(vaa, guardians);
  if (fault !== null) throw new AttestorError("invalid_proof", fault);
  const reader = new ByteReader(vaa.payload);
  const isUpgrade =
    vaa.emitterChain === GOVERNANCE_CHAIN &&
    vaa.emitter === GOVERNANCE &&
    toHex(reader.take(32)) === CORE &&
    reader.number(1) === SET_UPGRADE &&
    reader.number(2) === 0; // For all chains.
  if (!isUpgrade) throw new AttestorError("invalid_proof", "it is no upgrade of the guardian set");
  const index = reader.number(4);
  if (index !== vaa.guardianSet + 1)
    throw new AttestorError("invalid_proof", `set ${vaa.guardianSet} cannot name set ${index}`);
  const named = Array.from({ length: reader.number(1) }, () => checksumAddress(toHex(reader.take(20))));
  reader.end();
  if (named.length === 0) throw new AttestorError("invalid_proof", "it names no guardian");
  return { index, validFrom: vaa.timestamp, guardians: named };
}
