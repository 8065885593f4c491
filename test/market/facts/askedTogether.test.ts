import { expect } from "chai";
import { askedTogether } from "../../../market/facts/askedTogether.ts";
import { ProviderFault } from "../../../market/providers/fault.ts";
import type { PythFeed, PythPrice } from "../../../market/providers/pyth.ts";

const feed = (symbol: string): PythFeed => ({ id: `0x${symbol.repeat(64)}`, symbol });
const [A, B, C] = [feed("a"), feed("b"), feed("c")];

/** Pyth as far as it is asked here; feeds of `refused` cost the whole request, as an unlicensed one does. */
function fakePyth(refused: readonly PythFeed[] = [], status = 403) {
  const requests: string[] = [];
  const ask = askedTogether({
    async latest(feeds) {
      requests.push(feeds.map(({ symbol }) => symbol).join());
      if (feeds.some((feed) => refused.includes(feed))) throw new ProviderFault("pyth", "status", { status });
      const found = feeds.filter((feed) => feed !== C);
      const statements = found.map(({ id, symbol }) => ({ feedId: id, subject: symbol }) as PythPrice);
      return { statements, rejected: [] };
    },
  });
  return { ask, requests };
}

const outcome = (asked: Promise<PythPrice | null>) =>
  asked.then(
    (price) => price?.subject ?? null,
    (error: ProviderFault) => error.status,
  );

describe("questions to Pyth at one moment", () => {
  it("questions to Pyth at one moment are one request, and each gets its own answer", async () => {
    const { ask, requests } = fakePyth();
    expect(await Promise.all([A, B, C].map((feed) => outcome(ask(feed))))).to.eql(["a", "b", null]);
    expect(await outcome(ask(A))).to.equal("a");
    expect(requests).to.eql(["a,b,c", "a"]);
  });

  it("questions to Pyth at one moment are asked alone where one of them costs the others their answer", async () => {
    const { ask, requests } = fakePyth([B]);
    expect(await Promise.all([A, B].map((feed) => outcome(ask(feed))))).to.eql(["a", 403]);
    expect(requests).to.eql(["a,b", "a", "b"]);
  });

  it("questions to Pyth at one moment are not asked again while Pyth is down", async () => {
    const { ask, requests } = fakePyth([B], 503);
    expect(await Promise.all([A, B].map((feed) => outcome(ask(feed))))).to.eql([503, 503]);
    expect(requests).to.eql(["a,b"]);
  });
});
