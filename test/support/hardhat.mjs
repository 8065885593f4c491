/** Hardhat's command line without tsx, which this Node.js does not need and which takes half as long again to start. */
import { main } from "../../node_modules/hardhat/dist/src/internal/cli/main.js";

await main(process.argv.slice(2), { registerTsx: false, warnAboutUnusedPlugins: true });
