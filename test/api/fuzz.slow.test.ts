/**
 * Two clients that know nothing of the service but what /openapi.json says: one that asks for everything there
 * is, and one that asks for everything in every wrong way. Neither may meet an answer that is not described.
 */
import { expect } from "chai";
import fc from "fast-check";
import type { OpenApi } from "../../api/docs/openapi.ts";
import { recordBases } from "../../market/series/basis.ts";
import { recordPremiums } from "../../market/series/premium.ts";
import { recordVolumes } from "../../market/series/totals.ts";
import { forEachEngine } from "../support/database.ts";
import { type Answer, APPLICANT } from "../support/http.ts";
import { sharedAnswer, validateAnswer } from "../support/openapi.ts";
import { basisSample, premiumSample, volumeSample } from "../support/samples.ts";
import { startService } from "../support/service.ts";
import { ofSuite } from "../support/suite.ts";
import { testWorld } from "../support/world.ts";
import { type ApiRequest, requestsOf, SURROGATE, send } from "./openapiRequests.ts";

const SEED = 20_261_123;
/** Of each operation. */
const RUNS = 60;

/** The media type that the document promises for a status, and what an answer of that type must be. */
function expectDescribed(openapi: OpenApi, request: ApiRequest, answer: Answer): void {
  const { method, template } = request;
  const { responses } = (openapi.paths?.[template] as any)?.[method.toLowerCase()] ?? {};
  const described = sharedAnswer(openapi, responses?.[answer.status]);
  const where = `${method} ${request.path} ${JSON.stringify(request.headers)} ${request.body}: ${answer.status} ${answer.text.slice(0, 500)}`;
  expect(described, where).to.be.an("object");
  expect(answer.status, where).to.not.equal(500);
  const types = Object.keys(described.content ?? {});
  const sent = answer.headers.get("content-type")?.split(";")[0];
  const type = types.find((one) => one === sent) ?? types[0];
  if (answer.status !== 304 && type !== undefined) expect(sent, where).to.equal(type);
  const body = type !== undefined && /^text\/|ndjson$/.test(type) ? answer.text : answer.body;
  const headers = new Headers(sent === undefined ? {} : { "content-type": sent });
  validateAnswer(openapi, method, template, answer.status, type === undefined ? undefined : body, headers);
}

