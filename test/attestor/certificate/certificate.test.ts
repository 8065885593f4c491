import { expect } from "chai";
import { TypedDataEncoder } from "ethers";
import fc from "fast-check";
import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  hashStruct,
  hashTypedData,
  keccak256,
  verifyTypedData,
  domainSeparator as viemDomainSeparator,
} from "viem";
import {
  CERTIFICATE_TYPES,
  domainSeparator,
  guardDomain,
  hashCertificate,
  hashIntent,
  jobIdHash,
  TRADE_INTENT_TYPES,
  typedDataDigest,
  VerificationCertificate,
} from "../../../attestor/certificate/certificate.ts";
import {
  approveCallData,
  certificateInCall,
  executeCallData,
} from "../../../attestor/certificate/guardCall.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { TradeIntent } from "../../../attestor/intent.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { address, bytes, certificate, tradeIntent, uint } from "../../support/arbitraries.ts";
import { PRIVATE_KEY } from "../fixtures.ts";

const domain = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 53 - 1 }), address)
  .map(([chainId, guard]) => guardDomain(chainId, guard));

/** The same typed data for viem, which wants hexadecimal and bigints in its types. */
const asViem = (value: unknown): any => value;

const STRUCTS = [
  { primaryType: "TradeIntent", types: TRADE_INTENT_TYPES, messages: tradeIntent, hash: hashIntent },
  {
    primaryType: "VerificationCertificate",
    types: CERTIFICATE_TYPES,
    messages: certificate,
    hash: hashCertificate,
  },
] as const;

describe("EIP-712 hashing", () => {
  it("EIP-712 hashing leaves policy, evidence and job out of what the owner signs", () => {
    const names = TRADE_INTENT_TYPES.TradeIntent.map(({ name }) => name).join(" ");
    expect(names).to.not.match(/policy|evidence|job|report/i);
    expect(CERTIFICATE_TYPES.VerificationCertificate.map(({ name }) => name)).to.include("policyHash");
  });

  it("EIP-712 hashing has the type hashes of the guard's own type strings", () => {
    // As the contract has them; a changed member must break this.
    const intentType =
      "TradeIntent(address owner,address recipient,address inputToken,address outputToken,uint256 amountIn,uint256 minAmountOut,address route,bytes4 selector,bytes32 callDataHash,uint256 nonce,uint256 deadline)";
    const certificateType =
      "VerificationCertificate(bytes32 intentHash,bytes32 evidenceHash,bytes32 policyHash,bytes32 jobId,uint64 reportVersion,uint64 issuedAt,uint64 expiresAt)";
    expect(TypedDataEncoder.from(TRADE_INTENT_TYPES).encodeType("TradeIntent")).to.equal(intentType);
    expect(TypedDataEncoder.from(CERTIFICATE_TYPES).encodeType("VerificationCertificate")).to.equal(
      certificateType,
    );
    expect(Object.keys(TradeIntent.shape)).to.deep.equal(
      TRADE_INTENT_TYPES.TradeIntent.map(({ name }) => name),
    );
    expect(Object.keys(VerificationCertificate.shape)).to.deep.equal(
      CERTIFICATE_TYPES.VerificationCertificate.map(({ name }) => name),
    );
  });

  for (const { primaryType, types, messages, hash } of STRUCTS)
    it(`of a ${primaryType} equals viem's and ethers', struct, domain and digest`, () => {
      fc.assert(
        fc.property(domain, messages as fc.Arbitrary<any>, (where, message) => {
          const typed = asViem({ domain: where, types, primaryType, message });
          const struct = hash(message);
          expect(struct).to.equal(hashStruct({ data: message, types: asViem(types), primaryType }));
          expect(struct).to.equal(TypedDataEncoder.hashStruct(primaryType, types as any, message));

          const separator = domainSeparator(where);
          expect(separator).to.equal(viemDomainSeparator({ domain: asViem(where) }));
          expect(separator).to.equal(TypedDataEncoder.hashDomain(where));

          const digest = typedDataDigest(separator, struct);
          expect(digest).to.equal(hashTypedData(typed));
          expect(digest).to.equal(TypedDataEncoder.hash(where, types as any, message));
        }),
      );
    });

  it("knows a job by the hash of its id's UTF-8 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 64 }), (jobId) => {
        expect(jobIdHash(jobId)).to.equal(keccak256(new TextEncoder().encode(jobId)));
      }),
    );
  });

  it("of a signed certificate verifies with viem, and with no other domain, message or address", async () => {
    await fc.assert(
      fc.asyncProperty(domain, certificate, async (where, message) => {
        const signer = signerFromPrivateKey(PRIVATE_KEY, where);
        const signature = await signer.sign(message);
        const typed = {
          address: signer.address,
          domain: where,
          types: CERTIFICATE_TYPES,
          primaryType: "VerificationCertificate",
          message,
          signature,
        };
        const verifies = (change: object) => verifyTypedData(asViem({ ...typed, ...change }));
        expect(await verifies({})).to.equal(true);
        expect(await verifies({ domain: { ...where, chainId: where.chainId === 1 ? 2 : 1 } })).to.equal(
          false,
        );
        expect(await verifies({ message: { ...message, jobId: `0x${"00".repeat(32)}` } })).to.equal(false);
        expect(await verifies({ address: where.verifyingContract })).to.equal(false);
      }),
      { numRuns: 15 },
    );
  });
});

