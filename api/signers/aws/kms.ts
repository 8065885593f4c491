/**
 * A key in AWS KMS, by AWS's own client, which the operator installs. It finds region, endpoint and credentials as every AWS client does
 * (https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html).
 */
import { createPublicKey } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import type { GetPublicKeyCommandOutput, KMSClient, SignCommandInput } from "@aws-sdk/client-kms";
import { compactOfDer } from "../../../attestor/evm/signature.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { withinTime } from "../../http/deadline.ts";
import {
  assertPublicKey,
  assertSignature,
  BackendFault,
  type Curve,
  type OpenKey,
  tooSlow,
} from "../backend.ts";

type Library = typeof import("@aws-sdk/client-kms");

const CONNECT_MS = 1_000;
/** For credentials to be found and the key to be read, at the start. */
const OPEN_MS = 15_000;
/** A second try has to find the time that the first one left. */
const ATTEMPTS = 2;
/** Far beyond what KMS answers to either call. */
const LONGEST_ANSWER = 65_536;

const KINDS = {
  secp256k1: { spec: "ECC_SECG_P256K1", algorithm: "ECDSA_SHA_256", type: "DIGEST" },
  ed25519: { spec: "ECC_NIST_EDWARDS25519", algorithm: "ED25519_SHA_512", type: "RAW" },
} as const satisfies Record<
  Curve,
  {
    spec: GetPublicKeyCommandOutput["KeySpec"];
    algorithm: SignCommandInput["SigningAlgorithm"];
    type: SignCommandInput["MessageType"];
  }
>;

const tooMuch = (): BackendFault => new BackendFault("wrong", "KMS answers too much");

export interface KmsOptions {
  /** Id, ARN or alias. */
  readonly key: string;
  readonly curve: Curve;
  /** For one signature. */
  readonly timeoutMs: number;
}

/** The version that the tests run with. */
const INSTALL = "npm install --no-save --no-workspaces @aws-sdk/client-kms@3.1164.0";

/**
 * @throws BackendFault when the key cannot be read, or is of another kind; AttestorError `missing_package` where AWS's client
 *   is not installed
 */
export async function openKmsKey({ key, curve, timeoutMs }: KmsOptions): Promise<OpenKey> {
  const library = await import("@aws-sdk/client-kms").catch((cause: unknown) => {
    const message = `missing_package: a key in AWS KMS needs a package that is not installed: ${INSTALL}`;
    throw new AttestorError("missing_package", message, { cause });
  });
  const client = clientOf(library, key, timeoutMs);
  const kind = KINDS[curve];
  try {
    const found = await within(OPEN_MS, (abortSignal) =>
      client.send(new library.GetPublicKeyCommand({ KeyId: key }), { abortSignal }),
    );
    const publicKey = publicKeyIn(found, curve);
    // From here on the key itself is meant, and not an alias, which may be moved.
    const KeyId = found.KeyId ?? key;
    return {
      publicKey,
      async sign(input) {
        const answer = await within(timeoutMs, (abortSignal) =>
          client.send(
            new library.SignCommand({
              KeyId,
              Message: input,
              MessageType: kind.type,
              SigningAlgorithm: kind.algorithm,
            }),
            { abortSignal },
          ),
        );
        return signatureIn(answer.Signature, curve);
      },
      stop: async () => client.destroy(),
    };
  } catch (error) {
    client.destroy();
    throw error;
  }
}

function clientOf({ KMSClient }: Library, key: string, timeoutMs: number): KMSClient {
  const [, region] = /^arn:[a-z-]+:kms:([a-z0-9-]+):/.exec(key) ?? [];
  const client = new KMSClient({
    ...(region === undefined ? {} : { region }),
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  client.middlewareStack.add(
    (next) => async (given) => {
      const result = await next(given);
      bounded(result.response);
      return result;
    },
    { step: "deserialize", priority: "low", name: "boundedAnswer" },
  );
  return client;
}

/** What comes after the bound is not read: the client would keep it all in memory. */
function bounded(response: unknown): void {
  const holder = response as { body?: unknown };
  const { body } = holder;
  if (!(body instanceof Readable)) return;
  let length = 0;
  const short = new PassThrough({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > LONGEST_ANSWER) done(tooMuch());
      else done(null, chunk);
    },
  });
  body.on("error", (error) => short.destroy(error));
  short.on("error", () => body.destroy());
  holder.body = body.pipe(short);
}

/** @throws BackendFault for any failure */
async function within<T>(timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  try {
    return await withinTime(call(ending.signal), timeoutMs, () => {
      throw tooSlow(timeoutMs);
    });
  } catch (error) {
    if (!(error instanceof BackendFault)) throw faultOf(error, timeoutMs);
    // What came through the client has words of its own in it.
    throw error.kind === "wrong" ? tooMuch() : error;
  } finally {
    ending.abort();
  }
}

/** Of what the client throws only the name: its text may hold the account, or what KMS sent. */
function faultOf(error: unknown, timeoutMs: number): BackendFault {
  const name = error instanceof Error && /^[A-Za-z0-9]{1,80}$/.test(error.name) ? error.name : "an error";
  if (name === "TimeoutError" || name === "AbortError") return tooSlow(timeoutMs);
  if (error instanceof Error && /region is missing/i.test(error.message))
    return new BackendFault(
      "unusable",
      "the region of KMS is not known: set AWS_REGION, or name the key by its ARN",
    );
  return new BackendFault("refused", `KMS cannot be asked, or says no: ${name}`);
}

function publicKeyIn(
  { PublicKey, KeySpec, KeyUsage, SigningAlgorithms }: GetPublicKeyCommandOutput,
  curve: Curve,
): Uint8Array {
  const { spec, algorithm } = KINDS[curve];
  if (KeySpec !== spec || KeyUsage !== "SIGN_VERIFY" || !SigningAlgorithms?.includes(algorithm))
    throw new BackendFault("unusable", `the key is none that signs by ${algorithm} with ${spec}`);
  try {
    const { x = "", y = "" } = createPublicKey({
      key: Buffer.from(PublicKey ?? []),
      format: "der",
      type: "spki",
    }).export({ format: "jwk" });
    const coordinates = [x, y].map((text) => Buffer.from(text, "base64url"));
    const point = Buffer.concat(curve === "ed25519" ? coordinates : [Buffer.of(4), ...coordinates]);
    return assertPublicKey(new Uint8Array(point), curve);
  } catch (error) {
    if (error instanceof BackendFault) throw error;
    throw new BackendFault("unusable", "KMS answers what is no public key");
  }
}

/** r and s, of the ASN.1 that KMS answers for ECDSA; of Ed25519 as it is. */
function signatureIn(answer: Uint8Array | undefined, curve: Curve): Uint8Array {
  if (answer === undefined) throw new BackendFault("wrong", "KMS answers without a signature");
  if (curve === "ed25519") return assertSignature(answer);
  const compact = compactOfDer(answer);
  if (compact === null) throw new BackendFault("wrong", "KMS answers what is no signature");
  return compact;
}
