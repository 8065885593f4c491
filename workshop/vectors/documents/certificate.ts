/** Step `certificate`: whether intent, certificate and calls are those that follow from the report. */
import { id } from "ethers";
import { approveCallData, executeCallData } from "../../../attestor/certificate/guardCall.ts";
import { addressFor, GUARD } from "../../../test/attestor/fixtures.ts";
import { type Bends, changed, type Made, type Row, rowsByReader, rowsOfBends } from "./rows.ts";
import { answerOf, type Bend } from "./service.ts";

const ATTACKER = addressFor("an attacker");

/** The report of one judgement with the execution of the honest one. */
function mixed(evidence: Bend): Made {
  return async () => {
    const document = await answerOf({ evidence });
    const { execution } = await answerOf();
    return { ...document, reportVersion: document.report.version, execution };
  };
}

const ROWS = rowsByReader({
  "a trade without its calls": [
    changed(answerOf, ({ execution }) => {
      for (const call of ["guardCall", "relayedCall", "approval"]) delete execution[call];
      delete execution.certificate.signer;
    }),
    "VALID",
  ],
  "a trade with the owner's call alone": [
    changed(answerOf, ({ execution }) => Object.assign(execution, { relayedCall: null, approval: null })),
    "VALID",
  ],
  "a trade whose allowance suffices": [
    changed(answerOf, ({ execution: { approval } }) =>
      Object.assign(approval, { currentAllowance: approval.amount, calls: [] }),
    ),
    "VALID",
  ],
  "an empty execution": [
    changed(answerOf, (document) => (document.execution = {})),
    "INVALID certificate execution_unreadable",
  ],
  "the execution of another version": [
    mixed((evidence) => (evidence.reportVersion = 3)),
    "INVALID certificate certificate_other",
  ],
  "a certificate on a denied report": [
    mixed(({ session }) => (session.state = "closed")),
    "INVALID certificate not_allowed",
  ],
});

const DOCUMENT: Bends = {
  "certificate execution_unreadable": {
    "an execution that is a list": (document) => (document.execution = []),
    "an execution that is a word": (document) => (document.execution = "none"),
    "an execution that is false": (document) => (document.execution = false),
  },
};

const INTENT: Bends = {
  "certificate trade_intent_other": {
    "the intent's owner": ({ tradeIntent }) => (tradeIntent.message.owner = ATTACKER),
    "the intent's recipient": ({ tradeIntent }) => (tradeIntent.message.recipient = ATTACKER),
    "the intent's inputToken": ({ tradeIntent }) => (tradeIntent.message.inputToken = ATTACKER),
    "the intent's outputToken": ({ tradeIntent }) => (tradeIntent.message.outputToken = ATTACKER),
    "the intent's route": ({ tradeIntent }) => (tradeIntent.message.route = ATTACKER),
    "the amount": ({ tradeIntent }) => (tradeIntent.message.amountIn = "2000000000"),
    "the minimum": ({ tradeIntent }) => (tradeIntent.message.minAmountOut = "1"),
    "the policy that the owner signs": ({ tradeIntent }) => (tradeIntent.message.policyHash = id("other")),
    "the intent's domain": ({ tradeIntent }) => (tradeIntent.domain.chainId = 1),
    "the intent's type": ({ tradeIntent }) => (tradeIntent.primaryType = "Permit"),
    "the intent's types": ({ tradeIntent: { types } }) => (types.TradeIntent[0].type = "bytes32"),
    "a domain type without the guard": ({ tradeIntent: { types } }) => (types.EIP712Domain[3].name = "guard"),
    "no domain type but its name": ({ tradeIntent: { types } }) => (types.EIP712Domain = null),
    "a domain type in another order": ({ tradeIntent: { types } }) =>
      (types.EIP712Domain[0] = { name: "version", type: "string" }),
    "a permit among the types": ({ tradeIntent: { types } }) => (types.Permit = []),
    "something beside the typed data": ({ tradeIntent }) => (tradeIntent.signature = "0x"),
    "no types": ({ tradeIntent }) => delete tradeIntent.types,
  },
  "certificate certificate_other": {
    "the nonce": ({ tradeIntent }) => (tradeIntent.message.nonce = "78"),
    "the deadline": ({ tradeIntent }) => (tradeIntent.message.deadline = "1"),
    "a deadline beyond all numbers": ({ tradeIntent }) =>
      (tradeIntent.message.deadline = `1${"0".repeat(60)}`),
    "the call data's hash": ({ tradeIntent }) => (tradeIntent.message.callDataHash = id("")),
  },
  "certificate execution_unreadable": {
    "a member of the intent gone": ({ tradeIntent }) => delete tradeIntent.message.nonce,
  },
};

