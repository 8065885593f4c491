/** Rows of who trusts whom: one document, and readers who know different things. */
import { AbiCoder, id } from "ethers";
import { logSigner } from "../../../api/log/key.ts";
import { executorOf } from "../../../attestor/evm/address.ts";
import { type Policy, policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { readHeader } from "../../../attestor/proofs/header.ts";
import { parseRegistry, registryHash } from "../../../attestor/registry.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import type { ChainFindings } from "../../../attestor/verify/chain.ts";
import type { Standing } from "../../../attestor/verify/issuer.ts";
import type { KnownGuard, Reader } from "../../../attestor/verify/trust.ts";
import { LOG_KEY, ORIGIN, WITNESS } from "../../support/logged.ts";
import {
  addressFor,
  copy,
  DOLLAR,
  DOLLAR_KEY,
  GUARD,
  NOW,
  prepared,
  SIGNER,
  STOCK,
  TRUST,
} from "../fixtures.ts";
import { headerRlp } from "../proofs/state.ts";
import { job } from "./job.ts";
import { type Row, row } from "./rows.ts";
import {
  answerOf,
  CHAIN,
  FORGER,
  FORGERS_KEY,
  type Lies,
  liquidityOf,
  READER,
  RECORD,
  REGISTRY,
  SAMPLES,
  STATE_ROOT,
} from "./service.ts";

const VALID = { verdict: "VALID" } as const;
const unless = (strict: string) => ({ verdict: "VALID", strict }) as const;
const unverifiable = (faults: string) => ({ verdict: "UNVERIFIABLE", faults }) as const;
const invalid = (faults: string) => ({ verdict: "INVALID", faults }) as const;

/** The reader without these. */
function without(...names: (keyof Reader)[]): Reader {
  const rest: Record<string, unknown> = { ...READER };
  for (const name of names) delete rest[name];
  return rest;
}
const recordWith = (change: Partial<KnownGuard>): readonly KnownGuard[] => [{ ...RECORD, ...change }];
const unlogged = (record: KnownGuard): KnownGuard => {
  const { logKeys: _, ...rest } = record;
  return rest;
};

/** B1: STRICT_LIVE with other bounds. */
function lax(change: Partial<Policy["definition"]>): Policy {
  const definition = { ...copy(policyById("STRICT_LIVE").definition), maxSlippageBps: 9_999, ...change };
  return policyOf("as strict as can be", definition);
}
const REDEFINED = lax({});
const NEXT = lax({ version: 4 });
const OWN = lax({ policyId: "MY_DESK", version: 1, maxSlippageBps: 100 });
const OTHER_OWN = lax({ policyId: "MY_DESK", version: 1 });

const POLICY_ROWS = [
  row(
    "a lax policy under a known name, which the service serves",
    { policy: REDEFINED },
    by({ servicePolicies: [REDEFINED] }),
    invalid("policy policy_redefined"),
  ),
  row("a lax policy under a known name", { policy: REDEFINED }, READER, invalid("policy policy_redefined")),
  row(
    "a lax policy under the name of the reader's own",
    { policy: OTHER_OWN },
    by({ policies: [OWN], servicePolicies: [OTHER_OWN] }),
    invalid("policy policy_redefined"),
  ),
  row(
    "a policy that only the service vouches for",
    { policy: NEXT },
    by({ servicePolicies: [NEXT] }),
    unless("policy policy_of_service"),
  ),
  row("a policy that nobody gave", { policy: NEXT }, READER, unverifiable("policy policy_unknown")),
  row(
    "a policy of the service under another name than its own",
    { policy: NEXT, evidence: ({ policy, intent }) => (policy.policyId = intent.policyId = "MY_DESK") },
    by({ servicePolicies: [NEXT] }),
    invalid("policy policy_other_name"),
  ),
  row("a policy that the reader gave", { policy: NEXT }, by({ policies: [NEXT] }), VALID),
];

function by(change: Partial<Reader>): Reader {
  return { ...READER, ...change };
}

const OTHER_LOG = logSigner(new Uint8Array(32).fill(1));
const byRecord = without("logKeys", "witnessKeys");

const LOG_ROWS = [
  row(
    "a trade kept out of the log that the reader's record has",
    { log: "none" },
    byRecord,
    unverifiable("log log_absent"),
  ),
  row(
    "a trade kept out of the log that the reader named",
    { log: "none" },
    READER,
    unverifiable("log log_absent"),
  ),
  row(
    "a trade whose entry is not proved",
    bentAnswer(({ report }) => (report.log.proof = null)),
    byRecord,
    unverifiable("log log_proof_missing"),
  ),
  row(
    "a trade without a proof, where the record has no log",
    { log: "none" },
    { ...byRecord, known: [unlogged(RECORD)] },
    VALID,
  ),
  row(
    "a trade in another log than the record's",
    { log: OTHER_LOG },
    byRecord,
    unverifiable("log log_unknown_key"),
  ),
  row(
    "a trade in another log than the reader named",
    { log: OTHER_LOG },
    READER,
    invalid("log log_unknown_key"),
  ),
  row(
    "a log that the reader named instead of the record's",
    { log: OTHER_LOG },
    by({ logKeys: [OTHER_LOG.keyOf(ORIGIN)] }),
    VALID,
  ),
  row("a log whose key alone vouches for its tree", {}, without("witnessKeys"), unless("log log_key_alone")),
  row(
    "an entry that the reader cannot check",
    {},
    { ...without("logKeys", "witnessKeys"), known: [unlogged(RECORD)] },
    unless("log log_unchecked"),
  ),
  row(
    "a witness that did not sign",
    {},
    by({ witnessKeys: [WITNESS, OTHER_LOG.keyOf("witness.example/other")] }),
    unverifiable("log witness_missing"),
  ),
  row(
    "a denial in the log",
    { facts: ({ guard }) => (guard.paused = false), evidence: ({ session }) => (session.state = "closed") },
    READER,
    VALID,
  ),
  row(
    "a denial in no log",
    { log: "none", unsigned: true },
    { ...byRecord, known: [unlogged(RECORD)] },
    unverifiable("issuer unsigned"),
  ),
  row(
    "a report that was saved before its entry was proved",
    bentAnswer(
      ({ report, execution: _, ...rest }) => {
        report.log.proof = null;
        void rest;
      },
      { unsigned: true },
    ),
    byRecord,
    unverifiable("issuer proof_awaited, log log_proof_missing"),
  ),
];

function bentAnswer(bend: (document: any) => void, lies?: Lies) {
  return async () => {
    const document = await answerOf(lies);
    bend(document);
    return document;
  };
}

/** The same on chain 56, where the local world's keys sign nothing: by a policy that can do without signed prices. */
const onMainnet = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll("eip155:31337:", "eip155:56:")
      .replaceAll('"chainId":31337', '"chainId":56'),
  );
