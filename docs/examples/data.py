"""Takes a copy of Assay's market data, with Python's standard library alone, computes the premiums again and checks proofs.

    python3 data.py SETTINGS [SYMBOL]          (AAPLx)

SETTINGS is a JSON file with baseUrl and apiKey. `npm start` writes one, data/local.json. What is read is saved beside: latest.json,
SYMBOL.json with 90 days of hours, actions.json.
"""
import json
import sys
from base64 import b64decode
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, getcontext
from hashlib import sha256
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


def node(left, right):
    return sha256(b"\1" + left + right).digest()


def root_of(leaf, index, size, path):
    """The root of the tree of so many leaves that has this one at this place (RFC 9162, 2.1.3.2)."""
    at, last, digest = index, size - 1, sha256(b"\0" + leaf.encode()).digest()
    for sibling in path:
        if at % 2 == 1 or at == last:
            digest = node(sibling, digest)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            digest = node(digest, sibling)
        at, last = at // 2, last // 2
    stop_unless(last == 0, "a path is too short")
    return digest


def check_proof(point):
    """From the point to the tree that the log signed. The log's signature is checked by `assay verify --point`."""
    proof = point["proof"]
    signed = json.loads(proof["leaf"], parse_float=Decimal)
    hour, inputs, close = signed["hour"], point["inputs"], signed["hour"]["closeBps"]
    told = [point["revision"], point["premium_bps"], *(inputs[name] for name in ("price_usd", "shares_per_token", "reference_price_usd"))]
    said = [signed["revision"], None if close is None else Decimal(close), *(hour["inputs"][name] for name in ("tokenPriceUsd", "sharesPerToken", "referencePriceUsd"))]
    stop_unless(told == said, f"the point of {point['ts']} is not what was signed")
    root = root_of(proof["leaf"], proof["index"], proof["size"], [bytes.fromhex(each[2:]) for each in proof["path"]])
    entry = json.loads(proof["entry"])
    stop_unless(entry["root"] == f"0x{root.hex()}", f"the point of {point['ts']} is not in the tree of its hour")
    lines, checkpoint = (part.split("\n") for part in proof["log_proof"].split("\n\n", 1))
    index = int(lines[1].removeprefix("index "))
    origin, size, log_root = checkpoint[0], int(checkpoint[1]), b64decode(checkpoint[2])
    log_path = [b64decode(line) for line in lines[2:]]
    stop_unless(root_of(proof["entry"], index, size, log_path) == log_root, f"the hour of {point['ts']} is not in the log")
    return origin


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

    since = (datetime.now(timezone.utc) - timedelta(days=90)).strftime("%Y-%m-%d")
    query = {"symbol": symbol, "inputs": 1, "from": since}
    hours = api.pages("/api/v1/premium-history", "points", limit=1000, **query)
    save(f"{symbol}.json", hours)
    stop_unless(hours == sorted(hours, key=lambda hour: hour["ts"]), "the hours are not in order")
    whole = [hour for hour in hours if hour["inputs"] is not None]
    for hour in whole:
        check_premium(hour["premium_bps"], hour["inputs"], f"{symbol} at {hour['ts']}")
    print(f"history    {len(hours)} hours of {symbol} since {since}, {len(whole)} premiums computed again and equal")

    proved = api.get("/api/v1/premium-history", proof=1, limit=100, **query)["points"]
    proved = [hour for hour in proved if hour["proof"] is not None and hour["inputs"] is not None][:10]
    origins = {check_proof(hour) for hour in proved}
    print(f"proofs     {len(proved)} points, each in a tree that its log signed: {', '.join(origins) or 'none'}")

    actions = api.pages("/api/v1/corporate-actions", "actions", limit=1000)
    save("actions.json", actions)
    print(f"actions    {len(actions)}")


if __name__ == "__main__":
    stop_unless(2 <= len(sys.argv) <= 3, __doc__.split("\n\n")[1].strip())
    main(*sys.argv[1:])
