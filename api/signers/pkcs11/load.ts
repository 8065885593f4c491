/** Opens a token in this process, which it may block: that of `child.ts`. */
import { BackendFault } from "../fault.ts";
import type { TokenSetting } from "./messages.ts";
import { type OpenToken, openToken } from "./token.ts";

/** @throws BackendFault, also where the package is not installed */
export async function loadToken(setting: TokenSetting, load = () => import("pkcs11js")): Promise<OpenToken> {
  const module = await load().catch(() => {
    throw new BackendFault("missing", "the package pkcs11js is not installed");
  });
  return openToken(module.default, setting);
}
