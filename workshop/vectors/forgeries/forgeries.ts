/** What a dishonest service, or somebody on the way, bends so that no reader finds it VALID: beside the plain bends. */
import { approveCallData, executeCallData } from "../../../attestor/certificate/guardCall.ts";
import { sourceName } from "../../../attestor/sources.ts";
import { addressFor, bySecond, reading, STOCK, STOCK_KEY } from "../../../test/attestor/fixtures.ts";
import { type Bend, type Bends, invalidRows, type Row, row } from "./rows.ts";
import { EVERYTHING, FEED, failed, priceOnChain, REGISTRY } from "./service.ts";

const ATTACKER = addressFor("an attacker");
const HERMES = sourceName(REGISTRY.assets[0]!.priceSources[0]!);

/** Prices and token facts that are not of the registry's sources, or are left out; and what is said of them. */
const SOURCES: Readonly<Record<string, readonly [bend: Bend, said: RegExp]>> = {
  "a contract that nobody listed states the price": [
    ({ references }) => (references[3] = priceOnChain(addressFor("another aggregator"), { price: "200.3" })),
    /the live price of ACME \/ USD by chainlink is of no source that it lists/,
  ],
  "a provider that nobody listed states a price": [
    ({ references }) => references.push(reading({ provider: "desk" })),
    /by desk is of no source/,
  ],
  "a price comes under another name": [
    ({ references }) => (references[1] = bySecond({ symbol: "TSLA", price: "200.4" })),
    /the live price of TSLA by finnhub is of no source.*finnhub live ACME states no price/,
  ],
  "a close comes as the running price": [
    ({ references }) => (references[2] = bySecond({ kind: "live", price: "199.8" })),
    /finnhub live ACME is there twice; finnhub close ACME states no price/,
  ],
  "the signed price is left out": [
    ({ references }) => references.splice(0, 1),
    /pyth-hermes live 0x\w{64} states no price and is not said to have failed/,
  ],
  "a price on the chain is left out": [
    ({ references }) => references.splice(3, 1),
    /chainlink live 0x\w{40} ACME \/ USD states no price/,
  ],
  "a price of the dollar is left out": [
    ({ settlement }) => settlement.splice(1, 1),
    /finnhub live USDT \/ USD states no price/,
  ],
  "a halt on the chain is left out": [
    ({ token: { halts } }) => halts.splice(0, 1),
    /halt-flag tradingHalted states no halt and is not said to have failed/,
  ],
  "a halt is read from another flag": [
    ({ token: { halts } }) => (halts[0].provider = "isPaused"),
    /the halt by isPaused is of no source.*tradingHalted states no halt/,
  ],
  "a halt of the API is said to be read at the token": [
    ({ token: { halts } }) => (halts[1] = { ...halts[0], provider: "xstocks", address: STOCK }),
    /the halt by xstocks is of no source/,
  ],
  "the API's factor counts though the token states one": [
    ({ token: { factor } }) =>
      Object.assign(factor, { provider: "xstocks", address: null, blockNumber: null }),
    /erc-8056 states no factor and is not said to have failed/,
  ],
  "no announcement, where the token could be asked": [
    ({ token }) => (token.announcement = null),
    /erc-8056 states no announcement.*xstocks ACMEx states no announcement/,
  ],
  "the token's own word stands for a halt": [
    ({ token: { halts, factor } }) => {
      const { value: _, ...stated } = factor;
      halts.push({ ...stated, halted: false });
    },
    /the halt by erc-8056 is of no source that it lists for that/,
  ],
  "a flag announces that nothing changes": [
    ({ token: { announcement } }) => Object.assign(announcement, { provider: "tradingHalted", change: null }),
    /the announcement by tradingHalted is of no source.*erc-8056 states no announcement/,
  ],
  "a failure of what nobody states of the dollar": [
    ({ failures }) => failures.push(failed("erc-8056", { asset: "settlement", subject: "factor" })),
    /nobody is asked for factor erc-8056/,
  ],
  "a source is said to have failed, and answered": [
    ({ failures }) => failures.push(failed(HERMES)),
    /pyth-hermes live 0x\w{64} is there twice/,
  ],
  "a source that nobody listed is said to have failed": [
    ({ failures }) => failures.push(failed("desk live ACME")),
    /nobody is asked for price desk live ACME/,
  ],
  "one failure twice": [
    ({ references, failures }) => {
      references.splice(0, 1);
      failures.push(failed(HERMES), failed(HERMES));
    },
    /a source is said to have failed twice/,
  ],
  "a failure of another asset": [
    ({ references, failures }) => {
      references.splice(0, 1);
      failures.push(failed(HERMES, { asset: "settlement" }));
    },
    /states no price and is not said to have failed; nobody is asked for price pyth-hermes/,
  ],
  "one contract is two sources": [
    ({ references }) => references.push(priceOnChain(FEED, { provider: "another" })),
    /by another is of no source/,
  ],
};

