/** What a `rawHash` commits to is handed on beside the facts, for who keeps it. */
import { keccak256 } from "ethers";

/** @param raw bytes, or 0x and hexadecimal @returns their keccak256 */
export type KeepRaw = (raw: string | Uint8Array) => string;

/** Keeps nothing. */
export const hashOnly: KeepRaw = (raw) => keccak256(raw);
