/** Values of Solidity's types as the service writes them: hexadecimal, and numbers as decimal text. */
import { getAddress, hexlify } from "ethers";
import fc from "fast-check";
import type { VerificationCertificate } from "../../attestor/certificate/certificate.ts";
import type { TradeIntent } from "../../attestor/intent.ts";

export const bytes = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((value) => hexlify(value) as `0x${string}`);

export const address = bytes(20).map((value) => getAddress(value));

/** Its first and last values too. */
export const uint = (bits: number) => {
  const most = 2n ** BigInt(bits) - 1n;
  return fc.oneof(fc.bigInt({ min: 0n, max: most }), fc.constantFrom(0n, 1n, most)).map(String);
};

export const tradeIntent: fc.Arbitrary<TradeIntent> = fc.record({
  owner: address,
  recipient: address,
  inputToken: address,
  outputToken: address,
  amountIn: uint(256),
  minAmountOut: uint(256),
  route: address,
  callDataHash: bytes(32),
  policyHash: bytes(32),
  nonce: uint(256),
  deadline: uint(256),
});

export const certificate: fc.Arbitrary<VerificationCertificate> = fc.record({
  intentHash: bytes(32),
  evidenceHash: bytes(32),
  jobId: bytes(32),
  reportVersion: uint(64),
  issuedAt: uint(64),
  expiresAt: uint(64),
});
