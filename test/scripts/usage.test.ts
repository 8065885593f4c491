/** What each command refuses, before it asks anybody anything: what is typed, and a word of why. */
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

/** Without a verb. */
const NOUNS = ["", "guard", "mandate", "keys", "payments", "collect"];

const USAGE_ERRORS: readonly (readonly [line: string, words: string])[] = [
  ["gaurd", "no such command"],
  ["guard explode", "no such command"],
  ["guard pause", "--reason"],
  ['guard pause --execute --reason "  "', "A pause needs a reason"],
  ["guard pause --reason x --execute --safe f.json", "cannot be combined"],
  ["guard pause --reason x --exceute", "Did you mean --execute?"],
  ["guard unpause --execute --print", "cannot be combined"],
  ["guard unpause --from 0x12", "--from must be 0x and 40 hexadecimal digits.\n"],
  ["guard unpause now", "too many arguments"],
  [`guard allow-route ${ADDRESS}`, "missing required argument 'selector'"],
  ["guard allow-route 0x12 0x38ed1739", "route must be 0x and 40"],
  [`guard allow-route ${ADDRESS} exactInputSingle`, "whose name is unique. Known are "],
  ["guard allow-recipient", "missing required argument 'recipient'"],
  ["guard grant-role admin", "missing required argument 'account'"],
  [`guard grant-role king ${ADDRESS}`, "role must be admin or pauser"],
  ["guard rotate-signer --execute", "--proof <FILE>' not specified"],
  ["guard deploy", "--admin <ADDRESS>' not specified"],
  [`guard deploy --admin 0x12 --pauser none --signer ${ADDRESS}`, "--admin must be"],
  [`guard deploy --admin ${ADDRESS} --pauser ${NOBODYS} --signer ${ADDRESS}`, "must not be the zero"],
  [`${DEPLOY} --salt a`, "--salt must be a whole number"],
  [`${DEPLOY} --delay day`, "--delay must be a whole number"],
  [`${DEPLOY} --safe x.json`, "unknown option"],
  ["guard scheduled cancel", "missing required argument 'id'"],
  ["guard pending stop", "no such command"],
  ["guard pending bump cancel", "too many arguments"],
  ["guard pending --execute", "unknown option"],
  ["guard status --what", "unknown option"],
  ["guard verify-build --guard 0x12", "--guard must be"],
  ["guard service-file --log-key nonsense", "--log-key must be the verifier key of a log"],
  [`guard service-file --log-key ${WITNESS}`, "--log-key must be the verifier key of a log"],
  ["mandate create", "--owner <ADDRESS>' not specified"],
  [`${MANDATE} --execute --print`, "cannot be combined"],
  [`${MANDATE} --owner 0x12`, "--owner must be 0x and 40 hexadecimal digits"],
  [`${MANDATE} --owner ${NOBODYS}`, "--owner must not be the zero address.\n"],
  [`${MANDATE} --agent ${NOBODYS}`, "--agent must not be the zero address"],
  [`${MANDATE} --salt x`, "--salt must be a whole number"],
  [`${MANDATE} --salt ${"1".repeat(180)}`, "--salt must be a whole number"],
  ["keys create --name n", "--email <EMAIL>' not specified"],
  ["keys approve", "missing required argument 'key-id'"],
  ["keys limit key_1", "missing required argument 'requests'"],
  ["keys limit key_1 many", "requests must be a whole number"],
  ["payments sum", "no such command"],
  ["payments list --state paid", "--state must be settling, settled or expired"],
  ["payments list --since yesterday", "--since must be a day"],
  ["payments list --since 2026-13-01", "--since must be a day"],
  ["payments list --payer 0x12", "--payer must be"],
  ["payments list --network bsc", "--network must be eip155:<chain id>"],
  ["payments list --limit 0", "--limit must be a whole number"],
  ["payments list --alarm 60", "--alarm goes with --open"],
  ["payments list --open --csv", "neither --csv nor --state"],
  ["payments list job_1", "too many arguments"],
  ["payments list --password x", "unknown option"],
  ["payments refund --withdraw", "needs the job"],
  ["payments refund job_1 --withdraw --confirm 0x12", "--confirm must be 0x and 64"],
  ["payments refund job_1 --safe r.json --withdraw", "do not go together"],
  ["payments check --state settled", "unknown option"],
  ["log check http://log", "--log-key"],
  [`log check http://log --log-key ${VKEY} --new-only`, "--new-only goes with --state"],
  [`log find 0x12 http://log --log-key ${VKEY}`, "evidence-hash must be 0x and 64"],
  ["log check http://log --log-key nonsense", "--log-key cannot be used"],
  ["collect twice", "no such command"],
  ["collect once backfill", "too many arguments"],
  ["collect retract premium/a --at noon --reason x", "--at must be a time"],
  ["collect retract premium/a --at 2026-11-20", "--reason <TEXT>' not specified"],
  ["collect retract premium/a --reason wrong", "retract needs --at, or --from and --to"],
  ["collect recompute premium", "--from <TIME>' not specified"],
  ["keystore create", "keystore create takes one file"],
  ["keystore create a b", "keystore create takes one file"],
  ["keystore create a --log https://x", "--log must be a name such as"],
  ["keystore prove", "needs the keystore file"],
  ["keystore prove key.json", "needs --deployment FILE, or --chain-id and --guard"],
  [`keystore prove key.json --guard ${ADDRESS}`, "needs --deployment FILE, or --chain-id and --guard"],
  [`keystore prove key.json --chain-id 1 --guard ${ADDRESS} secret`, "keystore prove takes one file"],
  [`keystore prove key.json --chain-id 1 --guard ${ADDRESS} --deployment f`, "needs --deployment FILE, or"],
  ["keystore prove key.json --kms a --chain-id 1", "a key of --kms has no keystore file"],
  ["keystore prove --kms a", "needs --deployment FILE, or --chain-id and --guard"],
  ["keystore show", "--kms"],
  ["keystore show --kms a --key a", "takes only --kms KEY and --log ORIGIN"],
  ["keystore show --kms a --log https://no.name", "--log must be a name such as"],
  ["backup create", "missing required argument 'file'"],
  ["database migrations --execute", "--execute goes with --back-to"],
  ["database migrations --back-to 8.0.0 --json", "--json does not go with --back-to"],
  ["retention", "retention needs --plan"],
  ["verify", "needs the file of a report"],
  ["verify a b", "too many arguments"],
  ["verify a --frobnicate", "unknown option"],
  ["verify a --rpc", "argument missing"],
  ["verify a --rpc localhost:8545", "--rpc must be an http or https URL"],
  ["verify a --rpc file:///etc/passwd", "--rpc must be an http or https URL"],
  ["verify a --signer 0x12", "--signer"],
  ["verify a --signer=", "--signer must be"],
  ...[ADDRESS, `:${ADDRESS}`, `0x1:${ADDRESS}`, `eip155:1:${ADDRESS}`, `9007199254740993:${ADDRESS}`].map(
    (guard) => [`verify a --guard ${guard}`, "--guard must be <chainId>:<address>"] as const,
  ),
  [`verify a --guard 56:${WRONG_CHECKSUM}`, "--guard"],
  ["verify a --service ftp://s", "--service must be an http or https URL"],
  [`verify --tx ${HASH}`, "--tx needs --rpc and --service"],
  ["verify --tx 0x1 --rpc http://n --service http://s", "--tx must be 0x"],
  [`${TX} a --service http://s`, ", not both"],
  [`${TX} --service http://a:b@s`, "without a password"],
  ["agent --side hold", "--side must be buy or sell"],
  ["agent --account 0", "--account must be"],
  ["agent --slippage 1.5", "--slippage must be"],
  ["agent --mandate none", "--mandate must be"],
  [`agent --mandate ${ADDRESS} --relay`, "--mandate goes with neither"],
  [`agent --mandate ${ADDRESS} --account 9`, "account 9 is the agent"],
  ["mcp --url http://127.0.0.1:1", "a service needs a key"],
  ["check-live now", "too many arguments"],
];

