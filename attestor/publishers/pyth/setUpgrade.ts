/** The message by which one set of signers names the next. */
import { checksumAddress } from "../../evm/address.ts";
import { toHex } from "../../evm/hash.ts";
import { AttestorError } from "../../values/attestorErrors.ts";
import { ByteReader } from "../byteReader.ts";
import { parseVaa, type Space, signatureFault } from "./vaa.ts";

/** Governance of both spaces: the address 4 on Wormhole's chain 1. */
const GOVERNANCE_CHAIN = 1;
const GOVERNANCE = `0x${"4".padStart(64, "0")}`;
/** The word `Core` in 32 bytes: the message is for the contract that checks signatures. */
const CORE = `0x${"436f7265".padStart(64, "0")}`;
const SET_UPGRADE = 2;

/**
 * The set that the message names, once its predecessor's signatures are checked. The message does not say of which space
 * it is: only its signers do.
 * @param signersOf addresses of a set of that space by its number
 * @returns `validFrom` is the message's time: of routers' messages 0, which tells nothing
 * @throws AttestorError `invalid_proof`
 */
export function upgradeSignedBy(
  bytes: Uint8Array,
  space: Space,
  signersOf: (index: number) => readonly string[] | undefined,
): { index: number; validFrom: number; signers: string[] } {
  const vaa = parseVaa(bytes);
  const signers = signersOf(vaa.set);
  if (signers === undefined)
    throw new AttestorError("invalid_proof", `set ${vaa.set}, which signed it, is not known`);
  const fault = signatureFault(vaa, space, signers);
  if (fault !== null) throw new AttestorError("invalid_proof", fault);
  const reader = new ByteReader(vaa.payload);
  const isUpgrade =
    vaa.emitterChain === GOVERNANCE_CHAIN &&
    vaa.emitter === GOVERNANCE &&
    toHex(reader.take(32)) === CORE &&
    reader.number(1) === SET_UPGRADE &&
    reader.number(2) === 0; // For all chains.
  if (!isUpgrade) throw new AttestorError("invalid_proof", "it is no upgrade of a set of signers");
  const index = reader.number(4);
  if (index !== vaa.set + 1)
    throw new AttestorError("invalid_proof", `set ${vaa.set} cannot name set ${index}`);
  const named = Array.from({ length: reader.number(1) }, () => checksumAddress(toHex(reader.take(20))));
  reader.end();
  if (named.length === 0) throw new AttestorError("invalid_proof", "it names no signer");
  return { index, validFrom: vaa.timestamp, signers: named };
}