const EVIDENCE: Bends = {
  "registry registry_other": {
    "a fee tier that the route has not": ({ quote }) => Object.assign(quote, route(1), { fees: [10_000] }),
    "a trade of an asset that the registry does not list": ({ intent, trade }) =>
      (intent.outputAssetKey = trade.stockAssetKey = STOCK_KEY.replace(STOCK, ATTACKER)),
  },
  "judgement tiny_trade_of_another_amount": {
    "a tiny trade as large as the whole, which hides the impact": ({ quote }) =>
      Object.assign(quote, {
        pools: null,
        referenceAmountInRaw: quote.amountInRaw,
        referenceAmountOutRaw: quote.amountOutRaw,
      }),
  },
  "judgement layout_without_proofs, registry sources_other": {
    "an announcement of no block": ({ token: { announcement } }) =>
      Object.assign(announcement, { blockNumber: null, address: null }),
  },
  "document evidence_malformed": {
    "an amount as long as a book": ({ quote }) => (quote.amountOutRaw = "x".repeat(100_000)),
    "readings without end": (evidence) => (evidence.references = Array(33).fill(evidence.references[0])),
  },
};

function route(index: number) {
  const { name, address, selector } = REGISTRY.routes[index]!;
  return { routeName: name, route: address, selector, pools: null };
}

const PROOFS: Bends = {
  "state proofs_broken": {
    "a node twice": ({ nodes }) => nodes.push(nodes[0]),
    "a node gone": ({ nodes }) => nodes.pop(),
    "nodes in another order": ({ nodes }) => nodes.reverse(),
    "accounts in another order": ({ accounts }) => accounts.reverse(),
    "a key that nothing asks for": ({ accounts: [first] }) => first.keys.push(`0x${"ff".repeat(32)}`),
    "a byte behind the header": (proofs) => (proofs.header += "00"),
  },
};

const REPORT: Bends = {
  "judgement findings_other": {
    "a finding's words": ({ findings }) => (findings[6].message += "!"),
    "a finding gone": ({ findings }) => findings.pop(),
    "a finding twice": ({ findings }) => findings.push(findings[0]),
    "the order of findings": ({ findings }) => findings.reverse(),
  },
  "hash hash_other": {
    "the case of the evidence hash": (report) => (report.evidenceHash = report.evidenceHash.toUpperCase()),
  },
  "state proofs_format": {
    "proofs that are none": (report) => (report.proofs = "0x"),
    "a member beside the proofs": ({ proofs }) => (proofs.note = "checked"),
  },
  "state proofs_hash": {
    "a node of the proofs gone": ({ proofs }) => proofs.nodes.pop(),
  },
  "log log_format": {
    "an entry that is null": (report) => (report.log = null),
    "a salt that is none": ({ log }) => (log.salt = "0x"),
    "a member beside salt and proof": ({ log }) => (log.checkedBy = "Nasdaq"),
  },
  "log log_entry_other": {
    "another salt": ({ log }) => (log.salt = `0x${"00".repeat(16)}`),
    "the entry before it": ({ log }) => (log.proof = log.proof.replace("index 1", "index 0")),
    "an entry beyond the log": ({ log }) => (log.proof = log.proof.replace("index 1", "index 2")),
    "a step of the path gone": ({ log }) => (log.proof = log.proof.replace(/(index 1\n)[^\n]+\n/, "$1")),
    "another root": ({ log }) => (log.proof = log.proof.replace(/(\n2\n)(.)/, "$1/")),
    "another size of the log": ({ log }) => (log.proof = log.proof.replace("\n2\n", "\n3\n")),
  },
  "log log_proof_broken": {
    "a proof that is none": ({ log }) => (log.proof = "proved"),
    "an origin that is a sentence": ({ log }) =>
      (log.proof = log.proof.replace(/^assay\S+(?=\n[0-9])/m, "a log that was checked")),
    "a second signature by the log that does not hold": ({ log }) => (log.proof += broken(log.proof, 0)),
    "a second cosignature that does not hold": ({ log }) => (log.proof += broken(log.proof, 1)),
    "a signature that does not hold before the one that does": ({ log }) => {
      const line = signatures(log.proof)[0]!;
      log.proof = log.proof.replace(line, `${broken(log.proof, 0)}${line}`);
    },
  },
};