describe("guard calls", () => {
  const { abi } = TradeGuard__factory;
  const callData = bytes(0, 300);

  it("guard calls are encoded as viem encodes them", () => {
    fc.assert(
      fc.property(tradeIntent, certificate, bytes(65), callData, (intent, certified, signature, data) => {
        const encoded = executeCallData(intent, certified, signature, data);
        const args = [asViem(intent), asViem(certified), signature, data] as const;
        expect(encoded).to.equal(encodeFunctionData({ abi, functionName: "execute", args }));
        expect(decodeFunctionData({ abi, data: asViem(encoded) }).args?.[3]).to.equal(data);
      }),
    );
  });

  it("give back what their certificate says, sent by the owner or relayed", () => {
    fc.assert(
      fc.property(tradeIntent, certificate, bytes(65), callData, (intent, certified, signature, data) => {
        const own = executeCallData(intent, certified, signature, data);
        const args = [asViem(intent), asViem(certified), signature, signature, data] as const;
        const _ofOwner = [asViem(intent), asViem(certified), signature, data] as const;
        const relayed = encodeFunctionData({ abi, functionName: "executeFor", args });
        const { evidenceHash, jobId, reportVersion } = certified;
        for (const call of [own, relayed])
          expect(certificateInCall(call)).to.deep.equal({ evidenceHash, jobId, reportVersion });
      }),
    );
    for (const other of ["", "0x", "0xdeadbeef", "no data", `0x095ea7b3${"00".repeat(900)}`])
      expect(certificateInCall(other)).to.equal(null);
  });

  it("guard calls are no calls when they end within the certificate", () => {
    const [intent, certified] = fc.sample(fc.tuple(tradeIntent, certificate), 1)[0]!;
    const whole = executeCallData(intent, certified, "0x", "0x");
    expect(certificateInCall(whole.slice(0, 10 + 18 * 64))).to.not.equal(null);
    for (const words of [0, 11, 15])
      expect(certificateInCall(whole.slice(0, 10 + words * 64))).to.equal(null);
  });

  it("refuses to encode what does not fit", () => {
    fc.assert(
      fc.property(tradeIntent, certificate, callData, callData, (trade, certified, signature, data) => {
        for (const [bentTrade, bentCertificate, bentSignature] of [
          [trade, { ...certified, issuedAt: (2n ** 64n).toString() }, signature],
          [trade, { ...certified, jobId: "0x01" }, signature],
          [{ ...trade, nonce: (2n ** 256n).toString() }, certified, signature],
          [{ ...trade, owner: "0x01" }, certified, signature],
          [trade, certified, `${signature}0`],
          [trade, certified, "no signature"],
        ] as const)
          expect(() => executeCallData(bentTrade, bentCertificate, bentSignature, data)).to.throw();
      }),
    );
  });

  it("encodes approvals as viem does", () => {
    fc.assert(
      fc.property(address, uint(256), (spender, amount) => {
        const args = [asViem(spender), BigInt(amount)] as const;
        expect(approveCallData(spender, amount)).to.equal(
          encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }),
        );
      }),
    );
  });
});
