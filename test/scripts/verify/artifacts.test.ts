/** What a service publishes, asked for over HTTP. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { connectService, serviceAddress } from "../../../scripts/verify/artifacts.ts";
import { localServer } from "../../support/ports.ts";
import { ofSuite } from "../../support/suite.ts";

describe("what a service publishes", () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = ofSuite(() => localServer((request, response) => answer(request, response)));
  const ask = (timeoutMs?: number) => connectService(server.url, timeoutMs)("evidence", "0xab");
  const redirect = (location: string) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(302, { location }).end();

  it("what a service publishes is asked for by kind and hash, also behind a path and a redirect on the same host", async () => {
    answer = ({ url }, response) =>
      url === "/a/evidence/0xab" ? redirect("/moved")(null, response) : response.end(`{"at":"${url}"}`);
    expect(serviceAddress(`${server.url}/a//?x#y`)).to.equal(`${server.url}/a`);
    const found = await connectService(`${server.url}/a`)("evidence", "0xab");
    expect(found).to.deep.equal({ kind: "found", text: '{"at":"/moved"}' });
  });

  it("what a service publishes is missing at 404, and of no use with any other status", async () => {
    answer = (_, response) => void response.writeHead(404).end("{}");
    expect(await ask()).to.deep.equal({ kind: "missing" });
    for (const [status, why] of [
      [429, /too many requests/],
      [500, /status 500/],
      [204, /status 204/],
    ] as const) {
      answer = (_, response) => void response.writeHead(status).end();
      expect(((await ask()) as { why: string }).why).to.match(why);
    }
  });

  it("what a service publishes is not fetched from another host, without end, beyond 4 MiB, after its time, or as something else than text", async () => {
    let elsewhere = 0;
    const other = await localServer((_, response) => {
      elsewhere++;
      response.end("{}");
    });
    const failure = async (given: typeof answer, timeoutMs?: number) => {
      answer = given;
      return ((await ask(timeoutMs)) as { why: string }).why;
    };
    expect(await failure(redirect(`${other.url}/`))).to.include("another host");
    expect(await failure(redirect("file:///etc/passwd"))).to.include("another host");
    expect(elsewhere).to.equal(0);
    expect(await failure(redirect("/again"))).to.include("without end");
    const tooLong = Buffer.alloc(4 * 1024 * 1024 + 1, 32);
    expect(await failure((_, response) => void response.end(tooLong))).to.include("4 MiB");
    const late = await failure((_, response) => void response.write("{"), 100);
    expect(late).to.include("no answer within 0.1 s");
    expect(await failure((_, response) => void response.end(Buffer.from([0xff, 0xfe])))).to.include("UTF-8");
    await other.close();
  });
});
