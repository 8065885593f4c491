/** What each command refuses, before it asks anybody anything: what is typed, the exit code, and a word of why. */
import { expect } from "chai";
import { fakeConsole } from "../support/fakeConsole.ts";
import { assayIn, wordsOf } from "../support/typed.ts";

const ADDRESS = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const HASH = `0x${"ab".repeat(32)}`;
const VKEY = "assay.example.com/log+2e730d86+AXHyi7lF213KAsbkl5bRGB0a3K0Lm8ukw26TLJh+N8uZ";
/** No database is where this says. */
const ENV = { DATA_DIR: "/nowhere", DATABASE_URL: "sqlite:/nowhere/assay.db" };

const TABLE: readonly (readonly [line: string, code: number, words: string])[] = [
  ["", 2, "Usage: assay <command>"],
  ["gaurd", 2, "no such command"],
  ["guard", 2, "Usage: assay guard <command>"],
  ["guard explode", 2, "no such command"],
  ["guard pause", 2, "--reason"],
  ["guard pause --reason x --execute --safe f.json", 2, "cannot be combined"],
  ["guard pause --reason x --exceute", 2, "Did you mean --execute?"],
  ["guard pause --reason x --network moon", 1, "there are local, bsc"],
  ["guard unpause --execute --print", 2, "cannot be combined"],
  ["guard unpause --from 0x12", 2, "--from"],
  ["guard unpause now", 2, "too many arguments"],
  [`guard allow-route ${ADDRESS}`, 2, "missing required argument 'selector'"],
  ["guard allow-recipient", 2, "missing required argument 'recipient'"],
  ["guard grant-role admin", 2, "missing required argument 'account'"],
  ["guard deploy", 2, "--admin"],
  [`guard deploy --admin ${ADDRESS} --pauser none --signer 0x12`, 2, "The attestation key"],
  [`guard deploy --admin 0x${"0".repeat(40)} --pauser none --signer ${ADDRESS}`, 2, "zero address"],
  [`guard deploy --admin ${ADDRESS} --pauser none --signer ${ADDRESS} --salt a`, 2, "--salt"],
  ["guard scheduled cancel", 2, "missing required argument 'id'"],
  ["guard pending stop", 2, "no such command"],
  ["guard status --what", 2, "unknown option"],
  ["guard verify-build --guard 0x12", 2, "--guard"],
  ["mandate", 2, "Usage: assay mandate <command>"],
  ["mandate create --execute --print", 2, "cannot be combined"],
  ["keys", 2, "Usage: assay keys <command>"],
  ["keys approve", 2, "missing required argument 'key-id'"],
  ["keys limit key_1", 2, "missing required argument 'requests'"],
  ["payments list --state paid", 2, "--state is one of"],
  ["payments refund --withdraw", 2, "needs the job"],
  ["log check http://log", 2, "--log-key"],
  [`log check http://log --log-key ${VKEY} --new-only`, 2, "--new-only goes with --state"],
  [`log find 0x12 http://log --log-key ${VKEY}`, 2, "an evidence hash is"],
  ["log check http://log --log-key nonsense", 2, "--log-key"],
  ["collect retract premium/a --at noon --reason x", 2, "noon is not a time"],
  ["collect recompute premium", 2, "--from and --to"],
  ["keystore create", 2, "keystore create takes one file"],
  ["keystore create a b", 2, "keystore create takes one file"],
  ["keystore create a --log https://x", 2, "--log takes the name of a log"],
  ["keystore prove", 2, "needs the keystore file"],
  ["keystore show", 2, "--kms"],
  ["backup create", 2, "missing required argument 'file'"],
  ["backup restore /nowhere/file", 2, "does not exist"],
  ["database migrations --execute", 2, "--execute goes with --back-to"],
  ["database migrations", 2, "there is no database at /nowhere/assay.db"],
  ["retention", 2, "retention needs --plan"],
  ["retention --plan", 2, "there is no database at /nowhere/assay.db"],
  ["payments list", 2, "there is no database at /nowhere/assay.db"],
  ["verify", 2, "needs the file of a report"],
  [`verify --tx ${HASH}`, 2, "--tx needs --rpc and --service"],
  ["verify a b", 2, "too many arguments"],
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