/** What cannot be used, or is refused: no help would say more. */
const REFUSALS: readonly (readonly [line: string, code: number, words: string])[] = [
  ["guard pause --reason x --network moon", 1, "there are local, bsc"],
  ['keystore create a --passphrase-file ""', 2, '"" cannot be read'],
  ["payments list", 2, "there is no database at /nowhere/assay.db"],
  ["backup restore /nowhere/file", 2, "does not exist"],
  ["database migrations", 2, "there is no database at /nowhere/assay.db"],
  ["retention --plan", 2, "there is no database at /nowhere/assay.db"],
  ["agent", 2, "There is no local.json in /nowhere"],
  ["mcp", 2, "there is no local.json"],
];

describe("every command says in a line what it does not understand", () => {
  /** What comes of a command line where nobody can be asked. */
  async function run(line: string) {
    const { world, shown, warned } = fakeConsole([], {}, null, ENV);
    const silent = () => Promise.reject(new Error("nobody is asked"));
    const code = await assayIn(wordsOf(line), { ...world, fetch: silent });
    expect(shown).to.deep.equal([]);
    return { code, said: warned.join("\n") };
  }

  for (const noun of NOUNS)
    it(`"${commandOf(noun)}" alone is answered with the commands that there are`, async () => {
      const { code, said } = await run(noun);
      expect(code).to.equal(2);
      expect(said).to.contain(`Usage: ${commandOf(noun)} <command>`);
    });

  for (const [line, words] of USAGE_ERRORS)
    it(`"${commandOf(line)}" is answered with its fault, and with where the help is`, async () => {
      const { code, said } = await run(line);
      expect(code, said).to.equal(2);
      expect(said).to.contain(words);
      expect(said).to.match(/\nSee assay.* --help\.$/);
    });

  for (const [line, code, words] of REFUSALS)
    it(`"${commandOf(line)}" ends with ${code} and the reason, and points at no help`, async () => {
      const ended = await run(line);
      expect(ended.code, ended.said).to.equal(code);
      expect(ended.said).to.contain(words);
      expect(ended.said).not.to.contain("--help");
    });
});

function commandOf(line: string): string {
  return `assay ${line}`.trimEnd();
}
