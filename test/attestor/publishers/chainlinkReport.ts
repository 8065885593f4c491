/** Reports as Chainlink's oracles sign them, by keys of ours. */
import { AbiCoder, concat, getAddress, getBytes, id, keccak256, SigningKey, Wallet } from "ethers";
import { KNOWN_KEYS, type PublisherKeys } from "../../../attestor/publishers/publisherKeys.ts";
import { NOW, reading, withSigner } from "../fixtures.ts";

const PRIVATE_KEYS = ["one", "two"].map((name) => id(name));
const DIGEST = id("a configuration");
const FEED = `0x000b${id("ACME").slice(6)}`;
/** As reports state the session. */
export const [PRE_MARKET, REGULAR, OVERNIGHT] = [1, 2, 4];

/** Of a reader who knows these oracles. */
export const ORACLES: PublisherKeys = {
  ...KNOWN_KEYS,
  chainlink: [
    {
      digest: DIGEST,
      f: 1,
      signers: PRIVATE_KEYS.map((key) => getAddress(new Wallet(key).address)),
      feeds: [{ feedId: FEED, symbol: "ACME", marketStatus: "24/5" }],
      source: "test",
    },
  ],
};

/** A price as the evidence has it. @param schema of which nobody here knows the form, unless 11 */
export function signedReport(marketStatus: number, signedAt: number, publishedAt = signedAt, schema = 11) {
  const feedId = FEED.replace("000b", schema.toString(16).padStart(4, "0"));
  const dollars = (price: number) => BigInt(price * 1_000) * 10n ** 15n;
  const [mid, bid, ask] = [200, 199.9, 200.1].map(dollars);
  const seen = BigInt(publishedAt) * 10n ** 9n;
  const words = [signedAt, signedAt, 0, 0, signedAt, mid, seen, bid, 0, ask, 0, mid, marketStatus];
  const coder = AbiCoder.defaultAbiCoder();
  const types = ["bytes32", ...words.map(() => "uint256")];
  const blob = coder.encode(types, [feedId, ...words]);
  const context = [DIGEST, id("epoch"), id("hash")];
  const digest = keccak256(concat([keccak256(blob), ...context]));
  const signatures = PRIVATE_KEYS.map((key) => new SigningKey(key).sign(digest));
  const vs = new Uint8Array(32);
  vs.set(signatures.map(({ yParity }) => yParity));
  const rs = signatures.map(({ r }) => r);
  const ss = signatures.map(({ s }) => s);
  const data = coder.encode(
    ["bytes32[3]", "bytes", "bytes32[]", "bytes32[]", "bytes32"],
    [context, getBytes(blob), rs, ss, vs],
  );
  const proof = { format: "chainlink-report", data };
  return withSigner(reading({ provider: "chainlink", publishedAt, receivedAt: NOW, proof }), {
    keys: ORACLES,
  });
}
