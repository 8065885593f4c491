#!/bin/sh
# A streaming replica: an empty data folder is filled from the primary, and then follows it. As the user of PostgreSQL.
set -eu
: "${PGDATA:?}" "${PRIMARY_HOST:?}" "${PRIMARY_PORT:=5432}" "${REPLICATION_PASSWORD_FILE:?}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    PGPASSWORD=$(cat "$REPLICATION_PASSWORD_FILE")
    export PGPASSWORD
    until pg_basebackup --host "$PRIMARY_HOST" --port "$PRIMARY_PORT" --username replicator --pgdata "$PGDATA" \
        --wal-method stream --slot replica --write-recovery-conf --checkpoint fast --no-password; do
        sleep 1
    done
    unset PGPASSWORD
    chmod 0700 "$PGDATA"
fi
exec postgres "$@"