const MAINNET_REGISTRY = parseRegistry(onMainnet(REGISTRY));
/** Noon in New York on Saturday, 26 September 2026; before the exchange opens on Monday the 21st; on Christmas. */
const [SATURDAY, MORNING, CHRISTMAS] = [
  Date.UTC(2026, 8, 26, 16),
  Date.UTC(2026, 8, 21, 12),
  Date.UTC(2026, 11, 25, 16),
].map((time) => time / 1_000) as [number, number, number];
/** When the session of `NOW` ends. */
const CLOSE = Date.UTC(2026, 8, 21, 20) / 1_000;

const TIMES = ["capturedAt", "blockTimestamp", "publishedAt", "receivedAt", "updatedAt", "sampledAt"];
const moved = <T>(value: T, seconds: number): T =>
  JSON.parse(JSON.stringify(value), (name, member) => (TIMES.includes(name) ? member + seconds : member));

/** A trade on chain 56 in a session that somebody states, and a reader who knows all but how to check that. */
function inSession(state: string, source: string, at: number, expected: Parameters<typeof row>[3]): Row {
  const samples = moved(onMainnet(SAMPLES), at - NOW);
  const lies: Lies = {
    observed: true,
    policy: policyById("EXTENDED_HOURS"),
    evidence(evidence) {
      Object.assign(evidence, moved(onMainnet(evidence), at - NOW), {
        session: { source, state },
        liquidity: liquidityOf(samples),
      });
      evidence.registry.hash = registryHash(MAINNET_REGISTRY);
      for (const reading of evidence.references) Object.assign(reading, { proof: null, signer: null });
    },
  };
  const reader: Reader = {
    ...without("header"),
    guard: { chainId: 56, address: GUARD },
    known: recordWith({ chainId: 56, registry: MAINNET_REGISTRY }),
    registry: MAINNET_REGISTRY,
    samples,
  };
  return row(`${state} by ${source} at ${new Date(at * 1_000).toUTCString()}`, lies, reader, expected);
}

