/** What `--help` says of verifying. */
import LINES from "./verify.json" with { type: "json" };

/**
 * @param command how the program is called
 * @param known which guards it knows by itself, in lines of the help
 */
export const verifyHelp = (command: string, known: string): string =>
  LINES.join("\n").replaceAll("{command}", command).replace("{known}", known);

export const VERIFY_HELP = verifyHelp(
  "assay verify",
  `the deployments of this installation (deployments/<chainId>.json beside the program,
  and for chain 31337 the local world in DATA_DIR).`,
);
