/** Secrets that a deployment mounts as files: <name>_FILE in the place of <name>. */
import { expect } from "chai";
import { parseConfig } from "../../../api/settings/config.ts";
import { FROM_FILES, withFiles } from "../../../api/settings/environment.ts";
import { KEYED_PROVIDERS, PROVIDER_KEYS } from "../../../api/settings/providers.ts";
import { SECRETS, SECTIONS } from "../../../api/settings/schema.ts";

describe("settings from files", () => {
  const read = (path: string) => {
    if (path !== "/run/secrets/it") throw new Error("ENOENT: no such file");
    return "postgres://assay:secret@db/assay\n";
  };

  it("a setting that holds a secret has the content of the file that <name>_FILE names", () => {
    for (const name of FROM_FILES) {
      const env = withFiles({ [`${name}_FILE`]: "/run/secrets/it", PORT: "1" }, read);
      expect(env).to.deep.equal({ [name]: "postgres://assay:secret@db/assay", PORT: "1" });
    }
  });

  it("settings from files are those that the page of the settings marks, and all are secrets", () => {
    const settings = Object.assign({}, ...Object.values(SECTIONS)) as (typeof SECTIONS)[string];
    const marked = Object.keys(settings).filter((name) => settings[name]!.meta()?.file === true);
    expect(marked).to.have.members([...FROM_FILES, ...PROVIDER_KEYS]);
    for (const name of marked) expect(SECRETS, name).to.include(name);
  });

  it("the key of every provider may come from a file", () => {
    const given = Object.fromEntries(PROVIDER_KEYS.map((name) => [`${name}_FILE`, "/run/secrets/it"]));
    const { providers } = parseConfig(given, () => "key:secret\n");
    expect(Object.keys(providers.keys)).to.have.members(KEYED_PROVIDERS.map(({ name }) => name));
    for (const key of Object.values(providers.keys)) expect(key.reveal()).to.equal("key:secret");
  });

  it("settings that name no secret are left as they are, whatever their names end in", () => {
    const given = { DATABASE_URL: "x", DATABASE_URL_FILE: "", DEPLOYMENT_FILE: "/etc/d.json" };
    expect(withFiles({ ...given }, read)).to.deep.equal(given);
  });

  it("a secret whose file cannot be read, or that is given twice, is refused without telling it", () => {
    const nowhere = () => withFiles({ RPC_URL_FILE: "/nowhere" }, read);
    expect(nowhere).to.throw("RPC_URL_FILE: /nowhere cannot be read");
    const twice = () => withFiles({ RPC_URL: "https://key@rpc", RPC_URL_FILE: "/run/secrets/it" }, read);
    expect(twice).to.throw(/^RPC_URL and RPC_URL_FILE are both set: one of them has to go$/);
  });
});
