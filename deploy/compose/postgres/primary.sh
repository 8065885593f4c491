#!/bin/sh
# Runs once, in the empty primary: who may stream from it, and the replica's place in its log.
set -eu
password=$(cat /run/secrets/replication_password)
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" -v password="$password" <<'SQL'
create role replicator with replication login password :'password';
select pg_create_physical_replication_slot('replica');
SQL
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
