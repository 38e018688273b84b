# homeroom and homeroom-cloud, built as releases, in an image without a compiler. docker-compose.yml says how they work together.
FROM swift:6.3 AS build
WORKDIR /homeroom
# The manifests leave out what only tests need: an edit of a test or a script builds nothing again.
ENV HOMEROOM_WITHOUT_TESTS=1

# The C libraries first: they change least.
COPY Scripts/setup Scripts/setup
RUN Scripts/setup && rm -rf /var/lib/apt/lists/*

COPY Package.swift ./
COPY Sources Sources
COPY Plugins Plugins
# The Swift runtime linked in, as in Scripts/homeroom.
RUN swift build -c release --product homeroom --static-swift-stdlib
COPY Cloud/Package.swift Cloud/
COPY Cloud/Sources Cloud/Sources
RUN swift build -c release --package-path Cloud --product homeroom-cloud --static-swift-stdlib

# The same Debian or Ubuntu that it was built on, without Swift.
FROM swift:6.3-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libcurl4 libsqlite3-0 ca-certificates \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /homeroom/.build/release/homeroom /homeroom/Cloud/.build/release/homeroom-cloud /usr/local/bin/
# What the apps declare of themselves is read from beside the command.
COPY --from=build /homeroom/.build/release/homeroom_ExampleApps.resources /usr/local/bin/homeroom_ExampleApps.resources
COPY Scripts/in-container /usr/local/bin/
WORKDIR /homeroom
COPY Fleet Fleet
COPY Networks Networks
# An image that cannot play is none.
RUN homeroom run Fleet/two-ipads.yaml --mode sim --out /tmp/try && homeroom-cloud --help >/dev/null && rm -rf /tmp/try
ENTRYPOINT ["in-container"]
CMD ["run", "Fleet/", "--out", "/results", "--junit", "/results/junit.xml"]
