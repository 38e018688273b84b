"""An iPad's local link for an app in Python: lines of JSON on standard input and output (Docs/app-protocol.md).

Standard output belongs to the link. Print what is for people on standard error: it goes to the app's log.
"""
import base64
import json
import sys


class PadError(Exception):
    """What the iPad answered instead of a result: a domain and a code of Apple's."""

    def __init__(self, error):
        super().__init__(f"{error.get('domain')} {error.get('code')}: {error.get('message', '')}")
        self.domain, self.code, self.body = error.get("domain"), error.get("code"), error


class Link:
    """One launch of the app. Virtual time stands still while the app runs: only a step brings a new `now`."""

    def __init__(self):
        self.launch = self._read()["launch"]
        self.home = self.launch["home"]
        self.now = 0  # ns since the run began
        self.timer = None  # when to step again if nothing comes before
        self._asked, self._exchange = {}, 0

    def call(self, name, **body):
        """Asks the iPad and waits for its answer, in the same instant."""
        self._print({"call": name, "body": body})
        answer = self._read()["body"]
        if "error" in answer:
            raise PadError(answer["error"])
        return answer

    def post(self, name, body, exchange=None):
        line = {"post": name, "body": body}
        self._print(line if exchange is None else line | {"exchange": exchange})

    def ask(self, name, body, then):
        """Sends a message whose answer comes in a later step, perhaps never: `then` gets it."""
        self._exchange += 1
        self._asked[self._exchange] = (name, then)
        self.post(name, body, self._exchange)

    def run(self, make_app):
        """Steps until the iPad ends the process. The app is made in the first step: before it nobody listens. `app.didBecomeActive` is given
        to its method `app_didBecomeActive`, if there is one; what that returns is the answer."""
        app = None
        while line := self._read():
            self.now = line["now"]
            app = app or make_app(self)
            if self.timer is not None and self.timer <= self.now:
                self.timer = None
                app.timer_fired()
            for message in line["inputs"]:
                self._deliver(app, message["post"], message["body"], message.get("exchange"))
            done = {"done": line["step"]}
            self._print(done if self.timer is None else done | {"timer": self.timer})

    def _deliver(self, app, name, body, exchange):
        # The iPad numbers its own questions: only the name tells them from answers to ours.
        if self._asked.get(exchange, ("",))[0] == name:
            self._asked.pop(exchange)[1](body)
            return
        method = getattr(app, name.replace(".", "_"), None)
        answer = method(body) if method else None
        if exchange is not None:
            self.post(name, answer or {}, exchange)

    def _read(self):
        line = sys.stdin.readline()
        return json.loads(line) if line else sys.exit()

    def _print(self, line):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    # Files of the sandbox

    def read(self, path):
        """The bytes of a file; none when it is not there."""
        try:
            return base64.b64decode(self.call("file.read", path=path)["data"]["$data"])
        except PadError as error:
            if error.code != 260:
                raise
            return b""

    def write(self, path, data):
        """Writes a file whole; it is there after a power cut when this returns."""
        self.call("file.write", path=path, data={"$data": base64.b64encode(data).decode()}, atomic=True)
        self.call("file.sync", path=path)
