# The textkin command with everything in it, the server by default:
#   docker build --tag textkin .
#   docker run --publish 127.0.0.1:7070:7070 --volume textkin:/data textkin
# Another command: docker run --volume "$PWD:/work" --workdir /work textkin discover essays

FROM node:22-bookworm-slim AS pages
WORKDIR /build/crates/textkin-web
COPY crates/textkin-web/frontend/package.json crates/textkin-web/frontend/package-lock.json frontend/
RUN npm --prefix frontend ci --no-audit --no-fund
COPY crates/textkin-web ./
RUN npm --prefix frontend run build

FROM rust:1.95-bookworm AS program
WORKDIR /build
COPY . .
COPY --from=pages /build/crates/textkin-web/assets/dist crates/textkin-web/assets/dist
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/build/target \
    cargo rustc --locked --profile dist --package textkin-cli --features lab,server --bin textkin -- -C opt-level=3 \
    && cp target/dist/textkin /usr/local/bin/

FROM debian:bookworm-slim
# Not pinned: old versions leave the archive, and the certificates should be the current ones.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data --create-home textkin \
    && chmod 700 /data
COPY --from=program /usr/local/bin/textkin /usr/local/bin/textkin
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/textkin/
USER 10001
VOLUME /data
EXPOSE 7070
# Without a program for HTTP in the image, the shell asks.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/7070 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["textkin"]
CMD ["serve", "--data", "/data", "--listen", "0.0.0.0:7070"]
