"""Takes a copy of Assay's market data, with Python's standard library alone, and computes the premiums again.

    python3 data.py SETTINGS [SYMBOL]          (AAPLx)

SETTINGS is a JSON file with baseUrl and apiKey. `npm start` writes one, data/local.json. What is read is saved beside: latest.json,
SYMBOL.json with 30 days of hours, actions.json.
"""
import json
import sys
from decimal import ROUND_HALF_UP, Decimal, getcontext
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

# As many digits as the service computes with.
getcontext().prec = 80


def stop_unless(holds, why):
    if not holds:
        sys.exit(f"Stopped: {why}")


class Api:
    def __init__(self, base_url, api_key):
        self.base_url, self.headers = base_url, {"x-api-key": api_key}

    def read(self, path):
        """The bytes of an answer. Ends with the service's own words where it refuses."""
        url = self.base_url + path
        try:
            with urlopen(Request(url, headers=self.headers), timeout=60) as answer:
                return answer.read()
        except HTTPError as error:
            problem = json.load(error)
            sys.exit(f"Stopped: {url} answers {error.code} {problem.get('code')}: {problem.get('detail')}")
        except URLError as error:
            sys.exit(f"Stopped: {url} cannot be reached: {error.reason}")

    def get(self, path, **query):
        # Numbers keep their digits: a float could change the last one.
        return json.loads(self.read(f"{path}?{urlencode(query)}" if query else path), parse_float=Decimal)


def premium_of(token):
    """Basis points, by the prices of a token or of a point's inputs; None where one of them is not known."""
    price, shares, reference = (token[name] for name in ("price_usd", "shares_per_token", "reference_price_usd"))
    if None in (price, shares, reference):
        return None
    exact = (Decimal(price) / (Decimal(shares) * Decimal(reference)) - 1) * 10_000
    return exact.quantize(Decimal("0.0001"), ROUND_HALF_UP)


def check_premium(served, prices, what):
    own = premium_of(prices)
    same = own is None if served is None else own == served
    stop_unless(same, f"the premium of {what} is {own} by its prices, and {served} is served")


def save(name, value):
    with open(name, "w", encoding="utf8") as file:
        json.dump(value, file, ensure_ascii=False, default=str)


def main(settings, symbol="AAPLx"):
    with open(settings, encoding="utf8") as file:
        mine = json.load(file)
    api = Api(mine["baseUrl"], mine["apiKey"])

    latest = api.get("/api/v1/latest")
    save("latest.json", latest)
    tokens = latest["tokens"]
    for token in tokens:
        check_premium(token["premium_bps"], token, token["asset_key"])
    priced = sum(token["premium_bps"] is not None for token in tokens)
    print(f"snapshot   {len(tokens)} tokens, {priced} premiums computed again and equal")

    hours = api.get("/api/v1/premium-history", symbol=symbol, inputs=1, days=30)["points"]
    save(f"{symbol}.json", hours)
    stop_unless(hours == sorted(hours, key=lambda hour: hour["ts"]), "the hours are not in order")
    for hour in hours:
        check_premium(hour["premium_bps"], hour["inputs"], f"{symbol} at {hour['ts']}")
    print(f"history    {len(hours)} hours of {symbol}, {len(hours)} premiums computed again and equal")

    actions = api.get("/api/v1/corporate-actions", limit=1000)["actions"]
    save("actions.json", actions)
    print(f"actions    {len(actions)}")


if __name__ == "__main__":
    stop_unless(2 <= len(sys.argv) <= 3, __doc__.split("\n\n")[1].strip())
    main(*sys.argv[1:])
