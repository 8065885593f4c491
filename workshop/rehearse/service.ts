/** A process of the service as the rehearsal starts it: api/server.ts, with the local world's market to collect from. */
import { startServer } from "../../api/server.ts";
import { parseConfig } from "../../api/settings/config.ts";
import { environment } from "../../api/settings/environment.ts";
import { endOnSignals } from "../../api/shutdown.ts";
import { localMarket } from "../../devnet/market/sources.ts";
import { SIMULATED_RETENTION } from "../../market/collect/retention.ts";

/** Often enough that a gap of twenty seconds can be seen. */
const PATTERN = "*/10 * * * * *";

const server = await startServer(parseConfig(environment()), {
  market: (context) => ({
    market: localMarket({ ...context, now: Date.now }),
    retention: SIMULATED_RETENTION,
    pattern: PATTERN,
  }),
});
console.log(`Assay serves on ${server.url}`);
endOnSignals(() => server.stop());
