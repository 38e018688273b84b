"""Notes in a person's private CloudKit database, with an outbox in the app's sandbox.

Each edit is a record of its own, which names the records that it replaces. So two edits made apart both stay, no answer that is lost does harm,
and an edit that is sent twice is recognised by its name. A note shows all its versions that no other one replaces.
"""
import hashlib
import json
import random
import sys

from local_link import Link, PadError

SECOND = 1_000_000_000
# Codes of CKError.
ALREADY_THERE, TOKEN_EXPIRED, NO_ZONE, ZONE_ERASED = 14, 21, 26, 28


class Shelf:
    """What this iPad knows of one account's notes: a file that is written whole and synced."""

    def __init__(self, link, identity):
        self.link = link
        # A folder for each account: nobody sees the notes of another one.
        name = hashlib.sha256(identity.encode()).hexdigest()[:16]
        self.folder = f"{link.home}/Library/Application Support/{name}"
        self.path = f"{self.folder}/notes.json"
        self.versions, self.outbox, self.token = {}, [], None
        if kept := link.read(self.path):
            self.versions, self.outbox, self.token = json.loads(kept)

    def save(self):
        self.link.call("file.makeFolder", path=self.folder)
        self.link.write(self.path, json.dumps([self.versions, self.outbox, self.token]).encode())

    def add(self, name, version):
        """Keeps an edit and remembers that it has to be sent; raises PadError when the disk is full, and then nothing was added."""
        self.versions[name] = version
        self.outbox.append(name)
        try:
            self.save()
        except PadError:
            del self.versions[name]
            self.outbox.remove(name)
            raise

    def shown(self):
        """The names of the versions that each note shows, by item, in an order that is the same on all iPads."""
        replaced = {old for version in self.versions.values() for old in version["replaces"]}
        items = {}
        for name in sorted(self.versions):
            if name not in replaced:
                items.setdefault(self.versions[name]["item"], []).append(name)
        return items

    def text(self, names):
        return "\n".join(self.versions[name]["text"] for name in names)