forEachEngine((engine) => {
  describe("a client that knows the OpenAPI document alone", function () {
    this.timeout(180_000);
    const world = testWorld();
    const service = ofSuite(async () => startService(world, await engine.createUrl()));
    let known: Record<string, any[]>;
    let keys: string[];

    before(async () => {
      await seedMarket();
      const job = await service.newJob();
      const oneShot = (await service.verify(service.verifyBody())).body;
      const pending = await service.server.service.keys.apply(APPLICANT);
      const revoked = await service.server.service.keys.create(APPLICANT, "test");
      await service.server.service.keys.revoke(revoked.record.id, "test");
      keys = [service.key, pending.key, revoked.key, oneShot.jobToken];
      const { assets } = world.deployment.registry;
      known = {
        id: [job.jobId, oneShot.jobId],
        symbol: assets.map(({ symbol }) => symbol),
        underlying: assets.flatMap(({ underlying }) => underlying ?? []),
        address: assets.map(({ address }) => address),
        version: ["1", "2"],
        ownerAddress: [world.accounts.users[0]!.address],
        recipientAddress: [world.accounts.users[0]!.address, world.accounts.users[1]!.address],
        inputAssetKey: assets.map(({ assetKey }) => assetKey),
        outputAssetKey: assets.map(({ assetKey }) => assetKey),
        amountInRaw: ["250000000", "1", `${2n ** 256n - 1n}`],
        policyId: ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"],
        limits: [{ maxImpactBps: 10 }],
        transactionHash: [`0x${"ab".repeat(32)}`],
        evidenceHash: [`0x${"ab".repeat(32)}`],
        clientRequestId: ["a", "b", "c"],
        email: ["ann@example.org"],
        chainId: [String(world.deployment.chainId)],
      };
    });

    async function seedMarket(): Promise<void> {
      const { db } = service.server.service;
      const now = Math.floor(world.clock.now() / 1000);
      const stock = world.deployment.registry.assets.find(({ kind }) => kind === "stock")!;
      const source = "simulated";
      const hours = Array.from({ length: 48 }, (_, hour) => hour);
      const at = (hour: number) => now - hour * 3_600 - 60;
      const premiums = hours.map((hour) => {
        const own = { source, tokenPriceUsd: `${270 + hour / 10}`, impact1kBps: "4", platformFeeBps: "5" };
        const reference = hour % 5 === 0 ? null : "270";
        const known = { referencePriceUsd: reference, referenceSource: reference && "pyth" };
        return premiumSample(stock.assetKey, at(hour), { ...own, ...known });
      });
      const funding = { fundingRate: "0.00001", fundingIntervalHours: 8 };
      const prices = { perpMarkUsd: "271", spotUsd: "270", spotSource: "pyth" };
      const bases = hours.map((hour) =>
        basisSample(stock.underlying!, at(hour), { source, ...prices, ...funding }),
      );
      await recordPremiums(db, premiums, now);
      await recordBases(db, bases, now);
      const volume = { source: "simulated", volume24hUsd: "1000.5", liquidityUsd: "2000" };
      await recordVolumes(db, [volumeSample(stock.assetKey, now - 60, volume)], now);
    }

    function goodBodies(): Record<string, Record<string, unknown>> {
      return {
        "/a2mcp/verify": service.verifyBody(),
        "/v1/jobs": service.jobBody(),
        "/v1/jobs/{id}/submissions": { transactionHash: `0x${"cd".repeat(32)}` },
        "/api/v1/keys": { ...APPLICANT },
      };
    }

    it("a client that asks for every operation meets no answer that is not described", async () => {
      const bodies = goodBodies();
      const { registryHash, policyHash, evidence } = (await service.call(`/v1/jobs/${known.id![0]}`)).body
        .report;
      const here: Record<string, string> = {
        "/registry/{hash}": `/registry/${registryHash}`,
        "/policies/{hash}": `/policies/${policyHash}`,
        "/samples/{hash}": `/samples/${evidence.liquidity.samplesRoot}`,
        "/docs/{name}": "/docs/calls.md",
      };
      const seen: string[] = [];
      const sendAll = async (key: string | null) => {
        for (const [template, methods] of Object.entries<any>(service.openapi.paths ?? {}))
          for (const [method, operation] of Object.entries<any>(methods)) {
            const path = (here[template] ?? template)
              .replace("{id}", known.id![0]!)
              .replace("{chainId}", String(world.deployment.chainId));
            const query = (operation.parameters ?? [])
              .filter((parameter: any) => parameter.in === "query" && parameter.required)
              .map(({ name }: any) => `${name}=${known[name]![0]}`);
            const request: ApiRequest = {
              method: method.toUpperCase(),
              template,
              path: query.length > 0 ? `${path}?${query.join("&")}` : path,
              headers: {
                ...(key === null ? {} : { "x-api-key": key }),
                ...(method === "post" ? { "content-type": "application/json" } : {}),
              },
              body: method === "post" ? JSON.stringify(bodies[template] ?? {}) : undefined,
            };
            const answer = await send(service.url, request);
            expectDescribed(service.openapi, request, answer);
            // What stands under a hash or in a log is there for those who know its name.
            if (/^\/(evidence|log)\//.test(template)) expect(answer.status).to.be.oneOf([200, 404]);
            else if (key !== null) expect(answer.status, `${method} ${template}`).to.be.lessThan(300);
            else if (operation.security.length > 0) expect(answer.status).to.equal(401);
            seen.push(`${method} ${template}`);
          }
      };
      await sendAll(service.key);
      await sendAll(null);
      expect(seen.length / 2).to.be.at.least(19);
      const empty = await service.post("/a2mcp/verify", undefined, null);
      expect(empty.body.code).to.equal("input_required");
    });

    it("a client that asks wrongly in every way meets no 500, and no answer that is not described", async () => {
      const met = new Map<string, Set<number>>();
      for (const [template, methods] of Object.entries<any>(service.openapi.paths ?? {}))
        for (const method of Object.keys(methods)) {
          const statuses = new Set<number>();
          met.set(`${method} ${template}`, statuses);
          await fc.assert(
            fc.asyncProperty(requestsOf(service.openapi, template, method, known, keys), async (request) => {
              const answer = await send(service.url, request);
              statuses.add(answer.status);
              expectDescribed(service.openapi, request, answer);
              expect(answer.status).to.not.equal(500);
            }),
            { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: false },
          );
        }
      // It would find nothing if it never got through the door.
      const got = (name: string) => [...(met.get(name) ?? [])];
      expect(got("get /api/v1/premium-history")).to.include.members([200, 304, 400, 401, 403]);
      expect(got("get /api/premium/history")).to.have.members([200, 304]);
      expect(got("get /api/market-overview")).to.have.members([200, 304]);
      expect(got("get /v1/jobs/{id}")).to.include.members([200, 401, 404]);
      expect(got("post /v1/jobs")).to.include.members([201, 400]);
      expect(got("post /a2mcp/verify")).to.include.members([400, 415, 422]);
    });

    it("a client that asks for an id that no database takes gets a 404", async () => {
      for (const id of ["%00", "a%00b", "%25", "%F0%9D%9F%98", "x".repeat(5_000)])
        for (const path of [`/v1/jobs/${id}`, `/v1/jobs/${id}/report`])
          expect((await service.call(path)).status, path).to.equal(404);
    });

    it("a client that sends half a character in the place of any text is refused as with other wrong input", async () => {
      // Few may apply for a key in a minute, so these are not asked for here.
      const { "/api/v1/keys": application, ...bodies } = goodBodies();
      for (const [template, body] of Object.entries(bodies)) {
        const path = template.replace("{id}", known.id![0]!);
        for (const name of Object.keys(body))
          for (const odd of [SURROGATE, `${SURROGATE}\ud800\udc00`, `${body[name]}\udc00`]) {
            const { status, body: problem } = await service.post(path, { ...body, [name]: odd });
            expect([status, problem.code], `${template} ${name}`).to.deep.equal([400, "invalid_request"]);
          }
        expect((await service.post(path, { ...body, [SURROGATE]: "" })).body.code).to.equal(
          "invalid_request",
        );
      }
      // Paths and queries can name it by its would-be bytes alone.
      for (const [template, methods] of Object.entries<any>(service.openapi.paths ?? {})) {
        const named = `${template.replace(/\{\w+\}/g, "%ED%A0%80")}?policyId=%ED%A0%80&symbol=%ED%A0%80`;
        for (const method of Object.keys(methods))
          expect((await fetch(`${service.url}${named}`, { method })).status, named).to.be.lessThan(500);
      }
    });
  });
});
