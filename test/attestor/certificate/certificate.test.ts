import { expect } from "chai";
import { TypedDataEncoder } from "ethers";
import fc from "fast-check";
import {
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
  type ExecuteArguments,
  executeCallData,
  mandateTradeCallData,
  unsignedExecuteCallData,
} from "../../../attestor/certificate/guardCall.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { TradeIntent } from "../../../attestor/intent.ts";
import { MandateModule__factory } from "../../../types/contracts/factories/contracts/MandateModule__factory.ts";
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
  it("has the owner sign the policy, and leaves evidence and job to the certificate", () => {
    const names = TRADE_INTENT_TYPES.TradeIntent.map(({ name }) => name);
    expect(names).to.include("policyHash");
    expect(names.join(" ")).to.not.match(/evidence|job|report/i);
  });

  it("EIP-712 hashing has the type hashes of the guard's own type strings", () => {
    // As the contract has them; a changed member must break this.
    const intentType =
      "TradeIntent(address owner,address recipient,address inputToken,address outputToken,uint256 amountIn,uint256 minAmountOut,address route,bytes32 callDataHash,bytes32 policyHash,uint256 nonce,uint256 deadline)";
    const certificateType =
      "VerificationCertificate(bytes32 intentHash,bytes32 evidenceHash,bytes32 jobId,uint64 reportVersion,uint64 issuedAt,uint64 expiresAt)";
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

  /** As anybody may send it: with a signature of the owner, or without one. */
  const executes = fc.record({
    intent: tradeIntent,
    certificate,
    certificateSignature: fc.oneof(bytes(64), bytes(65)),
    ownerSignature: fc.oneof(fc.constant("0x" as const), bytes(65), bytes(0, 300)),
    routeCallData: callData,
  });
  const ofViem = (args: ExecuteArguments): any => [
    args.intent,
    args.certificate,
    args.certificateSignature,
    args.ownerSignature,
    args.routeCallData,
  ];

  it("are encoded as viem encodes them", () => {
    fc.assert(
      fc.property(executes, (args) => {
        const encoded = executeCallData(args);
        expect(encoded).to.equal(encodeFunctionData({ abi, functionName: "execute", args: ofViem(args) }));
      }),
    );
  });

  it("of a mandate module are encoded as viem encodes them", () => {
    fc.assert(
      fc.property(executes, (trade) => {
        const [intent, certified, signature, , data] = ofViem(trade);
        const args = [intent, certified, signature, data] as const;
        expect(mandateTradeCallData(trade)).to.equal(
          encodeFunctionData({ abi: MandateModule__factory.abi, functionName: "trade", args }),
        );
      }),
    );
  });

  it("lack the owner's signature alone where the place of it says so", () => {
    fc.assert(
      fc.property(executes, bytes(65), (args, ownerSignature) => {
        const { data, ownerSignature: place } = unsignedExecuteCallData(args);
        const start = 2 + 2 * place.offset;
        const end = start + 2 * place.length;
        const signed = data.slice(0, start) + ownerSignature.slice(2) + data.slice(end);
        expect(signed).to.equal(executeCallData({ ...args, ownerSignature }));
      }),
    );
  });

  it("give back what their certificate says, whoever sends them", () => {
    fc.assert(
      fc.property(executes, (args) => {
        const { evidenceHash, jobId, reportVersion } = args.certificate;
        expect(certificateInCall(executeCallData(args))).to.deep.equal({
          evidenceHash,
          jobId,
          reportVersion,
        });
      }),
    );
    for (const other of ["", "0x", "0xdeadbeef", "no data", `0x095ea7b3${"00".repeat(900)}`])
      expect(certificateInCall(other)).to.equal(null);
  });

  it("are no calls when they end within the certificate", () => {
    const whole = executeCallData(fc.sample(executes, 1)[0]!);
    expect(certificateInCall(whole.slice(0, 10 + 17 * 64))).to.not.equal(null);
    for (const words of [0, 11, 14])
      expect(certificateInCall(whole.slice(0, 10 + words * 64))).to.equal(null);
  });

  it("refuses to encode what does not fit", () => {
    fc.assert(
      fc.property(executes, (args) => {
        const { intent, certificate: certified, certificateSignature } = args;
        for (const bent of [
          { certificate: { ...certified, issuedAt: (2n ** 64n).toString() } },
          { certificate: { ...certified, jobId: "0x01" } },
          { intent: { ...intent, nonce: (2n ** 256n).toString() } },
          { intent: { ...intent, owner: "0x01" } },
          { certificateSignature: `${certificateSignature}0` },
          { ownerSignature: "no signature" },
        ])
          expect(() => executeCallData({ ...args, ...bent })).to.throw();
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
