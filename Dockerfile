# The service. On a PostgreSQL of yours: -e AGENTLOG_DATABASE_URL=postgresql://…
# On its own one, in a volume:        -v agentlog:/var/lib/agentlog

FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /source
COPY requirements.lock requirements-runtime.lock pyproject.toml ./
# What runs goes into the image; what only builds stays behind, and is pinned all the same.
RUN python -m venv /opt/agentlog \
    && /opt/agentlog/bin/pip install --require-hashes --only-binary :all: \
        --requirement requirements-runtime.lock
RUN python -m venv /opt/build \
    && sed -n '/^uv==/,/[^\]$/p' requirements.lock > /opt/build/uv.lock \
    && /opt/build/bin/pip install --require-hashes --only-binary :all: \
        --requirement /opt/build/uv.lock \
    && /opt/build/bin/uv pip install --python /opt/build --require-hashes --only-binary :all: \
        --constraint requirements.lock --group build
COPY . .
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . ./client \
    && /opt/agentlog/bin/pip install --no-index --no-deps /wheels/*.whl

FROM python:3.13-slim
# PostgreSQL refuses to run as root, and to run as a user without a name.
RUN groupadd --system --gid 10001 agentlog \
    && useradd --system --uid 10001 --gid agentlog --no-create-home \
        --home-dir /var/lib/agentlog --shell /usr/sbin/nologin agentlog \
    && install --directory --owner=agentlog --group=agentlog --mode=0700 \
        /var/lib/agentlog /backups /imports /signing /notes
COPY --from=build /opt/agentlog /opt/agentlog
COPY deploy/systemd/agentlog-nightly /opt/agentlog/bin/
ENV PATH=/opt/agentlog/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    AGENTLOG_DATA_DIR=/var/lib/agentlog
USER 10001:10001
WORKDIR /var/lib/agentlog
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/readyz', timeout=4)"]
CMD ["agentlog", "serve", "--host", "0.0.0.0", "--port", "8080"]
