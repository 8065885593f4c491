/** Settings that hold a secret, given as files. */
import { expect } from "chai";
import { FROM_FILES, withFiles } from "../../../api/settings/environment.ts";
import { KEYED_PROVIDERS, keySetting } from "../../../api/settings/providers.ts";

describe("settings from files", () => {
  const read = (path: string) => {
    if (path !== "/run/secrets/it") throw new Error("ENOENT: no such file");
    return "postgres://assay:secret@db/assay\n";
  };

  it("gives every setting that holds a secret the content of the file that <name>_FILE names", () => {
    for (const name of FROM_FILES)
      expect(withFiles({ [`${name}_FILE`]: "/run/secrets/it", PORT: "1" }, read)).to.deep.equal({
        [name]: "postgres://assay:secret@db/assay",
        PORT: "1",
      });
  });

  it("takes the key of every provider from a file", () => {
    expect([...FROM_FILES]).to.include.members(KEYED_PROVIDERS.map(keySetting));
  });

  it("leaves everything else as it is", () => {
    const given = { DATABASE_URL: "x", DATABASE_URL_FILE: "", DEPLOYMENT_FILE: "/etc/d.json" };
    expect(withFiles({ ...given }, read)).to.deep.equal(given);
  });

  it("refuses a file that cannot be read, and a secret that is given twice, without telling it", () => {
    expect(() => withFiles({ REDIS_URL_FILE: "/nowhere" }, read)).to.throw(
      "REDIS_URL_FILE: /nowhere cannot be read",
    );
    const twice = () => withFiles({ RPC_URL: "https://key@rpc", RPC_URL_FILE: "/run/secrets/it" }, read);
    expect(twice).to.throw(/^RPC_URL and RPC_URL_FILE are both set: one of them has to go$/);
  });
});
