"""Reads a page of orders, and then keeps a copy of a store's orders and items in a file. Python 3.9, nothing to install.

  export TILLGATE_URL=https://pos.example TILLGATE_CLIENT_ID=… TILLGATE_CLIENT_SECRET=… STORE_ID=1001
  python3 changes.py            # follows the changes until it is stopped; may be killed at any moment
  python3 changes.py --once     # ends when there is no more

COPY (copy.json) is the file, DAY (today) the day of the page of orders, COUNT (1000) the entries of a page of changes.
"""

import datetime, http.client, json, os, random, sys, time
import urllib.error, urllib.parse, urllib.request

URL = os.environ["TILLGATE_URL"].rstrip("/")
STORE = os.environ["STORE_ID"]
COPY = os.environ.get("COPY", "copy.json")
COUNT = os.environ.get("COUNT", "1000")
DAY = os.environ.get("DAY") or datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")

token = None


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status} {text}")
        self.status = status


def send(request):
    """The JSON of the answer. Repeats what may be repeated, for good: a program that follows must survive a long outage."""
    failures = 0
    while True:
        wait = min(60, 0.5 * 2**failures)
        pause = wait * random.uniform(0.5, 1)  # so that clients that failed together do not return together
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (408, 429, 500, 502, 503, 504):
                raise Refused(error.code, error.read().decode(errors="replace"))
            after = error.headers["Retry-After"] or ""
            if after.isdigit():
                pause = int(after) + random.random()
            problem = error
        except (OSError, http.client.HTTPException, ValueError) as error:  # no answer, or half of one
            problem = error
        print(f"{problem}; again in {pause:.1f} s", file=sys.stderr)
        time.sleep(pause)
        failures += 1


def new_token():
    form = {"grant_type": "client_credentials", "client_id": os.environ["TILLGATE_CLIENT_ID"],
            "client_secret": os.environ["TILLGATE_CLIENT_SECRET"]}
    body = urllib.parse.urlencode(form).encode()
    return send(urllib.request.Request(f"{URL}/auth/v2/token", body))["access_token"]


def get(path, **query):
    """The data of the answer. A token that is no longer valid is replaced once."""
    global token
    for attempt in (1, 2):
        token = token or new_token()
        request = urllib.request.Request(f"{URL}{path}?{urllib.parse.urlencode(query)}")
        request.add_header("Authorization", f"Bearer {token}")
        try:
            return send(request)["data"]
        except Refused as error:
            if error.status != 401 or attempt == 2:
                raise
            token = None


def load():
    try:
        with open(COPY, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"after": 0, "feed": None, "entries": {}}


def save(copy):
    """Data and position together: a kill leaves the old file or the new one, never half of one."""
    with open(COPY + ".new", "w", encoding="utf-8") as file:
        json.dump(copy, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(COPY + ".new", COPY)


def main():
    orders = get("/integration/v1/orders", store_id=STORE, start_date=f"{DAY} 00:00:00", end_date=f"{DAY} 23:59:59", count=100)
    print(f"{len(orders)} orders on {DAY}", flush=True)
    once = "--once" in sys.argv[1:]
    copy = load()
    while True:
        query = {"store_id": STORE, "kinds": "order,item", "count": COUNT, "after": copy["after"]}
        if copy["feed"]:
            query["feed"] = copy["feed"]
        if not once:
            query["wait"] = 30
        try:
            page = get("/integration/v1/changes", **query)
        except Refused as error:
            if error.status != 409:
                raise
            # The server's history has changed: read everything again.
            copy = {"after": 0, "feed": None, "entries": {}}
            continue
        for change in page["changes"]:
            copy["entries"][f"{change['kind']} {change['id']}"] = change["data"]
        copy["after"], copy["feed"] = page["next"], page["feed"]
        save(copy)
        print(f"{len(page['changes'])} changes, {len(copy['entries'])} entries", flush=True)
        if once and not page["more"]:
            return


try:
    main()
except Refused as error:
    sys.exit(f"refused: {error}")
except KeyboardInterrupt:
    pass
