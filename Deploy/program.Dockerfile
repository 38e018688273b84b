# An image for an app that is a program: the image of this package (docker compose build image) with a language in it. In the program's folder:
#
#   docker build -f homeroom/Deploy/program.Dockerfile -t my-program .
#   docker run --rm --ulimit nofile=65536 -v "$PWD/results:/results" my-program
FROM homeroom
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
COPY . /app
CMD ["run", "/app", "--out", "/results", "--junit", "/results/junit.xml"]
