# homeroom and homeroom-cloud, built as releases, in an image without a compiler. docker-compose.yml says how they work together.
FROM swift:6.3 AS build
WORKDIR /homeroom

# The C libraries first: they change least.
COPY Scripts Scripts
RUN Scripts/setup && rm -rf /var/lib/apt/lists/*

# The manifest names the test targets too, so SwiftPM wants their folders although only the products are built.
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
# The Swift runtime linked in, as in Scripts/homeroom.
RUN swift build -c release --product homeroom --static-swift-stdlib
COPY Cloud Cloud
RUN swift build -c release --package-path Cloud --product homeroom-cloud --static-swift-stdlib

# The same Debian or Ubuntu that it was built on, without Swift.
FROM swift:6.3-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libcurl4 libsqlite3-0 ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /homeroom/.build/release/homeroom /homeroom/Cloud/.build/release/homeroom-cloud /usr/local/bin/
# What the apps declare of themselves is read beside the command.
COPY --from=build /homeroom/.build/release/homeroom_ExampleApps.resources /usr/local/bin/homeroom_ExampleApps.resources
WORKDIR /homeroom
COPY Fleet Fleet
COPY Networks Networks
# An image that cannot play is none.
RUN homeroom run Fleet/two-ipads.yaml --mode sim --out /tmp/try && homeroom-cloud --help >/dev/null && rm -rf /tmp/try
ENTRYPOINT ["homeroom"]
CMD ["run", "Fleet/", "--out", "/results", "--junit", "/results/junit.xml"]
