/**
 * One key of a PKCS#11 token. Every call of the module blocks until the token answers, possibly forever. The service
 * therefore runs it in a process of its own (`child.ts`); a command may block.
 */
import type { Mechanism, PKCS11 } from "pkcs11js";
import type { Curve } from "../backend.ts";
import { BackendFault } from "../fault.ts";
import type { TokenSetting } from "./messages.ts";

export interface OpenToken {
  readonly publicKey: Uint8Array;
  /** Whether the key can be read out of the token. */
  readonly extractable: boolean;
  /** @throws BackendFault */
  sign(input: Uint8Array): Uint8Array;
  close(): void;
}

/** Numbers of PKCS#11 3.0, some of which the package has no names for. */
const CK = {
  CKO_PUBLIC_KEY: 2,
  CKO_PRIVATE_KEY: 3,
  CKK_EC: 0x03,
  CKK_EC_EDWARDS: 0x40,
  CKA_CLASS: 0x0000,
  CKA_LABEL: 0x0003,
  CKA_KEY_TYPE: 0x0100,
  CKA_ID: 0x0102,
  CKA_SENSITIVE: 0x0103,
  CKA_EXTRACTABLE: 0x0162,
  CKA_EC_PARAMS: 0x0180,
  CKA_EC_POINT: 0x0181,
  CKM_ECDSA: 0x1041,
  CKM_EDDSA: 0x1057,
  CKU_USER: 1,
  CKF_SERIAL_SESSION: 4,
  CKF_OS_LOCKING_OK: 2,
  CKF_USER_PIN_FINAL_TRY: 0x0002_0000,
  CKF_USER_PIN_LOCKED: 0x0004_0000,
} as const;

const KINDS = {
  secp256k1: {
    type: CK.CKK_EC,
    mechanism: CK.CKM_ECDSA,
    // The object identifier 1.3.132.0.10.
    params: ["06052b8104000a"],
  },
  ed25519: {
    type: CK.CKK_EC_EDWARDS,
    mechanism: CK.CKM_EDDSA,
    // The name "edwards25519", and the identifier 1.3.101.112 of RFC 8410: modules have either.
    params: ["130c656477617264733235353139", "06032b6570"],
  },
} as const satisfies Record<Curve, unknown>;

const SIGNATURE_LENGTH = 64;

/**
 * Loads the module, logs in and finds the key.
 * @param module the package `pkcs11js`
 * @throws BackendFault; of the kind `pin` when trying again could lock the token
 */
export function openToken(
  { PKCS11: Library }: { PKCS11: new () => PKCS11 },
  setting: TokenSetting,
): OpenToken {
  const lib = new Library();
  try {
    lib.load(setting.module);
  } catch {
    throw new BackendFault("unusable", `the PKCS#11 module cannot be loaded: ${setting.module}`);
  }
  const close = () =>
    quietly(
      () => lib.C_Finalize(),
      () => lib.close(),
    );
  try {
    ask(() => lib.C_Initialize({ flags: CK.CKF_OS_LOCKING_OK }));
    const slot = slotOf(lib, setting.token);
    const session = ask(() => lib.C_OpenSession(slot, CK.CKF_SERIAL_SESSION));
    logIn(lib, slot, session, setting.pin);
    const key = findKey(lib, session, setting);
    const mechanism: Mechanism = { mechanism: KINDS[setting.curve].mechanism };
    return {
      ...key.found,
      sign: (input) =>
        ask(() => {
          lib.C_SignInit(session, mechanism, key.handle);
          return lib.C_Sign(session, Buffer.from(input), Buffer.alloc(SIGNATURE_LENGTH));
        }),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function quietly(...steps: (() => void)[]): void {
  for (const step of steps)
    try {
      step();
    } catch {
      // It ends anyway.
    }
}

/** What the module says, as a fault that names its return value. */
function ask<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof BackendFault) throw error;
    const [name] = /CKR_[A-Z0-9_]+/.exec(error instanceof Error ? error.message : "") ?? [];
    throw new BackendFault("refused", `the token says ${name ?? "nothing that can be understood"}`);
  }
}

