"""The same notes with one mistake: the outbox is cleared when the edits are sent, not when the server has them."""
from local_link import Link
from notes import Notes


class Forgetful(Notes):
    long_lived = False

    def send(self):
        super().send()
        self.shelf.outbox.clear()


if __name__ == "__main__":
    Link().run(Forgetful)
