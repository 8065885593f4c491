/** A token of SoftHSM2 (Debian's package softhsm2) in a folder of its own, with keys that are made or put into it. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { getBytes } from "ethers";
import pkcs11js, { type PKCS11, type Template } from "pkcs11js";
import { Secret } from "../../api/settings/secret.ts";
import type { Pkcs11Setting } from "../../api/settings/signers.ts";
import type { Curve } from "../../api/signers/backend.ts";
import { lacking } from "./suite.ts";

const PLACES = [
  "/usr/lib/softhsm/libsofthsm2.so",
  "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
  "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
  "/usr/local/lib/softhsm/libsofthsm2.so",
  "/opt/homebrew/lib/softhsm/libsofthsm2.so",
];
const SO_PIN = "so-pin-of-the-token";
const LABEL = "assay";
export const PIN = "pin-of-the-token";

const CKK_EC_EDWARDS = 0x40;
const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055;
const PARAMS = { secp256k1: "06052b8104000a", ed25519: "130c656477617264733235353139" };

/**
 * For the `before` of a test file. Where SoftHSM2 is not installed the tests are skipped with a line that says so; where CI
 * is set they fail.
 */
export async function openSoftToken(test: Mocha.Context) {
  const why = "SoftHSM2 is not installed (apt-get install softhsm2), so keys in tokens are not tried";
  const found = [process.env.SOFTHSM2_MODULE, ...PLACES].find((path) => path && existsSync(path));
  const module = found ?? lacking(test, why);
  const folder = await mkdtemp(join(tmpdir(), "assay-softhsm-"));
  const tokens = join(folder, "tokens");
  const pinFile = join(folder, "pin");
  const configuration = join(folder, "softhsm2.conf");
  await mkdir(tokens);
  await writeFile(pinFile, `${PIN}\n`);
  const settings = [`directories.tokendir = ${tokens}`, "objectstore.backend = file", "log.level = ERROR"];
  await writeFile(configuration, `${settings.join("\n")}\n`);
  const before = process.env.SOFTHSM2_CONF;
  process.env.SOFTHSM2_CONF = configuration;
  initialise(module);
  const inToken = (work: (lib: PKCS11, session: Buffer) => void) => withSession(module, work);

  return {
    module,
    folder,
    pinFile,
    /** What opens a key of it. */
    setting(label: string): Pkcs11Setting {
      return { backend: "pkcs11", module, token: { label: LABEL }, key: { label }, pin: new Secret(PIN) };
    },
    /** Settings of a service, for the owner ATTESTOR, ATTESTOR_NEXT or LOG. */
    env: (owner: string, label: string): Record<string, string> => ({
      [`${owner}_PKCS11_MODULE`]: module,
      [`${owner}_PKCS11_TOKEN`]: LABEL,
      [`${owner}_PKCS11_KEY_LABEL`]: label,
      [`${owner}_PKCS11_PIN_FILE`]: pinFile,
    }),
    /** Makes a key pair in the token. */
    generate: (curve: Curve, label: string, options?: KeyOptions) =>
      inToken((lib, session) => generate(lib, session, curve, label, options)),
    /** Puts a known key of secp256k1 into it. */
    put: (privateKey: string, label: string) =>
      inToken((lib, session) => put(lib, session, privateKey, label)),
    /** Takes a key pair out of it. */
    destroy: (label: string) =>
      inToken((lib, session) => {
        lib.C_FindObjectsInit(session, [{ type: pkcs11js.CKA_LABEL, value: label }]);
        const objects = lib.C_FindObjects(session, 10);
        lib.C_FindObjectsFinal(session);
        for (const object of objects) lib.C_DestroyObject(session, object);
      }),
    /** As somebody who pulls the token out, and puts it back. */
    async pullOut() {
      await rename(tokens, `${tokens}.out`);
      await mkdir(tokens);
    },
    async putBack() {
      await rm(tokens, { recursive: true });
      await rename(`${tokens}.out`, tokens);
    },
    async remove() {
      if (before === undefined) delete process.env.SOFTHSM2_CONF;
      else process.env.SOFTHSM2_CONF = before;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function withLibrary(module: string, work: (lib: PKCS11) => void): void {
  const lib = new pkcs11js.PKCS11();
  lib.load(module);
  lib.C_Initialize();
  try {
    work(lib);
  } finally {
    lib.C_Finalize();
    lib.close();
  }
}

const WRITING = pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION;

function initialise(module: string): void {
  withLibrary(module, (lib) => {
    const [slot] = lib.C_GetSlotList(true);
    lib.C_InitToken(slot!, SO_PIN, LABEL.padEnd(32));
  });
  withLibrary(module, (lib) => {
    const session = lib.C_OpenSession(slotOf(lib), WRITING);
    lib.C_Login(session, pkcs11js.CKU_SO, SO_PIN);
    lib.C_InitPIN(session, PIN);
  });
}

const slotOf = (lib: PKCS11): Buffer =>
  lib.C_GetSlotList(true).find((slot) => lib.C_GetTokenInfo(slot).label.trimEnd() === LABEL)!;

function withSession(module: string, work: (lib: PKCS11, session: Buffer) => void): void {
  withLibrary(module, (lib) => {
    const session = lib.C_OpenSession(slotOf(lib), WRITING);
    lib.C_Login(session, pkcs11js.CKU_USER, PIN);
    work(lib, session);
  });
}

type Attribute = Extract<keyof typeof pkcs11js, `CKA_${string}`>;
const templateOf = (values: Partial<Record<Attribute, Template[number]["value"]>>): Template =>
  Object.entries(values).map(([name, value]) => ({ type: pkcs11js[name as Attribute], value }));

/** The id is hexadecimal; a random one otherwise. */
type KeyOptions = { readonly id?: string; readonly extractable?: boolean };

function generate(lib: PKCS11, session: Buffer, curve: Curve, label: string, options: KeyOptions = {}): void {
  const { id = randomBytes(8).toString("hex"), extractable = false } = options;
  const [mechanism, keyType] =
    curve === "secp256k1"
      ? [pkcs11js.CKM_EC_KEY_PAIR_GEN, pkcs11js.CKK_EC]
      : [CKM_EC_EDWARDS_KEY_PAIR_GEN, CKK_EC_EDWARDS];
  const common = { CKA_TOKEN: true, CKA_LABEL: label, CKA_ID: Buffer.from(id, "hex") };
  const parameters = { CKA_EC_PARAMS: Buffer.from(PARAMS[curve], "hex"), CKA_KEY_TYPE: keyType };
  const secret = { CKA_PRIVATE: true, CKA_SENSITIVE: !extractable, CKA_EXTRACTABLE: extractable };
  const open = templateOf({ ...common, ...parameters, CKA_VERIFY: true });
  lib.C_GenerateKeyPair(session, { mechanism }, open, templateOf({ ...common, ...secret, CKA_SIGN: true }));
}

function put(lib: PKCS11, session: Buffer, privateKey: string, label: string): void {
  const point = Buffer.from(secp256k1.getPublicKey(getBytes(privateKey), false));
  const id = { CKA_TOKEN: true, CKA_LABEL: label, CKA_ID: point.subarray(1, 9) };
  const parameters = { CKA_KEY_TYPE: pkcs11js.CKK_EC, CKA_EC_PARAMS: Buffer.from(PARAMS.secp256k1, "hex") };
  const common = { ...id, ...parameters };
  const encoded = Buffer.concat([Buffer.of(4, point.length), point]);
  const open = { CKA_CLASS: pkcs11js.CKO_PUBLIC_KEY, ...common, CKA_EC_POINT: encoded };
  const kept = { CKA_PRIVATE: true, CKA_SENSITIVE: true, CKA_EXTRACTABLE: false, CKA_SIGN: true };
  const value = { CKA_VALUE: Buffer.from(getBytes(privateKey)) };
  lib.C_CreateObject(session, templateOf(open));
  lib.C_CreateObject(
    session,
    templateOf({ CKA_CLASS: pkcs11js.CKO_PRIVATE_KEY, ...common, ...value, ...kept }),
  );
}
