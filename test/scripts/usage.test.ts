/** What each command refuses, before it asks anybody anything: what is typed, the exit code, and a word of why. */
import { expect } from "chai";
import { verifierKey, vkeyText } from "../../attestor/log/note.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { assayIn, wordsOf } from "../support/typed.ts";

const ADDRESS = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const HOLDER = "0x1111111111111111111111111111111111111111";
const HASH = `0x${"ab".repeat(32)}`;
const VKEY = "assay.example.com/log+2e730d86+AXHyi7lF213KAsbkl5bRGB0a3K0Lm8ukw26TLJh+N8uZ";
const WITNESS = vkeyText(verifierKey("witness.example/w1", 4, new Uint8Array(32).fill(1)));
/** No database is where this says. */
const ENV = { DATA_DIR: "/nowhere", DATABASE_URL: "sqlite:/nowhere/assay.db" };

const NOBODYS = `0x${"0".repeat(40)}`;
const WRONG_CHECKSUM = ADDRESS.replace(/[A-F]/, (letter) => letter.toLowerCase());
const DEPLOY = `guard deploy --admin ${ADDRESS} --pauser none --signer ${ADDRESS}`;
const MANDATE = `mandate create --owner ${ADDRESS} --agent ${HOLDER} --stocks AAPLx --per-day 1`;
const TX = `verify --tx ${HASH} --rpc http://n`;

