# The workbench for programs and, on the machine's own network, its page:
#   docker build -t decision-workbench . && docker run --network host --read-only --tmpfs /tmp -v workbench:/data decision-workbench
# It listens at 127.0.0.1 alone, so it takes the network of its host. `--build-arg TEXT_MODEL=all-MiniLM-L6-v2` adds ONNX
# Runtime and the English text model; without it texts are read by their words.
ARG NODE=node:24-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

FROM ${NODE} AS build
WORKDIR /build
COPY . .
ARG TEXT_MODEL=
RUN npm ci --ignore-scripts && npm pack --pack-destination /tmp
# What is installed was packed here; ONNX Runtime's own installation would fetch parts for graphics cards.
# hadolint ignore=DL3016
RUN if [ -z "$TEXT_MODEL" ]; then npm install --global --prefix /opt/workbench --omit=optional /tmp/*.tgz; else \
    npm pack "./resources/models/$TEXT_MODEL" --pack-destination /tmp \
    && npm install --global --prefix /opt/workbench --onnxruntime-node-install=skip /tmp/*.tgz; fi

FROM ${NODE}
COPY --from=build /opt/workbench /opt/workbench
RUN install -d -o 65532 -g 65532 /data
ENV PATH=/opt/workbench/bin:$PATH WORKBENCH_DATA_DIR=/data HOME=/tmp
USER 65532:65532
VOLUME /data
EXPOSE 8737
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8737/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["workbench"]
CMD ["serve"]
