/** `npm run bench -- <name>`: measurements side by side, printed as ratios. Each is a file here with a `bench`. */
import BENCHES from "./benches.json" with { type: "json" };

const name = process.argv[2];
if (name === undefined || !Object.hasOwn(BENCHES, name)) {
  console.error("Usage: npm run bench -- <name>\n");
  for (const [key, about] of Object.entries(BENCHES)) console.error(`  ${key.padEnd(10)} ${about}`);
  process.exit(name === undefined || name === "--help" ? 0 : 2);
}
const { bench } = (await import(`./${name}.ts`)) as { bench(): Promise<void> };
await bench();
process.exit(0);
