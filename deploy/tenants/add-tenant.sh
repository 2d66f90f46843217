#!/bin/sh
# One tenant more on a server of Postgres: a role and a database that is its alone, a key ring, and what its nodes are started with.
# It may be run again; what is there stays as it is.
#
#   ADMIN_URL=postgres://postgres@db:5432/postgres PGPASSFILE=… deploy/tenants/add-tenant.sh <name> <port> [<folder>]
#
# Writes <folder>/<name>.env and <folder>/<name>/{database-url,keys,admin-password} (by default below /etc/svc/tenants), for
# `EnvironmentFile=` and for secrets as files. Needs psql.
set -eu
name=${1:?a name of small letters, digits and underscores}
port=${2:?the port of its first node}
folder=${3:-/etc/svc/tenants}
: "${ADMIN_URL:?the URL of a role that may make roles and databases}"
case $name in
  [a-z]*) ;;
  *) echo "'$name' must begin with a small letter" >&2; exit 2 ;;
esac
case $name in
  *[!a-z0-9_]*) echo "'$name' has other than small letters, digits and underscores" >&2; exit 2 ;;
esac
case $ADMIN_URL in
  *://*:*@*) echo 'ADMIN_URL has a password, which everybody on the machine would see: give it in PGPASSWORD or PGPASSFILE' >&2; exit 2 ;;
esac
role=svc_$name
secrets=$folder/$name
random() { head -c "$1" /dev/urandom | base64 | tr -d '\n'; }
# Nobody but their owner reads what is written here, from the first byte on.
umask 077
mkdir -p "$secrets"

# Of ADMIN_URL the server and what stands behind the question mark.
server=$(printf '%s' "$ADMIN_URL" | sed -E 's#^[a-z]+://([^@/]*@)?([^/?]*).*#\2#')
query=$(printf '%s' "$ADMIN_URL" | sed -nE 's#^[^?]*(\?.*)$#\1#p')
if [ ! -s "$secrets/database-url" ]; then
  password=$(random 24 | tr '+/' '-_')
  printf 'postgres://%s:%s@%s/%s%s\n' "$role" "$password" "$server" "$role" "$query" > "$secrets/database-url.new"
  # Words of SQL go by the input: a command line can be read by everybody on the machine.
  psql -qXtA -v ON_ERROR_STOP=1 "$ADMIN_URL" > /dev/null <<SQL
select format('create role %I login', '$role') where not exists (select from pg_roles where rolname = '$role') \gexec
alter role $role password '$password' connection limit 100;
select format('create database %I', '$role') where not exists (select from pg_database where datname = '$role') \gexec
grant $role to current_user;
alter database $role owner to $role;
revoke connect, temporary on database $role from public;
SQL
  mv "$secrets/database-url.new" "$secrets/database-url"
fi
[ -s "$secrets/keys" ] || printf '{"svc-sym-default":["%s"],"svc-jwtsessionhmac-key":["%s"],"svc-audit-key":["%s"]}\n' \
  "$(random 32)" "$(random 32)" "$(random 32)" > "$secrets/keys"
[ -s "$secrets/admin-password" ] || random 18 > "$secrets/admin-password"
[ -s "$folder/$name.env" ] || cat > "$folder/$name.env" <<ENV
PORT=$port
SVC_NODE_ID=$name-$port
DATABASE_URL_FILE=$secrets/database-url
SVC_KEYS_FILE=$secrets/keys
SVC_ADMIN_PASSWORD_FILE=$secrets/admin-password
ENV
echo "$folder/$name.env"
