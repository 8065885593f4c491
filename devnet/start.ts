/** `npm start`: the local chain and the API on top of it, in one process. Ctrl-C and SIGTERM end both. */
import { environment } from "../api/settings/environment.ts";
import { endOnSignals } from "../api/shutdown.ts";
import { announce, startApi } from "./api.ts";
import { startLocalChain } from "./chain.ts";
import HELP_LINES from "./startHelp.json" with { type: "json" };

const HELP = HELP_LINES.join("\n");
const WHAT_REMAINS =
  "The next start keeps API keys, jobs, reports and the market's history, and begins a new chain: balances, approvals,\n" +
  "transactions and unsettled payments of this one end with it.";

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return console.log(HELP);
  const options = process.argv.slice(2);
  const unknown = options.filter((option) => option !== "--paid");
  if (unknown.length > 0) {
    console.error(`Unknown option ${unknown.join(" ")}.\n\n${HELP}`);
    process.exit(2);
  }

  const env = environment();
  if (options.includes("--paid")) env.PAYMENT_PHASE = "paid";
  const chain = env.ASSAY_PROFILE === "live" ? null : await startLocalChain(env);
  if (chain !== null) {
    env.RPC_URL = chain.url;
    // The chain had its say: the port may have been 0, which is one to take and none to call.
    delete env.RPC_PORT;
  }
  const api = await startApi(env);
  endOnSignals(async () => {
    // The API first: it still asks the chain while it finishes.
    await api.server.stop();
    await chain?.stop();
  }, api.config.drainMs);
  await announce(api);
  console.log(`Ready after ${(performance.now() / 1000).toFixed(1)} s. Ctrl-C stops it.`);
  if (chain !== null) console.log(WHAT_REMAINS);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
