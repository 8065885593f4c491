"""Buys a tokenized stock through Assay, without an account and with Python's standard library alone.

    python3 trade.py SETTINGS [SYMBOL [DOLLARS [VERIFIER...]]]          (AAPLx, 250)

SETTINGS is a JSON file of your own: base URL, node, chain, guard and its signer, owner, and tokens by symbol. `npm start`
writes one, data/local.json. VERIFIER is a command that judges the trade before it is signed, such as
`npx --no -- assay-verify`. The node is the wallet here: it has to hold the accounts of the owner and of a relayer.
"""
import json
import subprocess
import sys
import time
from decimal import Decimal
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

DEADLINE_SECONDS = 600
FIELDS = ("address owner, address recipient, address inputToken, address outputToken, uint256 amountIn, uint256 minAmountOut, "
          "address route, bytes32 callDataHash, bytes32 policyHash, uint256 nonce, uint256 deadline")
DOMAIN = "string name, string version, uint256 chainId, address verifyingContract"


def stop_unless(holds, why):
    if not holds:
        sys.exit(f"Stopped: {why}")


def ask(url, body=None, token=None, tries=10):
    """GET, or POST of a body. Repeats a 503 as Retry-After says. Ends with the service's own words where it refuses."""
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
    try:
        with urlopen(Request(url, None if body is None else json.dumps(body).encode(), headers), timeout=60) as answer:
            return json.load(answer)
    except HTTPError as error:
        if error.code == 503 and error.headers.get("retry-after", "").isdigit() and tries > 1:
            time.sleep(int(error.headers["retry-after"]))
            return ask(url, body, token, tries - 1)
        problem = json.load(error)
        sys.exit(f"Stopped: {url} answers {error.code} {problem.get('code')}: {problem.get('detail')}")
    except URLError as error:
        sys.exit(f"Stopped: {url} cannot be reached: {error.reason}")


def allowed(report, hints):
    """Says why a trade is denied, and what would let it pass."""
    reasons = [f"{hint['check']}: {hint['text']}" for hint in hints]
    stop_unless(report["decision"] == "ALLOW", "\n  ".join(["the trade is denied.", *reasons]))


def typed(text):
    return [{"type": field.split()[0], "name": field.split()[1]} for field in text.split(", ")]


def word(value):
    """32 bytes of a call, in hexadecimal: an address or a number."""
    return f"{int(value, 16) if isinstance(value, str) else value:064x}"