class Notes:
    zone = "Notes"
    # The iPad's daemon keeps what it was given: it goes on when this app is gone and the person has signed out.
    long_lived = True

    def __init__(self, link):
        self.link = link
        # No clock and no machine gives this app a random number: the same run has to happen twice.
        self.random = random.Random(link.launch["seed"])
        self.shelf, self.under_way, self.is_fetching = None, set(), False
        self.is_active, self.retry = False, 5 * SECOND
        self.sign_in(link.launch["identity"])

    def sign_in(self, identity):
        self.shelf = Shelf(self.link, identity) if identity else None
        self.under_way, self.is_fetching = set(), False
        if self.shelf:
            self.take_up()

    def take_up(self):
        """Answers to what earlier launches handed over wait for the app to take them."""
        for kept in self.link.call("ck.longLived")["ops"]:
            self.ask("ck.attach", {}, self.attached, operation=kept["op"])

    def attached(self, answer):
        names = [record["recordName"] for record in answer.get("saved", [])] + list(answer.get("errors", {}))
        self.sent(names, answer)

    # The life cycle

    def app_didBecomeActive(self, _):
        self.is_active = True
        self.sync()

    def app_didEnterBackground(self, _):
        self.is_active = False

    def app_remoteNotification(self, _):
        self.sync()
        return {"result": "newData"}

    def app_identityChanged(self, body):
        self.sign_in(body["identity"])
        self.sync()

    def timer_fired(self):
        self.sync()

    # The person

    def ui_perform(self, edit):
        names = self.shelf.shown().get(edit["item"], []) if self.shelf else []
        shown = self.shelf.text(names) if names else None
        self.link.post("ui.began", {"token": edit["token"], "text": shown})
        if not self.shelf:
            return {"refused": "nobody is signed in to iCloud"}
        version = {"item": edit["item"], "text": edit["value"], "replaces": names}
        try:
            self.shelf.add(f"version-{self.random.getrandbits(96):024x}", version)
        except PadError as error:
            return {"refused": f"the note cannot be kept: {error}"}
        self.send()

    def ui_state(self, _):
        items = self.shelf.shown() if self.shelf else {}
        return {
            "items": [{"id": item, "kind": "note", "text": self.shelf.text(items[item])} for item in sorted(items)],
            "complete": True,
        }

    # iCloud

    def ask(self, name, body, then, long_lived=False, operation=None):
        """Asks the record service for this account; what comes after a change of account is not for anybody."""
        shelf = self.shelf
        operation = operation or f"{name}-{self.random.getrandbits(64):016x}"
        common = {"container": f"iCloud.{self.link.launch['bundle']}", "database": "private", "zone": self.zone}
        self.link.ask(
            name, common | body | {"op": operation, "longLived": long_lived},
            lambda answer: then(answer) if self.shelf is shelf else None)

    def sync(self):
        if not self.shelf:
            return
        self.send()
        self.fetch()
        # Nothing else tells an app in front that another iPad has written.
        if self.is_active:
            self.again(30 * SECOND)

    def again(self, span):
        due = self.link.now + span
        self.link.timer = min(due, self.link.timer or due)

    def send(self):
        names = [name for name in self.shelf.outbox if name not in self.under_way]
        if not names:
            return
        self.under_way.update(names)
        records = [self.record(name, self.shelf.versions[name]) for name in names]
        body = {"save": records, "delete": [], "policy": 0, "atomic": False}
        self.ask("ck.modify", body, lambda answer: self.sent(names, answer), self.long_lived)

    def sent(self, names, answer):
        """Only what the server has leaves the outbox. Who is already there was sent before, and its answer was lost."""
        self.under_way.difference_update(names)
        errors = answer.get("errors", {})
        failed = {name: errors.get(name, answer.get("error")) for name in names}
        codes = {name: error["code"] for name, error in failed.items() if error and error["code"] != ALREADY_THERE}
        self.shelf.outbox = [name for name in self.shelf.outbox if name not in names or name in codes]
        self.keep()
        if NO_ZONE in codes.values() or ZONE_ERASED in codes.values():
            self.ask("ck.zones", {"save": [self.zone], "delete": []}, lambda answer: self.zone_made(answer))
        elif codes:
            print(f"not taken: {failed}", file=sys.stderr)
            self.wait_and_retry()
        else:
            self.retry = 5 * SECOND

    def zone_made(self, answer):
        if "error" in answer or answer.get("errors"):
            self.wait_and_retry()
        else:
            self.send()

    def wait_and_retry(self):
        self.again(self.retry)
        self.retry = min(2 * self.retry, 60 * SECOND)

    def fetch(self):
        if not self.is_fetching:
            self.is_fetching = True
            self.ask("ck.zoneChanges", {"token": self.shelf.token}, self.fetched)

    def fetched(self, answer):
        self.is_fetching = False
        if error := answer.get("error"):
            if error["code"] == TOKEN_EXPIRED:
                self.shelf.token = None
                self.fetch()
            elif error["code"] not in (NO_ZONE, ZONE_ERASED):
                self.wait_and_retry()
            return
        for record in answer["records"]:
            fields = record["fields"]
            self.shelf.versions[record["recordName"]] = {
                "item": fields["item"]["value"], "text": fields["text"]["value"],
                # An empty list comes back as no list.
                "replaces": fields["replaces"]["value"] if "replaces" in fields else []}
        self.shelf.token = answer["token"]
        self.keep()
        if answer.get("moreComing"):
            self.fetch()

    def keep(self):
        """What was learnt can be learnt again: a full disk does no harm, as long as the file and the token in it stay one."""
        try:
            self.shelf.save()
        except PadError as error:
            print(f"not kept: {error}", file=sys.stderr)

    def record(self, name, version):
        fields = {name: {"value": version[name], "type": "STRING"} for name in ("item", "text")}
        if version["replaces"]:
            fields["replaces"] = {"value": version["replaces"], "type": "STRING_LIST"}
        return {"recordName": name, "recordType": "Version", "fields": fields}


if __name__ == "__main__":
    Link().run(Notes)
