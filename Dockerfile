# Builds a static binary and puts it alone into an image of its own.
#
#   docker build -t keypact .
#   docker run -p 127.0.0.1:8080:8080 -v keypact-data:/data keypact serve --insecure
#
# Inside a container the service listens on every interface, so it refuses to
# start without --insecure: there is no access control yet, and publishing the
# port on loopback, as above, is what guards it.

ARG BUILDER=golang:1.26-bookworm
ARG RUNTIME=scratch

FROM ${BUILDER} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/keypact . \
 && mkdir -p /out/data

FROM ${RUNTIME}
COPY --from=build /out/keypact /keypact
COPY --from=build --chown=65532:65532 /out/data /data
COPY LICENSE /LICENSE
COPY examples/contracts.yaml /etc/keypact/example.yaml
USER 65532:65532
ENV KEYPACT_ADDR=0.0.0.0:8080 KEYPACT_DATA=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s CMD ["/keypact", "health"]
ENTRYPOINT ["/keypact"]
CMD ["serve"]