const OTHER_CALENDAR = unless("judgement session_of_service");
const NOT_OF_CALENDAR = invalid("judgement session_not_of_calendar");
const SESSION_ROWS = [
  inSession("regular", "nyse calendar 2026", SATURDAY, OTHER_CALENDAR),
  inSession("regular", "NYSE", SATURDAY, OTHER_CALENDAR),
  inSession("regular", "nyse-calendar\u00ad2026", NOW, OTHER_CALENDAR),
  inSession("regular", "nyse-calendar", NOW, VALID),
  ...["regular", "pre-market", "post-market", "overnight"].flatMap((state) =>
    ["nyse-calendar", "NYSE-Calendar", "nyse-\u200bcalendar"].map((source) =>
      inSession(state, source, SATURDAY, NOT_OF_CALENDAR),
    ),
  ),
  inSession("regular", "nyse-calendar", MORNING, NOT_OF_CALENDAR),
  inSession("post-market", "nyse-calendar", MORNING, NOT_OF_CALENDAR),
  inSession("regular", "nyse-calendar", CHRISTMAS, NOT_OF_CALENDAR),
  ...["closed", "overnight", "pre-market", "post-market"].map((state) =>
    inSession(state, "nyse-calendar", NOW, VALID),
  ),
  // It ended while the facts were gathered.
  inSession("regular", "nyse-calendar", CLOSE + 60, VALID),
  inSession("regular", "nyse-calendar", CLOSE + 180, NOT_OF_CALENDAR),
];

const SAMPLE_ROWS = [
  row(
    "a grade of samples that nobody gave",
    {},
    without("samples"),
    unless("judgement liquidity_of_service"),
  ),
  row(
    "a grade that names no samples",
    { facts: ({ liquidity }) => (liquidity.samplesRoot = null) },
    without("samples"),
    unless("judgement samples_not_named"),
  ),
  row(
    "samples for a grade that names none",
    { facts: ({ liquidity }) => (liquidity.samplesRoot = null) },
    READER,
    unverifiable("judgement samples_not_asked"),
  ),
  row(
    "samples of another token",
    { facts: (facts) => (facts.liquidity = liquidityOf({ ...SAMPLES, assetKey: DOLLAR_KEY })) },
    by({ samples: { ...SAMPLES, assetKey: DOLLAR_KEY } }),
    invalid("judgement samples_say_otherwise"),
  ),
  row(
    "more samples than there were",
    { facts: ({ liquidity }) => (liquidity.sampleN = 4) },
    READER,
    invalid("judgement samples_say_otherwise"),
  ),
  row(
    "other samples",
    {},
    by({ samples: { ...SAMPLES, samples: SAMPLES.samples.slice(1) } }),
    unverifiable("judgement samples_of_other_hash"),
  ),
  ...[{}, null, "0x", { ...SAMPLES, more: 1 }, [SAMPLES]].map((samples) =>
    row(
      `samples that are ${JSON.stringify(samples).slice(0, 20)}`,
      {},
      by({ samples }),
      unverifiable("judgement samples_unreadable"),
    ),
  ),
];

const OTHER_REGISTRY = parseRegistry({ ...copy(REGISTRY), version: "other" });
/** Without a route of the trade, and still by the version's name. */
const SHORT_REGISTRY = { ...REGISTRY, routes: REGISTRY.routes.slice(1) };
const noRegistry: Reader = { ...without("registry"), known: recordWith({ registry: undefined! }) };

const REGISTRY_ROWS = [
  row("no registry at all", {}, noRegistry, unless("registry registry_missing")),
  row(
    "another registry than the evidence names",
    {},
    by({ registry: OTHER_REGISTRY }),
    invalid("registry registry_other"),
  ),
  row(
    "a registry of the same version without the route",
    {},
    by({ registry: SHORT_REGISTRY }),
    invalid("registry registry_other"),
  ),
  row("the record's registry", {}, without("registry"), VALID),
  row(
    "a record of another registry",
    {},
    { ...without("registry"), known: recordWith({ registry: OTHER_REGISTRY }) },
    unverifiable("registry registry_not_of_record"),
  ),
  row(
    "a record of another registry beside the reader's own",
    {},
    by({ known: recordWith({ registry: OTHER_REGISTRY }) }),
    VALID,
  ),
  row(
    "a registry of the service, to which a log commits",
    {},
    { ...noRegistry, serviceRegistry: REGISTRY },
    VALID,
  ),
  row(
    "a registry of the service, and nothing but its own word",
    {},
    {
      ...noRegistry,
      logKeys: undefined,
      witnessKeys: undefined,
      serviceRegistry: REGISTRY,
      known: recordWith({ registry: undefined!, isServices: true }),
    },
    unless("registry registry_of_service"),
  ),
];

