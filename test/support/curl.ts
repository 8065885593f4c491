/** As much of curl as the runbooks use, for machines without it: the body, or the status that `--write-out` asks for. */
const options = process.argv.slice(2);
const response = await fetch(options.at(-1)!);
const body = await response.text();
process.stdout.write(options.includes("--write-out") ? `${response.status}\n` : body);
// curl's own exit code for an error status.
if (options.includes("--fail") && !response.ok) process.exitCode = 22;
