/** A facilitator that answers too much, or sends the payment elsewhere, gets no further. */
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { createFacilitator, FacilitatorFault, httpFacilitator } from "../../../api/payments/facilitator.ts";
import { failureOf } from "../../support/failure.ts";
import { type LocalServer, localServer } from "../../support/ports.ts";

const KEY = "facilitator-key-9";
const PAYMENT = { x402Version: 2, accepted: {}, payload: {} } as never;
const TERMS = { extra: {} } as never;
const MEBIBYTE = 2 ** 20;

describe("a facilitator over HTTP", () => {
  const servers: LocalServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  async function serve(answer: (path: string, response: ServerResponse) => void) {
    const seen: { path: string; key: string | undefined }[] = [];
    const server = await localServer(async (request, response) => {
      await text(request);
      seen.push({ path: request.url ?? "", key: request.headers.authorization });
      answer(request.url ?? "", response);
    });
    servers.push(server);
    return { url: server.url, seen };
  }
  const facilitatorAt = (url: string) => createFacilitator(httpFacilitator(url, KEY, 5_000, fetch), 5_000);
  const faultOf = async (work: Promise<unknown>) => (await failureOf(work, FacilitatorFault)).fault;
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  it("a facilitator over HTTP whose answer has no end is cut off after a mebibyte", async () => {
    let sent = 0;
    const { url } = await serve((_path, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"isValid":true,"success":true,"words":"');
      const chunk = Buffer.alloc(64 * 1024, "a");
      const more = () => {
        while (!response.destroyed && sent < 300 * MEBIBYTE) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end('"}');
      };
      more();
    });
    const before = process.memoryUsage().rss;
    expect(await faultOf(facilitatorAt(url).verify(PAYMENT, TERMS))).to.equal("no_answer");
    expect(await faultOf(facilitatorAt(url).settle(PAYMENT, TERMS))).to.equal("no_answer");
    expect(sent).to.be.lessThan(30 * MEBIBYTE);
    expect(process.memoryUsage().rss - before).to.be.lessThan(200 * MEBIBYTE);
  });

  for (const status of [301, 302, 303, 307, 308])
    it(`a facilitator over HTTP that sends on to another host by ${status} is not followed, so nothing is sent there`, async () => {
      const other = await serve((_path, response) => json(response, 200, { isValid: true, success: true }));
      const { url } = await serve((path, response) =>
        response.writeHead(status, { location: `${other.url}${path}` }).end(),
      );
      expect(await faultOf(facilitatorAt(url).verify(PAYMENT, TERMS))).to.equal("no_answer");
      expect(await faultOf(facilitatorAt(url).settle(PAYMENT, TERMS))).to.equal("no_answer");
      expect(other.seen).to.deep.equal([]);
    });

  it("a facilitator over HTTP that sends on within its own host is followed, with key and body, a limited number of times", async () => {
    const { url, seen } = await serve((path, response) =>
      path.startsWith("/v2/")
        ? json(response, 200, { isValid: true })
        : response.writeHead(308, { location: path === "/settle" ? "/settle" : `/v2${path}` }).end(),
    );
    expect(await facilitatorAt(url).verify(PAYMENT, TERMS)).to.equal(null);
    expect(seen.at(-1)).to.deep.equal({ path: "/v2/verify", key: `Bearer ${KEY}` });
    expect(await faultOf(facilitatorAt(url).settle(PAYMENT, TERMS))).to.equal("no_answer");
    expect(seen.length).to.be.lessThan(10);
  });

  it("a facilitator over HTTP is believed when it refuses with 4xx, and not when it fails with 5xx", async () => {
    const refused = { isValid: false, invalidReason: "insufficient_funds" };
    const { url } = await serve((path, response) =>
      path === "/verify" ? json(response, 412, refused) : json(response, 500, { success: true }),
    );
    expect(await facilitatorAt(url).verify(PAYMENT, TERMS)).to.equal("insufficient_funds");
    expect(await faultOf(facilitatorAt(url).settle(PAYMENT, TERMS))).to.equal("no_answer");
    const down = await serve((_path, response) => json(response, 503, refused));
    expect(await faultOf(facilitatorAt(down.url).verify(PAYMENT, TERMS))).to.equal("no_answer");
  });
});
