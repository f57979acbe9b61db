# CUDA in twelve steps, built and ready to run on a CPU, for systems without Debian's packages:
#
#   docker build -t cuda-in-twelve-steps .
#   docker run -it --rm cuda-in-twelve-steps build/tour
#
# `.ci/container` carries out these instructions in a clean root, where there is no Docker.
FROM debian:bookworm-slim AS tools
ENV LANG=C.UTF-8
RUN apt-get update && apt-get install -y --no-install-recommends \
      g++ meson libboost-context-dev libcli11-dev libfmt-dev nlohmann-json3-dev doctest-dev \
      ca-certificates ccache clangd gdb git && \
    rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --shell /bin/bash learner
USER learner
RUN mkdir /home/learner/project
WORKDIR /home/learner/project

FROM tools AS ready
COPY --chown=learner:learner . .
RUN meson setup build -Drun_on=cpu && meson compile -C build
CMD ["bash"]