const TABLE: readonly (readonly [line: string, code: number, words: string])[] = [
  ["", 2, "Usage: assay <command>"],
  ["gaurd", 2, "no such command"],
  ["guard", 2, "Usage: assay guard <command>"],
  ["guard explode", 2, "no such command"],
  ["guard pause", 2, "--reason"],
  ['guard pause --execute --reason "  "', 2, "A pause needs a reason"],
  ["guard pause --reason x --execute --safe f.json", 2, "cannot be combined"],
  ["guard pause --reason x --exceute", 2, "Did you mean --execute?"],
  ["guard pause --reason x --network moon", 1, "there are local, bsc"],
  ["guard unpause --execute --print", 2, "cannot be combined"],
  ["guard unpause --from 0x12", 2, "--from must be 0x and 40 hexadecimal digits"],
  ["guard unpause now", 2, "too many arguments"],
  [`guard allow-route ${ADDRESS}`, 2, "missing required argument 'selector'"],
  ["guard allow-route 0x12 0x38ed1739", 2, "route must be 0x and 40"],
  [`guard allow-route ${ADDRESS} exactInputSingle`, 2, "whose name is unique. Known are "],
  ["guard allow-recipient", 2, "missing required argument 'recipient'"],
  ["guard grant-role admin", 2, "missing required argument 'account'"],
  [`guard grant-role king ${ADDRESS}`, 2, "role must be admin or pauser"],
  ["guard rotate-signer --execute", 2, "--proof <FILE>' not specified"],
  ["guard deploy", 2, "--admin <ADDRESS>' not specified"],
  [`guard deploy --admin 0x12 --pauser none --signer ${ADDRESS}`, 2, "--admin must be"],
  [`guard deploy --admin ${ADDRESS} --pauser ${NOBODYS} --signer ${ADDRESS}`, 2, "must not be the zero"],
  [`${DEPLOY} --salt a`, 2, "--salt must be a whole number"],
  [`${DEPLOY} --delay day`, 2, "--delay must be a whole number"],
  [`${DEPLOY} --safe x.json`, 2, "unknown option"],
  ["guard scheduled cancel", 2, "missing required argument 'id'"],
  ["guard pending stop", 2, "no such command"],
  ["guard pending bump cancel", 2, "too many arguments"],
  ["guard pending --execute", 2, "unknown option"],
  ["guard status --what", 2, "unknown option"],
  ["guard verify-build --guard 0x12", 2, "--guard must be"],
  ["guard service-file --log-key nonsense", 2, "--log-key must be the verifier key of a log"],
  [`guard service-file --log-key ${WITNESS}`, 2, "--log-key must be the verifier key of a log"],
  ["mandate", 2, "Usage: assay mandate <command>"],
  ["mandate create", 2, "--owner <ADDRESS>' not specified"],
  [`${MANDATE} --execute --print`, 2, "cannot be combined"],
  [`${MANDATE} --owner 0x12`, 2, "--owner must be 0x and 40 hexadecimal digits"],
  [`${MANDATE} --owner ${NOBODYS}`, 2, "--owner must not be the zero address"],
  [`${MANDATE} --agent ${NOBODYS}`, 2, "--agent must not be the zero address"],
  [`${MANDATE} --salt x`, 2, "--salt must be a whole number"],
  [`${MANDATE} --salt ${"1".repeat(180)}`, 2, "--salt must be a whole number"],
  ["keys", 2, "Usage: assay keys <command>"],
  ["keys create --name n", 2, "--email <EMAIL>' not specified"],
  ["keys approve", 2, "missing required argument 'key-id'"],
  ["keys limit key_1", 2, "missing required argument 'requests'"],
  ["keys limit key_1 many", 2, "requests must be a whole number"],
  ["payments", 2, "Usage: assay payments"],
  ["payments sum", 2, "no such command"],
  ["payments list --state paid", 2, "--state must be settling, settled or expired"],
  ["payments list --since yesterday", 2, "--since must be a day"],
  ["payments list --since 2026-13-01", 2, "--since must be a day"],
  ["payments list --payer 0x12", 2, "--payer must be"],
  ["payments list --network bsc", 2, "--network must be eip155:<chain id>"],
  ["payments list --limit 0", 2, "--limit must be a whole number"],
  ["payments list --alarm 60", 2, "--alarm goes with --open"],
  ["payments list --open --csv", 2, "neither --csv nor --state"],
  ["payments list job_1", 2, "too many arguments"],
  ["payments list --password x", 2, "unknown option"],
  ["payments list", 2, "there is no database at /nowhere/assay.db"],
  ["payments refund --withdraw", 2, "needs the job"],
  ["payments refund job_1 --withdraw --confirm 0x12", 2, "--confirm must be 0x and 64"],
  ["payments refund job_1 --safe r.json --withdraw", 2, "do not go together"],
  ["payments check --state settled", 2, "unknown option"],
  ["log check http://log", 2, "--log-key"],
  [`log check http://log --log-key ${VKEY} --new-only`, 2, "--new-only goes with --state"],
  [`log find 0x12 http://log --log-key ${VKEY}`, 2, "evidence-hash must be 0x and 64"],
  ["log check http://log --log-key nonsense", 2, "--log-key cannot be used"],
  ["collect", 2, "Usage: assay collect <command>"],
  ["collect twice", 2, "no such command"],
  ["collect once backfill", 2, "too many arguments"],
  ["collect retract premium/a --at noon --reason x", 2, "--at must be a time"],
  ["collect retract premium/a --at 2026-11-20", 2, "--reason <TEXT>' not specified"],
  ["collect retract premium/a --reason wrong", 2, "retract needs --at, or --from and --to"],
  ["collect recompute premium", 2, "--from <TIME>' not specified"],
  ["keystore create", 2, "keystore create takes one file"],
  ["keystore create a b", 2, "keystore create takes one file"],
  ["keystore create a --log https://x", 2, "--log must be a name such as"],
  ["keystore prove", 2, "needs the keystore file"],
  ["keystore prove key.json", 2, "needs --deployment FILE, or --chain-id and --guard"],
  [`keystore prove key.json --guard ${ADDRESS}`, 2, "needs --deployment FILE, or --chain-id and --guard"],
  [`keystore prove key.json --chain-id 1 --guard ${ADDRESS} secret`, 2, "keystore prove takes one file"],
  [
    `keystore prove key.json --chain-id 1 --guard ${ADDRESS} --deployment f`,
    2,
    "needs --deployment FILE, or",
  ],
  ["keystore prove key.json --kms a --chain-id 1", 2, "a key of --kms has no keystore file"],
  ["keystore prove --kms a", 2, "needs --deployment FILE, or --chain-id and --guard"],
  ["keystore show", 2, "--kms"],
  ["keystore show --kms a --key a", 2, "takes only --kms KEY and --log ORIGIN"],
  ["keystore show --kms a --log https://no.name", 2, "--log must be a name such as"],
  ["backup create", 2, "missing required argument 'file'"],
  ["backup restore /nowhere/file", 2, "does not exist"],
  ["database migrations --execute", 2, "--execute goes with --back-to"],
  ["database migrations --back-to 8.0.0 --json", 2, "--json does not go with --back-to"],
  ["database migrations", 2, "there is no database at /nowhere/assay.db"],
  ["retention", 2, "retention needs --plan"],
  ["retention --plan", 2, "there is no database at /nowhere/assay.db"],
  ["verify", 2, "needs the file of a report"],
  ["verify a b", 2, "too many arguments"],
  ["verify a --frobnicate", 2, "unknown option"],
  ["verify a --rpc", 2, "argument missing"],
  ["verify a --rpc localhost:8545", 2, "--rpc must be an http or https URL"],
  ["verify a --rpc file:///etc/passwd", 2, "--rpc must be an http or https URL"],
  ["verify a --signer 0x12", 2, "--signer"],
  ["verify a --signer=", 2, "--signer must be"],
  ...[ADDRESS, `:${ADDRESS}`, `0x1:${ADDRESS}`, `eip155:1:${ADDRESS}`, `9007199254740993:${ADDRESS}`].map(
    (guard) => [`verify a --guard ${guard}`, 2, "--guard must be <chainId>:<address>"] as const,
  ),
  [`verify a --guard 56:${WRONG_CHECKSUM}`, 2, "--guard"],
  ["verify a --service ftp://s", 2, "--service must be an http or https URL"],
  [`verify --tx ${HASH}`, 2, "--tx needs --rpc and --service"],
  ["verify --tx 0x1 --rpc http://n --service http://s", 2, "--tx must be 0x"],
  [`${TX} a --service http://s`, 2, ", not both"],
  [`${TX} --service http://a:b@s`, 2, "without a password"],
  ["agent --side hold", 2, "--side must be buy or sell"],
  ["agent --account 0", 2, "--account must be"],
  ["agent --slippage 1.5", 2, "--slippage must be"],
  ["agent --mandate none", 2, "--mandate must be"],
  [`agent --mandate ${ADDRESS} --relay`, 2, "--mandate goes with neither"],
  [`agent --mandate ${ADDRESS} --account 9`, 2, "account 9 is the agent"],
  ["agent", 2, "There is no local.json in /nowhere"],
  ["mcp --url http://127.0.0.1:1", 2, "a service needs a key"],
  ["mcp", 2, "there is no local.json"],
  ["check-live now", 2, "too many arguments"],
];

describe("every command says in a line what it does not understand", () => {
  for (const [line, code, words] of TABLE)
    it(line === "" ? "assay alone" : `assay ${line}`, async () => {
      const { world, shown, warned } = fakeConsole([], {}, null, ENV);
      const silent = () => Promise.reject(new Error("nobody is asked"));
      expect(await assayIn(wordsOf(line), { ...world, fetch: silent }), warned.join("\n")).to.equal(code);
      expect(warned.join("\n")).to.contain(words);
      expect(shown).to.deep.equal([]);
      const isUsage =
        code === 2 &&
        !/^Usage|there is no|There is no|does not exist/.test(warned.join("\n").replace(/^assay[^:]*: /, ""));
      if (isUsage) expect(warned.join("\n")).to.match(/See assay.* --help\.$/);
    });
});
