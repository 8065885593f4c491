"""Takes a copy of Assay's market data, with Python's standard library alone, and computes the premiums again.

    python3 data.py SETTINGS [SYMBOL]          (AAPLx)

SETTINGS is a JSON file with baseUrl and apiKey. `npm start` writes one, data/local.json. What is read is saved beside: latest.json,
SYMBOL.json with 90 days of hours, actions.json.
"""
import json
import sys
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, getcontext
from hashlib import sha256
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
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

    def pages(self, path, member, **query):
        """All rows of a list or series, page by page."""
        rows, cursor = [], None
        while True:
            answer = self.get(path, **query, **({} if cursor is None else {"cursor": cursor}))
            rows += answer[member]
            cursor = answer["next_cursor"]
            if cursor is None:
                return rows


def premium_of(token):
    """Basis points, by the prices that are served beside it; None where one of them is not known."""
    price, shares, reference = (token[name] for name in ("price_usd", "shares_per_token", "reference_price_usd"))
    if None in (price, shares, reference):
        return None
    exact = (Decimal(price) / (Decimal(shares) * Decimal(reference)) - 1) * 10_000
    return exact.quantize(Decimal("0.0001"), ROUND_HALF_UP)


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
        told, own = token["premium_bps"], premium_of(token)
        same = own is None if told is None else own == told
        stop_unless(same, f"the premium of {token['asset_key']} is {own} by its prices, and {told} is served")
    priced = sum(token["premium_bps"] is not None for token in tokens)
    print(f"snapshot   {len(tokens)} tokens, {priced} premiums computed again and equal")

    since = (datetime.now(timezone.utc) - timedelta(days=90)).strftime("%Y-%m-%d")
    hours = api.pages("/api/v1/premium-history", "points", symbol=symbol, limit=1000, **{"from": since})
    save(f"{symbol}.json", hours)
    stop_unless(hours == sorted(hours, key=lambda hour: hour["ts"]), "the hours are not in order")
    print(f"history    {len(hours)} hours of {symbol} since {since}")

    actions = api.pages("/api/v1/corporate-actions", "actions", limit=1000)
    save("actions.json", actions)
    print(f"actions    {len(actions)}")

    files = api.pages("/api/v1/files", "files", dataset="premiums")
    if files:
        newest = files[-1]
        content = api.read(quote(newest["url"]))
        stop_unless(sha256(content).hexdigest() == newest["sha256"], f"{newest['url']} is not what the manifest says")
        print(f"file       {newest['day']}, revision {newest['revision']}: {newest['rows']} rows, SHA-256 as in the manifest")


if __name__ == "__main__":
    stop_unless(2 <= len(sys.argv) <= 3, __doc__.split("\n\n")[1].strip())
    main(*sys.argv[1:])