const signatures = (proof: string): string[] => proof.match(/^— .*\n/gm)!;
/** The line of a signature by the same key, which does not hold. */
const broken = (proof: string, index: number): string =>
  signatures(proof)[index]!.replace(/.{8}(?=.{4}\n$)/, "AAAAAAAA");

const inCapitals = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
const FOREIGN = ["from", "gas", "gasPrice", "nonce", "accessList", "authorizationList", "type", "__proto__"];

const EXECUTION: Bends = {
  "certificate certificate_other": {
    "a deadline beyond all numbers": ({ tradeIntent }) =>
      (tradeIntent.message.deadline = `1${"0".repeat(60)}`),
  },
  "certificate calls_other": {
    "the call's data": ({ guardCall }) => (guardCall.data = guardCall.data.replace(/.$/, "f")),
    "the route's call data": ({ guardCall }) => (guardCall.args.routeCallData += "00"),
    "other route call data in a call that is whole": ({ guardCall, relayedCall }) => {
      const data = `${guardCall.args.routeCallData.slice(0, 10)}${"ff".repeat(64)}`;
      guardCall.args.routeCallData = relayedCall.args.routeCallData = data;
      guardCall.data = executeCallData(guardCall.args);
    },
    "an approval of somebody else, whole": ({ approval }) =>
      Object.assign(approval, {
        spender: ATTACKER,
        calls: [{ ...approval.calls[0], data: approveCallData(ATTACKER, approval.amount) }],
      }),
    "upper-case call data": ({ guardCall }) => (guardCall.data = inCapitals(guardCall.data)),
    "the relayed call's data in the owner's call": ({ relayedCall, guardCall }) =>
      (relayedCall.data = guardCall.data),
    ...Object.fromEntries(
      ["guardCall", "relayedCall", "approval"].flatMap((name) =>
        FOREIGN.map((member) => [
          `${member} of ${name}`,
          (execution: any) =>
            Object.defineProperty(execution[name], member, { value: "0x1", enumerable: true }),
        ]),
      ),
    ),
  },
  "certificate signed_by_other": Object.fromEntries(
    [twin, compact, inCapitals, (text: string) => `${compact(text)}00`, (text: string) => `${text}00`].map(
      (written, index) => [
        `another way to write the signature (${index + 1})`,
        ({ certificate }: any) => (certificate.signature = written(certificate.signature)),
      ],
    ),
  ),
};

/** The other signature of the same digest by the same key. */
function twin(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === "1b" ? "1c" : "1b";
  return `${signature.slice(0, 66)}${(order - s).toString(16).padStart(64, "0")}${v}`;
}

function compact(signature: string): string {
  return signature.slice(0, 130);
}

const DOCUMENT: Bends = {
  "certificate execution_unreadable": {
    "an execution that is a list": (document) => (document.execution = []),
    "an execution that is a word": (document) => (document.execution = "none"),
    "an execution that is false": (document) => (document.execution = false),
  },
  "document envelope_contradicts": {
    "the job beside the report": (document) => (document.jobId = "job_other"),
    "the version beside the report": (document) => (document.reportVersion = 1),
    "no job beside the report": (document) => delete document.jobId,
    "a misspelt version": (document) => {
      document.reportVersions = document.reportVersion;
      delete document.reportVersion;
    },
    "a decision of its own": (document) => (document.decision = "DENY"),
    "an intent of its own": (document) =>
      (document.intent = { ...document.report.evidence.intent, amountInRaw: "1" }),
  },
};

const JOB: Bends = {
  "document envelope_contradicts": {
    "the version twice in the list": ({ reports }) => reports.push(reports[1]),
    "evidence of its own": (job) => (job.evidence = { ...job.report.evidence, jobId: "other" }),
  },
};

export const FORGED_ROWS: readonly Row[] = [
  ...Object.entries(SOURCES).map(([name, [facts, said]]) =>
    row(name, { facts, observed: true }, EVERYTHING, {
      verdict: "INVALID",
      faults: "registry sources_other",
      said,
    }),
  ),
  ...invalidRows("evidence", EVIDENCE),
  ...invalidRows("proofs", PROOFS),
  ...invalidRows("report", REPORT),
  ...invalidRows("execution", EXECUTION),
  ...invalidRows("document", DOCUMENT),
  ...invalidRows("job", JOB),
];
