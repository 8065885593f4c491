/**
 * A stand-in for AWS KMS: GetPublicKey and Sign in AWS's JSON 1.1 protocol. Its signatures have a high s about as often as a
 * low one, as those of KMS do.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { computeAddress, getBytes, hexlify, randomBytes } from "ethers";
import { localServer } from "./ports.ts";

const ACCESS_KEY_ID = "AKIDOFTHESETESTS";
const SECRET_ACCESS_KEY = "secret+access/key+of+these+tests";
const REGION = "eu-central-1";
const ACCOUNT = "111122223333";

export type KmsFault =
  | "none"
  | "low s"
  | "high s"
  | "signature of other bytes"
  | "signature of another key"
  | "garbage in place of DER"
  | "DER with more behind it"
  | "no signature"
  | "no JSON"
  | "throttling"
  | "internal error"
  | "access denied"
  | "silence"
  | "an answer that never ends"
  | "a huge answer"
  | "a closed connection";

interface HeldKey {
  readonly id: string;
  readonly curve: "secp256k1" | "ed25519";
  /** 0x and 64 digits (secp256k1). */
  readonly privateKey: string;
  readonly ed25519: KeyObject | null;
}

export type FakeKms = Awaited<ReturnType<typeof startKms>>;

const arnOf = (id: string): string => `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`;

export async function startKms() {
  const keys = new Map<string, HeldKey>();
  const aliases = new Map<string, string>();
  const find = (name: string): HeldKey | undefined =>
    keys.get(aliases.get(name) ?? name.replace(/^arn:aws:kms:[^:]*:[0-9]*:key\//, ""));
  const server = await localServer(answer);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const target = String(request.headers["x-amz-target"]).replace(/^TrentService\./, "");
    const say = (status: number, content: object) => {
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
      response.end(JSON.stringify(content));
    };
    if (!isSigned(request)) return say(400, { __type: "InvalidSignatureException", message: "no" });
    const asked = JSON.parse(body.toString());
    kms.calls.push({ target, body: asked });
    const fault = target === "Sign" || kms.faultEverywhere ? kms.fault : "none";
    const met = WHOLE_ANSWERS[fault];
    if (met !== undefined) return met(response, say);
    const key = find(asked.KeyId);
    if (key === undefined)
      return say(400, { __type: "NotFoundException", message: `Key ${asked.KeyId} is not here` });
    if (target === "GetPublicKey") return say(200, publicKeyAnswer(key));
    if (target === "Sign") return say(200, signAnswer(key, asked, fault));
    say(400, { __type: "UnknownOperationException" });
  }

  const env = {
    AWS_ENDPOINT_URL_KMS: server.url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY,
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const putBack = withVariables(env);
  const kms = {
    /** What the AWS client of a process reads of its environment; of this process it is there until it is stopped. */
    env: env as Record<string, string>,
    /** Every call, in order. */
    calls: [] as { target: string; body: any }[],
    /** What the next calls of Sign meet. */
    fault: "none" as KmsFault,
    /** Also calls of GetPublicKey meet it. */
    faultEverywhere: false,
    /** @returns id, ARN and address (of secp256k1) */
    create(curve: HeldKey["curve"], privateKey = hexlify(randomBytes(32))) {
      const id = hexlify(randomBytes(16))
        .slice(2)
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      keys.set(id, heldKey(id, curve, privateKey));
      return { id, arn: arnOf(id), address: computeAddress(privateKey) };
    },
    alias: (name: string, id: string) => void aliases.set(`alias/${name}`, id),
    /** From here on another key signs under this id, and is returned as the public one. */
    replace: (id: string) => void keys.set(id, heldKey(id, keys.get(id)!.curve, hexlify(randomBytes(32)))),
    async stop() {
      putBack();
      await server.close();
    },
  };
  return kms;
}

function heldKey(id: string, curve: HeldKey["curve"], privateKey: string): HeldKey {
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), getBytes(privateKey)]);
  const ed25519 = curve === "ed25519" ? createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" }) : null;
  return { id, curve, privateKey, ed25519 };
}

type Say = (status: number, content: object) => void;
const begun = (response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "application/x-amz-json-1.1" });
  response.write('{"KeyId":"');
};