def main(settings, symbol="AAPLx", dollars="250", *verifier):
    with open(settings, encoding="utf8") as file:
        mine = json.load(file)
    base, guard, owner = mine["baseUrl"], mine["guard"], mine["owner"]
    dollar, stock = mine["tokens"]["USDL"], mine["tokens"][symbol]
    amount = int(Decimal(dollars).scaleb(dollar["decimals"]))
    stop_unless(amount > 0, f"{dollars} USDL is no amount")

    def wallet(method, *params):
        answer = ask(mine["rpcUrl"], {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        stop_unless("error" not in answer, f"{method}: {answer.get('error')}")
        return answer["result"]

    def send(sender, to, data):
        sent = wallet("eth_sendTransaction", {"from": sender, "to": to, "data": data})
        while (receipt := wallet("eth_getTransactionReceipt", sent)) is None:
            time.sleep(0.2)
        stop_unless(receipt["status"] == "0x1", f"the transaction {sent} failed")
        return sent

    # Which token is meant by a symbol is for your own settings to say, not for the service.
    listed = {asset["symbol"]: asset["assetKey"] for asset in ask(f"{base}/a2mcp/assets")["assets"]}
    for name, token in (("USDL", dollar), (symbol, stock)):
        stop_unless(listed.get(name) == token["assetKey"], f"the service means another token by {name}: {listed.get(name)}")
    policy = next(each for each in ask(f"{base}/a2mcp/policies")["policies"] if each["policyId"] == "STRICT_LIVE")
    print(f"policy     {policy['policyId']}: {policy['description'].split(',')[0]}, …")

    trade = {"inputAssetKey": dollar["assetKey"], "outputAssetKey": stock["assetKey"], "amountInRaw": str(amount)}
    judged = ask(f"{base}/a2mcp/verify", {**trade, "ownerAddress": owner, "policyId": policy["policyId"]})
    allowed(judged, judged["hints"])
    job, token = f"{base}/v1/jobs/{judged['jobId']}", judged["jobToken"]
    prepared = ask(f"{job}/prepare-execution", {"deadlineSeconds": DEADLINE_SECONDS}, token)
    allowed(prepared["report"], prepared.pop("hints"))
    with open("trade.json", "w", encoding="utf8") as file:
        json.dump(prepared, file)

    # The intent has to be the trade that was asked for; what the wallet signs is written here, with your guard.
    intent, relayed = prepared["execution"]["tradeIntent"]["message"], prepared["execution"]["relayedCall"]
    stop_unless(relayed["to"].lower() == guard.lower(), f"the service trades by another guard: {relayed['to']}")
    now = time.time()
    due = {"owner": owner, "recipient": owner, "inputToken": dollar["address"], "outputToken": stock["address"]}
    for name, value in {**due, "amountIn": str(amount), "policyHash": policy["definitionHash"]}.items():
        stop_unless(intent[name].lower() == value.lower(), f"{name} of the trade is {intent[name]}, not {value}")
    stop_unless(now < int(intent["deadline"]) <= now + DEADLINE_SECONDS + 60, f"its deadline is {intent['deadline']}")
    least = Decimal(intent["minAmountOut"]).scaleb(-stock["decimals"])
    print(f"checked    {dollars} USDL for at least {least:f} {symbol}, to {owner}")
    if verifier:
        trust = ["--guard", f"{mine['chainId']}:{guard}", "--signer", mine["signer"]]
        verdict = subprocess.run([*verifier, "trade.json", *trust], stdout=subprocess.PIPE, text=True, check=False)
        stop_unless(verdict.returncode == 0, f"not verified. {verdict.stdout.strip().splitlines()[-1:]}")
        print("verified   the evidence, the judgement and who signed it")
    else:
        print("NOT checked: whether the price is fair, and who judged it. Name a verifier, or run it on trade.json.")

    # The guard is allowed what this trade spends, once: by the owner's own transactions.
    def approve(units):
        return send(owner, dollar["address"], f"0x095ea7b3{word(guard)}{word(units)}")

    allowed_now = {"to": dollar["address"], "data": f"0xdd62ed3e{word(owner)}{word(guard)}"}
    allowance = int(wallet("eth_call", allowed_now, "latest"), 16)
    if 0 < allowance < amount:
        approve(0)  # Some tokens refuse to change an allowance that is not zero.
    if allowance < amount:
        print(f"approved   {approve(amount)}")

    domain = {"name": "TradeGuard", "version": "1", "chainId": mine["chainId"], "verifyingContract": guard}
    types = {"EIP712Domain": typed(DOMAIN), "TradeIntent": typed(FIELDS)}
    message = {field["name"]: intent[field["name"]] for field in types["TradeIntent"]}
    data = {"domain": domain, "types": types, "primaryType": "TradeIntent", "message": message}
    signature = wallet("eth_signTypedData_v4", owner, json.dumps(data))
    print("signed     by the owner, who sends nothing")

    # Who relays only carries the trade: with this signature the guard refuses every other one.
    call, slot = bytearray.fromhex(relayed["data"][2:]), relayed["ownerSignature"]
    call[slot["offset"]:slot["offset"] + slot["length"]] = bytes.fromhex(signature[2:])
    relayer = next(each for each in reversed(wallet("eth_accounts")) if each.lower() != owner.lower())
    sent = send(relayer, guard, f"0x{call.hex()}")
    print(f"relayed    {sent}")

    ask(f"{job}/submissions", {"transactionHash": sent}, token)
    while (execution := ask(f"{job}?wait=30", token=token)["executions"][0])["state"] == "submitted":
        pass
    stop_unless(execution["state"] == "confirmed", f"{sent} {execution['state']}: {execution}")
    got = Decimal(execution["confirmed"]["amountOutRaw"]).scaleb(-stock["decimals"])
    print(f"confirmed  {got:f} {symbol} in block {execution['confirmed']['blockNumber']}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