/** The other signature of the same digest by the same key. */
function twin(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === "1b" ? "1c" : "1b";
  return `${signature.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${v}`;
}
const compact = (signature: string) => signature.slice(0, 130);
const inCapitals = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;

const CERTIFICATE: Bends = {
  "certificate certificate_other": {
    "the guard in the domain": ({ certificate }) => (certificate.domain.verifyingContract = ATTACKER),
    "the domain's name": ({ certificate }) => (certificate.domain.name = "Tradeguard"),
    "a salt in the domain": ({ certificate }) => (certificate.domain.salt = id("")),
    "an empty domain type": ({ certificate }) => (certificate.types.EIP712Domain = []),
    "something beside the certificate": ({ certificate }) => (certificate.account = ATTACKER),
    "no domain": ({ certificate }) => delete certificate.domain,
  },
  "certificate execution_unreadable": {
    "an extra member of the certificate": ({ certificate }) => (certificate.message.x = "1"),
    "no signature": ({ certificate }) => delete certificate.signature,
  },
  "certificate signed_by_other": {
    "the certificate's intentHash": ({ certificate }) => (certificate.message.intentHash = id("other")),
    "the certificate's evidenceHash": ({ certificate }) => (certificate.message.evidenceHash = id("other")),
    "the certificate's jobId": ({ certificate }) => (certificate.message.jobId = id("other")),
    "the certificate's reportVersion": ({ certificate }) =>
      (certificate.message.reportVersion = "9999999999"),
    "the certificate's issuedAt": ({ certificate }) => (certificate.message.issuedAt = "9999999999"),
    "the certificate's expiresAt": ({ certificate }) => (certificate.message.expiresAt = "9999999999"),
    "an empty signature": ({ certificate }) => (certificate.signature = "0x"),
    "the signature": ({ certificate }) => (certificate.signature = `0x${"11".repeat(24)}`),
    "the signature's twin": ({ certificate }) => (certificate.signature = twin(certificate.signature)),
    "the signature in 64 bytes": ({ certificate }) =>
      (certificate.signature = compact(certificate.signature)),
    "the signature in capitals": ({ certificate }) =>
      (certificate.signature = inCapitals(certificate.signature)),
    "the signature in 64 bytes, and a zero": ({ certificate }) =>
      (certificate.signature = `${compact(certificate.signature)}00`),
    "the signature, and a zero": ({ certificate }) => (certificate.signature += "00"),
  },
  "certificate signer_misnamed": {
    "the named signer": ({ certificate }) => (certificate.signer = ATTACKER),
  },
};

/** What a wallet would take beside what a call is made of. */
const FOREIGN = ["from", "gas", "gasPrice", "nonce", "accessList", "authorizationList", "type", "__proto__"];
const foreignMembers: [string, Bend][] = ["guardCall", "relayedCall", "approval"].flatMap((name) =>
  FOREIGN.map((member): [string, Bend] => [
    `${member} of ${name}`,
    // Not by assignment, which sets the prototype where the member is `__proto__`.
    (execution) => Object.defineProperty(execution[name], member, { value: "0x1", enumerable: true }),
  ]),
);