/** Faults that are answered with this alone. */
const WHOLE_ANSWERS: Partial<Record<KmsFault, (response: ServerResponse, say: Say) => void>> = {
  throttling: (_, say) => say(400, { __type: "ThrottlingException", message: "You have exceeded the rate" }),
  "access denied": (_, say) =>
    say(400, {
      __type: "AccessDeniedException",
      message: `arn:aws:iam::${ACCOUNT}:user/x is not authorized`,
    }),
  "internal error": (_, say) =>
    say(500, { __type: "KMSInternalException", message: "The request was rejected" }),
  "no JSON": (response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<html>of a proxy</html>"),
  silence: () => {},
  "an answer that never ends": begun,
  "a huge answer": (response) => {
    begun(response);
    const more = (): void => {
      while (!response.destroyed && response.write("a".repeat(65_536)));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  },
  "a closed connection": (response) => response.destroy(),
};

function publicKeyAnswer({ id, curve, privateKey, ed25519 }: HeldKey): object {
  const isEd = curve === "ed25519";
  const point = Buffer.from(secp256k1.getPublicKey(getBytes(privateKey), false));
  const spki = isEd
    ? createPublicKey(ed25519!).export({ format: "der", type: "spki" })
    : Buffer.concat([Buffer.from("3056301006072a8648ce3d020106052b8104000a034200", "hex"), point]);
  const algorithm = isEd ? ["ED25519_SHA_512", "ED25519_PH_SHA_512"] : ["ECDSA_SHA_256"];
  const spec = isEd ? "ECC_NIST_EDWARDS25519" : "ECC_SECG_P256K1";
  return {
    KeyId: arnOf(id),
    PublicKey: spki.toString("base64"),
    KeySpec: spec,
    CustomerMasterKeySpec: spec,
    KeyUsage: "SIGN_VERIFY",
    SigningAlgorithms: algorithm,
  };
}

function signAnswer(key: HeldKey, asked: any, fault: KmsFault): object {
  const message = Buffer.from(asked.Message, "base64");
  const of = (signature: Uint8Array) => ({
    KeyId: arnOf(key.id),
    Signature: Buffer.from(signature).toString("base64"),
    SigningAlgorithm: asked.SigningAlgorithm,
  });
  if (fault === "no signature") return { KeyId: arnOf(key.id) };
  if (fault === "garbage in place of DER") return of(randomBytes(71));
  if (key.ed25519 !== null) {
    if (asked.SigningAlgorithm !== "ED25519_SHA_512" || asked.MessageType !== "RAW")
      return { KeyId: arnOf(key.id) };
    const signed = fault === "signature of other bytes" ? Buffer.concat([message, Buffer.of(0)]) : message;
    const by =
      fault === "signature of another key"
        ? heldKey("", "ed25519", hexlify(randomBytes(32))).ed25519!
        : key.ed25519;
    return of(sign(null, signed, by));
  }
  if (asked.SigningAlgorithm !== "ECDSA_SHA_256" || asked.MessageType !== "DIGEST" || message.length !== 32)
    return { KeyId: arnOf(key.id) };
  const digest = fault === "signature of other bytes" ? randomBytes(32) : message;
  const by = fault === "signature of another key" ? hexlify(randomBytes(32)) : key.privateKey;
  const low = secp256k1.Signature.fromBytes(
    secp256k1.sign(digest, getBytes(by), { prehash: false, lowS: true }),
    "compact",
  );
  const isHigh = fault === "high s" || (fault !== "low s" && (randomBytes(1)[0] as number) < 128);
  const order = secp256k1.Point.CURVE().n;
  const signature = isHigh ? new secp256k1.Signature(low.r, order - low.s) : low;
  const der = signature.toBytes("der");
  return of(fault === "DER with more behind it" ? Buffer.concat([der, Buffer.of(0)]) : der);
}

/** Whether the request names these credentials and this place. The client is AWS's own, so its signature is not checked. */
function isSigned({ headers }: IncomingMessage): boolean {
  const credential = /^AWS4-HMAC-SHA256 Credential=([^,]+), /.exec(headers.authorization ?? "")?.[1] ?? "";
  const [id, _day, region, service] = credential.split("/");
  return id === ACCESS_KEY_ID && region === REGION && service === "kms";
}

/** Sets variables of this process, and gives what puts them back. */
export function withVariables(variables: Record<string, string>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}
