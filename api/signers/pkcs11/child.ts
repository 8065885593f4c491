/**
 * The process that holds a token. Calls of a PKCS#11 module block, may never come back, and run code of the token's maker:
 * here they can be ended from outside, and take nothing else with them. One call at a time.
 */
import { sameBytes } from "../../../attestor/values/bytes.ts";
import { BackendFault, faultText } from "../fault.ts";
import { Asked, type TokenSetting, type Told } from "./messages.ts";
import { loadToken, type OpenToken } from "./token.ts";

let setting: TokenSetting | null = null;
let token: OpenToken | null = null;

const tell = (told: Told): void => void process.send?.(told);

function faultOf(error: unknown): { kind: BackendFault["kind"]; message: string } {
  return error instanceof BackendFault
    ? { kind: error.kind, message: error.message }
    : { kind: "refused", message: faultText(error) };
}

/** A session that was lost, with a token that was taken out or restarted, is opened once more. */
async function sign(input: Uint8Array): Promise<Uint8Array> {
  if (token === null || setting === null) throw new BackendFault("refused", "the token is not open");
  try {
    return token.sign(input);
  } catch {
    const { publicKey } = token;
    token.close();
    token = null;
    token = await loadToken(setting);
    if (!sameBytes(token.publicKey, publicKey))
      throw new BackendFault("wrong", "the token now has another key of that name");
    return token.sign(input);
  }
}

/** After a failure the process ends: the next one begins with a module that knows nothing. */
async function handle(asked: Asked): Promise<boolean> {
  if (asked.ask === "open") {
    setting = asked.setting;
    try {
      token = await loadToken(setting);
      const { publicKey, extractable } = token;
      tell({ tell: "open", publicKey: Buffer.from(publicKey).toString("hex"), extractable });
      return true;
    } catch (error) {
      tell({ tell: "closed", fault: faultOf(error) });
      return false;
    }
  }
  const { id, input } = asked;
  try {
    const signature = await sign(Buffer.from(input, "hex"));
    tell({ tell: "signed", id, signature: Buffer.from(signature).toString("hex") });
    return true;
  } catch (error) {
    tell({ tell: "failed", id, fault: faultOf(error) });
    return false;
  }
}

let last: Promise<boolean> = Promise.resolve(true);
process.on("message", (message) => {
  last = last.then(async (goesOn) => {
    if (!goesOn) return false;
    const stays = await handle(Asked.parse(message));
    if (!stays) process.disconnect();
    return stays;
  });
});
process.on("disconnect", () => {
  token?.close();
  process.exit();
});
// The service says when it is over: a signal to the whole group comes before the last signature.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {});