function slotOf(lib: PKCS11, token: TokenSetting["token"]): Buffer {
  const slots = ask(() => lib.C_GetSlotList(true));
  const found =
    "slot" in token
      ? slots.filter((slot) => Number(slot.readBigUInt64LE()) === token.slot)
      : slots.filter((slot) => ask(() => lib.C_GetTokenInfo(slot)).label.trimEnd() === token.label);
  const [only, ...more] = found;
  const name = "slot" in token ? `in slot ${token.slot}` : `with the label ${token.label}`;
  if (only === undefined) throw new BackendFault("unusable", `there is no token ${name}`);
  if (more.length > 0) throw new BackendFault("unusable", `there are ${found.length} tokens ${name}`);
  return only;
}

/** A wrong PIN is tried once: tokens count the tries, and lock. */
function logIn(lib: PKCS11, slot: Buffer, session: Buffer, pin: string): void {
  const { flags } = ask(() => lib.C_GetTokenInfo(slot));
  if (flags & CK.CKF_USER_PIN_LOCKED) throw new BackendFault("pin", "the token's PIN is locked");
  if (flags & CK.CKF_USER_PIN_FINAL_TRY)
    throw new BackendFault(
      "pin",
      "one try is left before the token's PIN is locked: log in by the maker's tool first",
    );
  try {
    lib.C_Login(session, CK.CKU_USER, pin);
  } catch (error) {
    const said = error instanceof Error ? error.message : "";
    if (/CKR_USER_ALREADY_LOGGED_IN/.test(said)) return;
    if (/CKR_PIN/.test(said)) throw new BackendFault("pin", "the token refuses the PIN");
    ask(() => {
      throw error;
    });
  }
}

function findKey(lib: PKCS11, session: Buffer, { key, curve }: TokenSetting) {
  const named =
    "id" in key
      ? { type: CK.CKA_ID, value: Buffer.from(key.id, "hex") }
      : { type: CK.CKA_LABEL, value: Buffer.from(key.label) };
  const name = "id" in key ? `with the id ${key.id}` : `with the label ${key.label}`;
  const { type, params } = KINDS[curve];
  const handle = onlyOne(lib, session, `private key ${name}`, [
    { type: CK.CKA_CLASS, value: CK.CKO_PRIVATE_KEY },
    named,
  ]);
  const read = (object: Buffer, attribute: number): Buffer =>
    ask(() => lib.C_GetAttributeValue(session, object, [{ type: attribute }]))[0]?.value as Buffer;
  const isOfCurve =
    read(handle, CK.CKA_KEY_TYPE).readUInt8() === type &&
    (params as readonly string[]).includes(read(handle, CK.CKA_EC_PARAMS).toString("hex"));
  if (!isOfCurve) throw new BackendFault("unusable", `the private key ${name} is none of the curve ${curve}`);
  // The pair has one id; a label may be another's too.
  const publicHandle = onlyOne(lib, session, `public key to the private key ${name}`, [
    { type: CK.CKA_CLASS, value: CK.CKO_PUBLIC_KEY },
    { type: CK.CKA_ID, value: read(handle, CK.CKA_ID) },
    { type: CK.CKA_KEY_TYPE, value: type },
  ]);
  const extractable =
    read(handle, CK.CKA_EXTRACTABLE).readUInt8() === 1 || read(handle, CK.CKA_SENSITIVE).readUInt8() === 0;
  const found = { publicKey: pointOf(read(publicHandle, CK.CKA_EC_POINT)), extractable };
  return { handle, found };
}

function onlyOne(
  lib: PKCS11,
  session: Buffer,
  what: string,
  template: { type: number; value: Buffer | number }[],
): Buffer {
  const handles = ask(() => {
    lib.C_FindObjectsInit(session, template);
    try {
      return lib.C_FindObjects(session, 2);
    } finally {
      lib.C_FindObjectsFinal(session);
    }
  });
  const [only, ...more] = handles;
  if (only === undefined) throw new BackendFault("unusable", `the token has no ${what}`);
  if (more.length > 0) throw new BackendFault("unusable", `the token has more than one ${what}`);
  return only;
}

/** PKCS#11 wraps the point in an ASN.1 octet string; some modules do not. */
function pointOf(value: Buffer): Buffer {
  return value[0] === 4 && value[1] === value.length - 2 ? value.subarray(2) : value;
}

/** @throws BackendFault, also where the package is not installed */
export async function loadToken(setting: TokenSetting, load = () => import("pkcs11js")): Promise<OpenToken> {
  const module = await load().catch(() => {
    throw new BackendFault("missing", "the package pkcs11js is not installed");
  });
  return openToken(module.default, setting);
}
