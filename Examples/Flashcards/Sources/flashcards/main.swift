import HomeroomKit

Homeroom.main(apps: [Flashcards.self, Forgetful.self])
