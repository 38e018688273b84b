# Builds the release command once; `docker compose up` runs every scenario of Fleet/ with it.
FROM swift:6.3
WORKDIR /homeroom

# The C libraries first: they change least.
COPY Scripts Scripts
RUN Scripts/setup && rm -rf /var/lib/apt/lists/*

# The manifest names the test targets too, so SwiftPM wants their folders although only the product is built.
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
# The Swift runtime linked in, as in Scripts/homeroom.
RUN swift build -c release --product homeroom --static-swift-stdlib

COPY Fleet Fleet
ENTRYPOINT [".build/release/homeroom"]
CMD ["run", "Fleet/", "--out", "/results", "--junit", "/results/junit.xml"]