const headerAt = (number: number) => readHeader(headerRlp(STATE_ROOT, number, NOW - 3))!;
/** Policies that differ in whether they ask for a proof of the quote. */
const proofPolicy = (quoteProof: "required" | "optional") =>
  lax({
    policyId: "PROOFS",
    maxSlippageBps: 100,
    evidence: { ...policyById("STRICT_LIVE").definition.evidence, quoteProof },
  });
const withoutProofs = (policy: Policy) =>
  row(
    `proofs left out where ${policy.definition.evidence.quoteProof}`,
    bentAnswer(({ report }) => delete report.proofs, { policy }),
    by({ policies: [policy] }),
    policy.definition.evidence.quoteProof === "optional" ? VALID : unverifiable("state proofs_missing"),
  );

const STATE_ROWS = [
  row("proofs, and no header of their block", {}, without("header", "chain"), unless("state block_of_proof")),
  row("proofs, and the header alone", {}, without("chain"), unless("state facts_observed")),
  row("another header of that block", {}, by({ header: headerAt(4_200) }), invalid("state header_other")),
  row(
    "a header of another block",
    {},
    by({ header: headerAt(4_199) }),
    unverifiable("state header_of_other_block"),
  ),
  row("no proofs where there are none", { observed: true }, READER, VALID),
  ...[policyById("STRICT_LIVE"), proofPolicy("required"), proofPolicy("optional")].map(withoutProofs),
];

/** Forged from nothing: every hash is right, and the key is the forger's. */
const THEIRS = addressFor("a guard of the forger's");
const fromNothing = (guard: string): Lies => ({
  observed: true,
  log: "none",
  key: FORGERS_KEY,
  evidence: (evidence) =>
    Object.assign(evidence.guard, {
      address: guard,
      executor: executorOf(guard),
      signer: FORGER,
      attestor: FORGER,
    }),
});
const nobody: Reader = {
  ...without("guard", "signer", "known", "logKeys", "witnessKeys", "header", "chain"),
};
const keys = (...ends: (number | null)[]): Partial<KnownGuard> => ({
  keys: ends.map((endedAt, index) => ({
    address: index % 2 === 0 ? SIGNER.address : addressFor("between"),
    endedAt,
  })),
});
const unloggedRecord = (change: Partial<KnownGuard> = {}) => [unlogged({ ...RECORD, ...change })];
/** Who knows the guard by its record alone, or also by name, and no log. */
const offline = (known: readonly KnownGuard[], change: Partial<Reader> = {}): Reader => ({
  ...nobody,
  ...change,
  known,
});
const asked = (standing: Standing, change: Partial<ChainFindings> = {}): Partial<Reader> => ({
  chain: { ...CHAIN, standing, ...change },
});
const FORMER: Standing = { kind: "former", executed: false };
const anyStrict = { strict: "state facts_observed" };

