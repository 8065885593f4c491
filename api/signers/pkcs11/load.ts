/** A token in this process: for the process that holds one, and for commands, which may block. */
import type { Pkcs11Setting } from "../../settings/signers.ts";
import { assertPublicKey, assertSignature, type Curve, type OpenKey } from "../backend.ts";
import { BackendFault } from "../fault.ts";
import type { TokenSetting } from "./messages.ts";
import { type OpenToken, openToken } from "./token.ts";

/** What an operator reads of a key that its token would give away. */
export const EXTRACTABLE = "the private key can be read out of the token";

/** @throws BackendFault, also where the package is not installed */
export async function loadToken(setting: TokenSetting, load = () => import("pkcs11js")): Promise<OpenToken> {
  const module = await load().catch(() => {
    throw new BackendFault("missing", "the package pkcs11js is not installed");
  });
  return openToken(module.default, setting);
}

/** @throws BackendFault */
export async function openTokenHere({ pin, ...setting }: Pkcs11Setting, curve: Curve): Promise<OpenKey> {
  const token = await loadToken({ ...setting, pin: pin.reveal(), curve });
  return {
    publicKey: assertPublicKey(token.publicKey, curve),
    warning: token.extractable ? EXTRACTABLE : null,
    sign: async (input) => assertSignature(token.sign(input)),
    stop: async () => token.close(),
  };
}
