/** What several tools take; and from what a model writes of a trade to the body of the HTTP API. */
import { z } from "zod";
import type { Asset } from "../../attestor/registry.ts";
import { AssetKey } from "../../attestor/values/primitives.ts";
import { rawUnits } from "../../attestor/values/wholeUnits.ts";
import { Problem } from "../http/problems.ts";
import { ToolFailure } from "./failure.ts";

/** Room for a signed authorization with its quote and extensions, in base64. */
const MAX_SIGNATURE_LENGTH = 16_384;
/** Longer than any symbol or asset key. */
export const MAX_NAME_LENGTH = 80;

export const JobId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be a jobId that prepare_verification returned")
  .describe("jobId of prepare_verification");

/** Of a job that was made without a key. */
export const JobToken = z
  .string()
  .regex(/^jt_[A-Za-z0-9_-]{43}$/, "must be a jobToken that prepare_verification answered")
  .optional()
  .describe("jobToken of prepare_verification, where it answered one");

export const PaymentSignature = z
  .string()
  .max(MAX_SIGNATURE_LENGTH)
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, "must be the base64 text of the header PAYMENT-SIGNATURE")
  .optional()
  .describe("Base64 of the x402 version 2 payment that the user's wallet signed. Never a private key");

/** In every answer. */
export const next = z.string().describe("What to do now");

/** A trade as a model writes it: tokens by symbol or asset key, the amount in units or in raw units. */
interface WrittenTrade {
  readonly inputAssetKey: string;
  readonly outputAssetKey: string;
  readonly amount?: string | undefined;
  readonly amountInRaw?: string | undefined;
}

/**
 * The body of `JobBody` or `VerifyInput` that the input means, with asset keys and a raw amount; it is not yet checked
 * against the schema.
 * @throws Problem `invalid_request`; ToolFailure `unsupported_asset`, `ambiguous_symbol`
 */
export function bodyOf<T extends WrittenTrade>({ amount, ...rest }: T, assets: readonly Asset[]) {
  const inputAssetKey = keyOf(assets, "inputAssetKey", rest.inputAssetKey);
  const outputAssetKey = keyOf(assets, "outputAssetKey", rest.outputAssetKey);
  const amountInRaw = amount === undefined ? rest.amountInRaw : rawOf(amount, inputAssetKey, assets);
  return { ...rest, inputAssetKey, outputAssetKey, amountInRaw };
}

const bad = (path: string, message: string) =>
  new Problem("invalid_request", "the input is not valid; see errors", { errors: [{ path, message }] });

/** A symbol as it is written, or else in any letter case, where that leaves one asset. */
function keyOf(assets: readonly Asset[], path: string, name: string): string {
  if (AssetKey.safeParse(name).success) return AssetKey.parse(name);
  const exact = assets.filter(({ symbol }) => symbol === name);
  const named =
    exact.length > 0 ? exact : assets.filter(({ symbol }) => symbol.toLowerCase() === name.toLowerCase());
  if (named.length > 1) {
    const keys = named.map(({ assetKey }) => assetKey).join(", ");
    throw new ToolFailure({
      code: "ambiguous_symbol",
      detail: `${named.length} assets have this symbol.`,
      errors: [{ path, message: `is one of ${keys}` }],
    });
  }
  if (named[0] === undefined) throw unsupported(path);
  return named[0].assetKey;
}

const unsupported = (path: string) =>
  new ToolFailure({
    code: "unsupported_asset",
    detail: "The registry has no such asset.",
    errors: [{ path, message: "is neither a symbol nor an asset key of the registry" }],
  });

const AMOUNT = /^([0-9]{1,40}(?:\.[0-9]+)?)(?: +(\S{1,24}))?$/;

function rawOf(amount: string, inputAssetKey: string, assets: readonly Asset[]): string {
  const asset = assets.find(({ assetKey }) => assetKey === inputAssetKey);
  if (asset === undefined) throw unsupported("inputAssetKey");
  const { symbol, decimals } = asset;
  const [, units, unit = symbol] = AMOUNT.exec(amount.trim()) ?? [];
  if (units === undefined)
    throw bad("amount", `must be digits with or without a point, such as "250 ${symbol}"`);
  if (unit.toLowerCase() !== symbol.toLowerCase())
    throw bad("amount", `must be in the input token, which is ${symbol}`);
  const raw = rawUnits(units, decimals);
  if (raw === null) throw bad("amount", `has more decimals than ${symbol}, which has ${decimals}`);
  if (raw === "0") throw bad("amount", "must be more than zero");
  return raw;
}