const ISSUER_ROWS = [
  row(
    "a forger's trade, for who trusts nobody",
    fromNothing(THEIRS),
    nobody,
    unverifiable("issuer nobody_trusted"),
  ),
  row(
    "a forger's trade, beside a record of another guard",
    fromNothing(THEIRS),
    offline([RECORD]),
    unverifiable("issuer nobody_trusted"),
  ),
  row(
    "a forger's trade for the true guard, whose record does not know the key",
    fromNothing(GUARD),
    offline(unloggedRecord()),
    unverifiable("issuer key_not_of_record"),
  ),
  row(
    "a forger's trade, for who names the true guard",
    fromNothing(THEIRS),
    { ...nobody, guard: TRUST.guard },
    invalid("issuer guard_other"),
  ),
  row(
    "a forger's trade, for who names the true key",
    fromNothing(THEIRS),
    { ...nobody, signer: TRUST.signer },
    invalid("issuer signer_other"),
  ),
  row(
    "a forger's trade for the true guard, for who names that alone",
    fromNothing(GUARD),
    { ...nobody, guard: TRUST.guard },
    unverifiable("issuer keys_unknown_offline"),
  ),
  row(
    "a forger's trade for the true guard, for who names its key",
    fromNothing(GUARD),
    { ...nobody, signer: TRUST.signer },
    invalid("issuer signer_other"),
  ),
  row(
    "a forger's trade that names the true signer",
    bentAnswer(({ execution }) => (execution.certificate.signer = SIGNER.address), fromNothing(GUARD)),
    offline(unloggedRecord()),
    invalid("certificate signer_misnamed"),
  ),
  row(
    "another key than the evidence's, for who trusts that key",
    { key: FORGERS_KEY },
    by({ signer: FORGER }),
    invalid("certificate signed_by_other"),
  ),
  row("a key that is named in lower case", {}, by({ signer: SIGNER.address.toLowerCase() }), VALID),
  row(
    "another key than the reader trusts",
    {},
    by({ signer: addressFor("mine") }),
    invalid("issuer signer_other"),
  ),
  row("a key that the record knows", {}, offline(unloggedRecord()), { ...VALID, ...anyStrict }),
  row(
    "a key that the record knows, of the guard that is named",
    {},
    offline(unloggedRecord(), { guard: TRUST.guard }),
    { ...VALID, ...anyStrict },
  ),
  row(
    "the guard's address on another chain, in the record",
    {},
    offline(unloggedRecord({ chainId: 1 })),
    unverifiable("issuer nobody_trusted"),
  ),
  row(
    "the guard's address on another chain, named",
    {},
    offline(unloggedRecord(), { guard: { chainId: 1, address: GUARD } }),
    invalid("issuer guard_other"),
  ),
  ...[{}, { guard: TRUST.guard }, { signer: SIGNER.address }].map((named) =>
    row(
      `a key that was replaced, offline, by ${Object.keys(named).join() || "the record"}`,
      { log: "none" },
      offline(unloggedRecord(keys(NOW - 10, null)), named),
      unverifiable("issuer key_ended"),
    ),
  ),
  row(
    "a key that came back after it was replaced",
    {},
    offline(unloggedRecord(keys(NOW - 20, NOW - 10, null))),
    { ...VALID, ...anyStrict },
  ),
  row(
    "a key that was replaced, of a trade in the log",
    {},
    by({ known: recordWith(keys(NOW - 10, null)), chain: undefined }),
    { ...VALID, ...anyStrict },
  ),
  row(
    "a key that was replaced since, of a trade in the log that nobody executed",
    {},
    by(asked(FORMER)),
    VALID,
  ),
  row(
    "a key that was replaced since, of a trade in no log",
    { log: "none" },
    { ...offline(unloggedRecord(), TRUST), ...asked(FORMER) },
    unverifiable("issuer key_former"),
  ),
  row(
    "a key that was replaced since the guard executed the trade",
    { log: "none" },
    { ...offline(unloggedRecord(), TRUST), ...asked({ kind: "former", executed: true }) },
    VALID,
  ),
  row(
    "a key that a node could not settle",
    { log: "none" },
    { ...nobody, guard: TRUST.guard, ...asked({ kind: "unsettled" }) },
    unverifiable("issuer key_unsettled"),
  ),
  row(
    "a key that was replaced, which a node could not settle",
    { log: "none" },
    { ...offline(unloggedRecord(keys(NOW - 10, null))), ...asked({ kind: "unsettled" }) },
    unverifiable("issuer key_ended_unsettled"),
  ),
  row(
    "a key that the log alone vouches for",
    {},
    { ...nobody, logKeys: [LOG_KEY], witnessKeys: [WITNESS] },
    { ...VALID, ...anyStrict },
  ),
  row(
    "what a node says against it",
    {},
    by(asked({ kind: "current" }, { faults: [{ code: "no_guard", params: { guard: GUARD } }] })),
    unverifiable("chain no_guard"),
  ),
  row(
    "a report alone, which anybody can make up",
    { log: "none", unsigned: true },
    offline(unloggedRecord(), TRUST),
    unverifiable("issuer unsigned"),
  ),
  row("a report alone, in the log", { unsigned: true }, READER, VALID),
];

