import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { createOffchainSources } from "../../../market/facts/offchainFacts.ts";
import { CHAINLINK_STREAMS } from "../../../market/providers/chainlinkStreams.ts";
import { bench, expectOtherShapes, failsAsEvery, faultOf } from "../../support/providers/adapter.ts";
import { dataStreams, REPORTS } from "../../support/providers/dataStreams.ts";
import { json } from "../../support/providers/upstream.ts";

const USER = "5b2c0d7e-key:the-secret";
const { AAPL, SPY } = REPORTS;
const CONFIGURATION =
  "chainlink configuration 0x00094baebfda9b87680d8e59aa20a3e565126640ee7caeab3cd965e5568b17ee";
const FEED = AAPL.response.report.feedID;

describe("Chainlink Data Streams", () => {
  const at = bench();
  const streams = (apiKey = USER) => CHAINLINK_STREAMS.connect({ ...at.deps, lane: "jobs", apiKey });
  const serve = (user = USER, aheadMs = 0, reports?: (typeof AAPL)[]) =>
    at.upstream.reply(dataStreams(user, () => at.time.now() + aheadMs, reports));

  it("hands on each real report, byte for byte, with the answer's hash", async () => {
    serve();
    for (const { response } of Object.values(REPORTS)) {
      const { feedID, fullReport } = response.report;
      expect(await streams().latest(feedID.toUpperCase().replace("0X", "0x"))).to.deep.equal({
        of: "report",
        subject: feedID,
        source: "chainlink-streams",
        origin: "chainlink-streams",
        figure: fullReport,
        at: null,
        rawHash: keccak256(toUtf8Bytes(JSON.stringify(response))),
      });
    }
    expect(await streams().feedIds()).to.deep.equal(
      Object.values(REPORTS).map(({ response }) => response.report.feedID),
    );
  });

  it("signs as Chainlink's own client does, so that the secret itself never travels", async () => {
    const signed = (user: string, method: string, path: string, body: string) =>
      CHAINLINK_STREAMS.sign!(user)!({ method, path, body, atMs: 1_718_885_772 })[
        "x-authorization-signature-sha256"
      ];
    // The vectors of the Go client's tests.
    expect(signed("clientId:userSecret", "GET", "/api/v1/feeds", "")).to.equal(
      "e9b2aa1deb13b2abd078353a5e335b2f50307159ad28b433157d2c74dbab2072",
    );
    const body = '{"attr1": "value1","attr2": [1,2,3]}';
    expect(signed("clientId2:secret2", "POST", "/api/v1/reports/bulk", body)).to.equal(
      "37190febe20b6f3662f6abbfa3a7085ad705ac64e88bde8c1a01a635859e6cf7",
    );
    serve();
    await streams().latest(FEED);
    const { headers } = at.upstream.asked[0]!;
    expect(headers.authorization).to.equal("5b2c0d7e-key");
    expect(JSON.stringify(headers)).not.to.include("the-secret");
  });

  it("tells a wrong secret, a clock that is off, and a stream that the key may not read, and asks but once", async () => {
    const wrong: Record<string, [Parameters<typeof serve>, status: number]> = {
      "another secret": [["5b2c0d7e-key:another"], 401],
      "another key": [["another:the-secret"], 401],
      "six seconds apart": [[USER, 6_000], 400],
      "another subscription": [[USER, 0, [SPY]], 401],
    };
    for (const [name, [server, status]] of Object.entries(wrong)) {
      serve(...server);
      const before = at.upstream.asked.length;
      const fault = await faultOf(streams().latest(FEED));
      expect([fault.code, fault.status], name).to.deep.equal(["status", status]);
      expect(at.upstream.asked.length - before, name).to.equal(1);
    }
    // A key without a stream answers nothing that is asked.
    serve(USER, 0, []);
    expect((await faultOf(Promise.resolve(CHAINLINK_STREAMS.tryOut!(streams())))).status).to.equal(401);
    serve();
    await CHAINLINK_STREAMS.tryOut!(streams());
  });

  it("turns away another stream's report, whether its envelope says so or the signed bytes do", async () => {
    const { report } = AAPL.response;
    const blobless = `0x${"00".repeat(96)}${"ff".repeat(32)}`;
    await expectOtherShapes(
      at,
      [
        SPY.response,
        { report: { ...report, fullReport: SPY.response.report.fullReport } },
        { report: { ...report, feedID: SPY.response.report.feedID } },
        { report: { ...report, fullReport: blobless } },
        { report: { ...report, fullReport: `${report.fullReport.slice(0, -1)}` } },
        { report: { ...report, fullReport: "0x" } },
        { report: null },
        report,
      ],
      () => streams().latest(FEED),
    );
    at.upstream.reply(json(AAPL.response));
    await streams().latest(FEED);
  });

  describe("as a reference of evidence", () => {
    const warnings: object[] = [];
    const feedOf = ({ response }: typeof AAPL) =>
      ({ provider: "chainlink-streams", kind: "live", symbol: "X", feedId: response.report.feedID }) as const;
    const sources = (key: string | undefined = USER) => {
      warnings.length = 0;
      at.upstream.reply(dataStreams(USER, () => at.time.now()));
      return createOffchainSources({
        keys: key ? { "chainlink-streams": key } : {},
        baseUrls: { "chainlink-streams": at.upstream.url },
        chainId: 56,
        fetch: at.time.fetch,
        now: () => at.time.now(),
        log: { warn: (details) => void warnings.push(details) },
      });
    };

    it("states what was signed, with the whole report as its proof, and is asked once for many", async () => {
      const { prices } = sources();
      const [read] = await Promise.all([1, 2].map(() => prices([feedOf(AAPL), feedOf(SPY)], 0)));
      const [apple, spider] = read!.readings;
      expect(read!.failures).to.deep.equal([]);
      expect(apple).to.deep.equal({
        provider: "chainlink",
        source: "data-streams",
        kind: "live",
        symbol: "X",
        price: "313.25735",
        confidence: "0.05265",
        publishedAt: 1_788_976_800,
        receivedAt: at.time.now() / 1_000,
        rawHash: keccak256(toUtf8Bytes(JSON.stringify(AAPL.response))),
        onChain: null,
        proof: { format: "chainlink-report", data: AAPL.response.report.fullReport },
        signer: { set: CONFIGURATION, session: "regular", signedAt: 1_788_976_800 },
      });
      // The price last changed three seconds before the report.
      expect(spider).to.include({ price: "767.645", publishedAt: 1_788_880_197 });
      expect(spider!.signer?.set).to.match(/^chainlink configuration 0x0009/);
      expect(at.upstream.asked).to.have.length(2);
    });

    /** The one feed that is asked, of which nothing is stated. */
    const failed = (of: typeof AAPL, reason: string, rawHash: string | null) => ({
      readings: [],
      failures: [
        {
          source: `chainlink-streams live ${of.response.report.feedID}`,
          subject: "price",
          reason,
          at: 7,
          rawHash,
        },
      ],
    });
    const hashOf = (answer: unknown) => keccak256(toUtf8Bytes(JSON.stringify(answer)));

    it("fails as unusable, with the hash of what arrived and a line in the log, where the report does not verify here", async () => {
      const { report } = AAPL.response;
      const own = sources();
      const forged = report.fullReport.replace(/.$/, (digit: string) => (digit === "0" ? "1" : "0"));
      const answer = { report: { ...report, fullReport: forged } };
      at.upstream.reply(json(answer));
      expect(await own.prices([feedOf(AAPL)], 7)).to.deep.equal(failed(AAPL, "unusable", hashOf(answer)));
      expect(warnings).to.deep.equal([{ reason: "signature 5 is by nobody of the configuration" }]);
      expect(await sources().prices([feedOf(REPORTS.v3)], 7)).to.deep.equal(
        failed(REPORTS.v3, "unusable", hashOf(REPORTS.v3.response)),
      );
      expect(JSON.stringify(warnings)).to.match(/^\[\{"reason":".* schema v/);
    });

    it("fails as unusable, with the hash of what arrived, where the answer has another stream's report", async () => {
      const own = sources();
      at.upstream.reply(json(SPY.response));
      const said = failed(AAPL, "unusable", hashOf(SPY.response));
      expect(await own.prices([feedOf(AAPL)], 7)).to.deep.equal(said);
    });

    it("asks nobody without a key, and says so", async () => {
      expect(await sources("").prices([feedOf(AAPL)], 7)).to.deep.equal(failed(AAPL, "not-configured", null));
      expect([at.upstream.asked, warnings]).to.deep.equal([[], []]);
    });
  });
});

const ID = `0x${"a".repeat(64)}`;
failsAsEvery(
  "Chainlink's reports",
  (deps) => CHAINLINK_STREAMS.connect({ ...deps, lane: "jobs", apiKey: "k:s" }).latest(ID),
  (hole) => ({ report: { feedID: ID, fullReport: hole } }),
);
