/** Which names the settings allow at /mcp. */
import { expect } from "chai";
import { ConfigError, parseConfig } from "../../../api/settings/config.ts";

const hostsWith = (env: Record<string, string>) => parseConfig(env).mcpHosts;
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

describe("Hosts of /mcp in the settings", () => {
  it("Hosts of /mcp in the settings are this machine's own names by default", () => {
    expect(hostsWith({})).to.deep.equal(LOCAL);
    expect(hostsWith({ HOST: "::1" })).to.deep.equal(LOCAL);
  });

  it("Hosts of /mcp in the settings are also the address that the service listens at, but not every address", () => {
    expect(hostsWith({ HOST: "192.168.1.5" })).to.deep.equal([...LOCAL, "192.168.1.5"]);
    expect(hostsWith({ HOST: "fd00::5" })).to.deep.equal([...LOCAL, "[fd00::5]"]);
    for (const HOST of ["0.0.0.0", "::"]) expect(hostsWith({ HOST })).to.deep.equal(LOCAL);
  });

  it("Hosts of /mcp in the settings are also the public name behind a proxy, and those that the operator adds", () => {
    expect(hostsWith({ PUBLIC_URL: "https://Assay.example.com/base/" })).to.deep.equal([
      ...LOCAL,
      "assay.example.com",
    ]);
    const MCP_ALLOWED_HOSTS = "assay.internal, 10.0.0.7,[fd00::5]";
    expect(hostsWith({ MCP_ALLOWED_HOSTS })).to.deep.equal([
      ...LOCAL,
      "assay.internal",
      "10.0.0.7",
      "[fd00::5]",
    ]);
  });

  it("refuses hosts of /mcp with a scheme or a port", () => {
    for (const MCP_ALLOWED_HOSTS of ["https://a.example", "a.example:80", "*", "a.example,", "a b"])
      expect(() => parseConfig({ MCP_ALLOWED_HOSTS }), MCP_ALLOWED_HOSTS)
        .to.throw(ConfigError)
        .with.property("message")
        .that.matches(/MCP_ALLOWED_HOSTS must be host names/);
  });
});