/** Certified by the true key, which a service that errs could do: the route is called for something else. */
function routeCall(change: (call: unknown[]) => unknown[], cut = 0): () => Promise<unknown> {
  return async () => {
    const { report } = await answerOf();
    const { quote, figures, guard } = report.evidence;
    const call = change([quote.amountInRaw, figures.minAmountOutRaw, quote.path, guard.executor, NOW + 300]);
    const types = ["uint256", "uint256", "address[]", "address", "uint256"];
    const data = `0x38ed1739${AbiCoder.defaultAbiCoder().encode(types, call).slice(2)}`;
    const document = await prepared(report, undefined, undefined, data.slice(0, data.length - cut));
    return { ...copy(document), report };
  };
}
const ATTACKER = addressFor("an attacker");
const ROUTE_CALL = invalid("certificate route_call_other");

const ROUTE_ROWS = [
  row(
    "the route's call of the quoted trade",
    routeCall((call) => call),
    READER,
    VALID,
  ),
  row(
    "the route's call of another amount",
    routeCall((call) => call.with(0, "1")),
    READER,
    ROUTE_CALL,
  ),
  row(
    "the route's call through another token",
    routeCall((call) => call.with(2, [DOLLAR, ATTACKER, STOCK])),
    READER,
    ROUTE_CALL,
  ),
  row(
    "the route's call that pays an attacker",
    routeCall((call) => call.with(3, ATTACKER)),
    READER,
    ROUTE_CALL,
  ),
  row(
    "the route's call that cannot be read",
    routeCall((call) => call, 64),
    READER,
    ROUTE_CALL,
  ),
];

/** B10, and what else stands beside: it is not vouched for, and nobody sees it as a part of the report. */
const BESIDE_ROWS = [
  row(
    "a part of the execution that nobody here can read",
    bentAnswer(({ execution }) => (execution.laterCall = { to: GUARD, data: "0x" })),
    READER,
    unverifiable("certificate execution_members"),
  ),
  row(
    "an attacker's signUrl beside the report",
    bentAnswer((document) => (document.signUrl = "https://evil.example")),
    READER,
    VALID,
  ),
  row(
    "an attacker's signUrl in the report",
    bentAnswer(({ report }) => (report.signUrl = "https://evil.example")),
    READER,
    VALID,
  ),
  row(
    "an attacker's signUrl in the execution",
    bentAnswer(({ execution }) => (execution.signUrl = "https://evil.example")),
    READER,
    unverifiable("certificate execution_members"),
  ),
  row("a job that says the same", job, READER, VALID),
  row(
    "a job of which other versions and trades are anything",
    async () => {
      const given = await job();
      given.reports[0].evidenceHash = "anything";
      Object.assign(given.executions[0], { reportVersion: 1 });
      given.executions[0].confirmed.evidenceHash = id("version 1");
      return given;
    },
    READER,
    VALID,
  ),
  row(
    "a trade without its calls",
    bentAnswer(({ execution }) => {
      for (const call of ["guardCall", "relayedCall", "approval"]) delete execution[call];
      delete execution.certificate.signer;
    }),
    READER,
    VALID,
  ),
  row(
    "the execution of another version",
    async () => ({
      ...(await answerOf({ evidence: (evidence) => (evidence.reportVersion = 3) })),
      reportVersion: 3,
      execution: (await answerOf()).execution,
    }),
    READER,
    invalid("certificate certificate_other"),
  ),
  row(
    "a certificate on a denied report",
    async () => ({
      ...(await answerOf({ evidence: ({ session }) => (session.state = "closed") })),
      execution: (await answerOf()).execution,
    }),
    READER,
    invalid("certificate not_allowed"),
  ),
];

const SCHEMAS = ["assay.evidence/1", "assay.evidence/3", "", null, 1];
const SCHEMA_ROWS = SCHEMAS.map((schema) =>
  row(
    `evidence of the schema ${JSON.stringify(schema)}`,
    async () => {
      const document = await answerOf();
      const evidence = { ...document.report.evidence, schema };
      return { ...document, report: { ...document.report, evidence, evidenceHash: canonicalHash(evidence) } };
    },
    READER,
    unverifiable("document schema_unknown"),
  ),
);

export const TRUST_ROWS: readonly Row[] = [
  ...POLICY_ROWS,
  ...LOG_ROWS,
  ...SESSION_ROWS,
  ...SAMPLE_ROWS,
  ...REGISTRY_ROWS,
  ...STATE_ROWS,
  ...ISSUER_ROWS,
  ...ROUTE_ROWS,
  ...BESIDE_ROWS,
  ...SCHEMA_ROWS,
];