const CALLS: Bends = {
  "certificate calls_other": {
    "where the call goes": ({ guardCall }) => (guardCall.to = ATTACKER),
    "the call's chain": ({ guardCall }) => (guardCall.chainId = 1),
    "the call's value": ({ guardCall }) => (guardCall.value = "1"),
    "a number as the value": ({ guardCall }) => (guardCall.value = 0),
    "the call's function": ({ guardCall }) => (guardCall.functionName = "executeFor"),
    "the call's data": ({ guardCall }) => (guardCall.data = guardCall.data.replace(/.$/, "f")),
    "upper-case call data": ({ guardCall }) => (guardCall.data = inCapitals(guardCall.data)),
    "a call that is no object": (execution) => (execution.guardCall = "0x"),
    "no value of guardCall": ({ guardCall }) => delete guardCall.value,
    "no data of guardCall": ({ guardCall }) => delete guardCall.data,
    "no to of guardCall": ({ guardCall }) => delete guardCall.to,
    "the route's call data": ({ guardCall }) => (guardCall.args.routeCallData += "00"),
    "route call data that is none": ({ guardCall }) => (guardCall.args.routeCallData = "zz"),
    "other route call data in a call that is whole": ({ guardCall, relayedCall }) => {
      const data = `${guardCall.args.routeCallData.slice(0, 10)}${"ff".repeat(64)}`;
      guardCall.args.routeCallData = relayedCall.args.routeCallData = data;
      guardCall.data = executeCallData(guardCall.args);
    },
    "an owner's signature in the owner's call": ({ guardCall }) => (guardCall.args.ownerSignature = "0x11"),
    "arguments beside the arguments": ({ guardCall }) => (guardCall.args.recipient = ATTACKER),

    "the relayed call's intent": ({ relayedCall }) => (relayedCall.args.intent.nonce = "78"),
    "the relayed call's guard": ({ relayedCall }) => (relayedCall.to = ATTACKER),
    "the relayed call's data in the owner's call": ({ relayedCall, guardCall }) =>
      (relayedCall.data = guardCall.data),
    "no chainId of relayedCall": ({ relayedCall }) => delete relayedCall.chainId,
    "no data of relayedCall": ({ relayedCall }) => delete relayedCall.data,
    "no place for the owner's signature": ({ relayedCall }) => delete relayedCall.ownerSignature,
    "where the owner's signature goes": ({ relayedCall }) => (relayedCall.ownerSignature.offset = 4),
    "another place for the owner's signature": ({ relayedCall }) => (relayedCall.ownerSignature.offset = 68),
    "another length of the owner's signature": ({ relayedCall }) => (relayedCall.ownerSignature.length = 64),
    "something beside the place of the owner's signature": ({ relayedCall }) =>
      (relayedCall.ownerSignature.byte = 0),

    "who is approved": ({ approval }) => (approval.spender = ATTACKER),
    "an approval of somebody else, whole": ({ approval }) =>
      Object.assign(approval, {
        spender: ATTACKER,
        calls: [{ ...approval.calls[0], data: approveCallData(ATTACKER, approval.amount) }],
      }),
    "what is approved": ({ approval }) => (approval.token = GUARD),
    "how much is approved": ({ approval }) => (approval.amount = "1".repeat(70)),
    "an approval's data": ({ approval }) => (approval.calls[0].data = "0x"),
    "an approval's contract": ({ approval }) => (approval.calls[0].to = ATTACKER),
    "no approval where one is needed": ({ approval }) => (approval.calls = []),
    "an allowance that its calls do not follow": ({ approval }) => (approval.currentAllowance = "1"),
    "an allowance that is none": ({ approval }) => (approval.currentAllowance = "many"),
    "to of approval": ({ approval }) => (approval.to = ATTACKER),
    "value of approval": ({ approval }) => (approval.value = "1"),
    ...Object.fromEntries(foreignMembers),
  },
};

export const CERTIFICATE_ROWS: readonly Row[] = [
  ...ROWS,
  ...rowsOfBends("document", DOCUMENT),
  ...rowsOfBends("execution", INTENT),
  ...rowsOfBends("execution", CERTIFICATE),
  ...rowsOfBends("execution", CALLS),
];
