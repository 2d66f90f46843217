/** What belongs to the trail; partitions are found in the catalogue. */
const TABLES = ['audit_event', 'audit_seal', 'audit_unsealed'];
const FUNCTIONS = [
  ...['months_add(regclass, name)', 'months_drop(regclass, name, interval)', 'audit_event_await_seal()'],
  ...['audit_event_add_partitions()', 'audit_prune(interval)', 'audit_keep_at_least()'],
];
/** What nodes call, and only the owner may do. */
const OF_THE_OWNER = ['audit_event_add_partitions()', 'audit_prune(interval)'];
export const TRAIL_SCHEMA = 'svc_audit_trail';
/** Locks the tables in the order in which those who write and seal take their locks. */
const LOCK = 'lock table audit_event, audit_unsealed, audit_seal in access exclusive mode';

/**
 * SQL that parts who owns the trail from who writes it, to be run by a superuser, and again after a migration. The trail
 * gets a schema of its own: whoever owns a schema may drop what is in it, and whoever may create functions in one could
 * slip them under those that run with the rights of the owner.
 */
export function auditRoleStatements({ owner, service }: { owner: string; service: string }): string {
  const [to, from] = [quoted(owner), quoted(service)];
  const searchPath = `do $$ begin
  execute format('alter role ${from} in database %I set search_path = public, ${TRAIL_SCHEMA}', current_database());
end $$;
-- Sessions that are open know nothing of it; nodes open others.
select pg_terminate_backend(pid) from pg_stat_activity
where usename = '${service}' and datname = current_database()
  and not exists (select from pg_namespace where nspname = '${TRAIL_SCHEMA}');
`;
  const move = inTransaction([
    `set local search_path = ${TRAIL_SCHEMA}, public`,
    LOCK,
    `do $$ begin
  if not exists (select from pg_roles where rolname = '${owner}') then create role ${to} nologin; end if;
end $$`,
    `create schema if not exists ${TRAIL_SCHEMA}`,
    `alter schema ${TRAIL_SCHEMA} owner to ${to}`,
    `revoke all on schema ${TRAIL_SCHEMA} from public, ${from}`,
    `grant usage on schema ${TRAIL_SCHEMA} to ${from}`,
    forEachTable(
      `alter table %s owner to ${to}`,
      `revoke all on %s from public, ${from}`,
      `alter table %s set schema ${TRAIL_SCHEMA}`,
    ),
    `grant select, insert on audit_event, audit_seal to ${from}`,
    `grant select, insert, delete on audit_unsealed to ${from}`,
    ...FUNCTIONS.flatMap((signature) => [
      `alter function ${signature} owner to ${to}`,
      `alter function ${signature} set schema ${TRAIL_SCHEMA}`,
    ]),
    `alter function audit_event_await_seal() set search_path = ${TRAIL_SCHEMA}, pg_temp`,
    ...OF_THE_OWNER.flatMap((signature) => [
      `alter function ${signature} security definer set search_path = ${TRAIL_SCHEMA}, pg_temp`,
      `revoke all on function ${signature} from public`,
      `grant execute on function ${signature} to ${from}`,
    ]),
  ]);
  return `${searchPath}${move}`;
}

/** SQL that gives the trail back to the service, as migrations expect it. */
export function undoAuditRoleStatements({ service }: { service: string }): string {
  const from = quoted(service);
  return inTransaction([
    `set local search_path = ${TRAIL_SCHEMA}, public`,
    LOCK,
    forEachTable(`alter table %s owner to ${from}`, 'alter table %s set schema public'),
    ...FUNCTIONS.flatMap((signature) => [
      `alter function ${signature} owner to ${from}`,
      `alter function ${signature} security invoker reset search_path`,
      `grant execute on function ${signature} to public`,
      `alter function ${signature} set schema public`,
    ]),
  ]);
}

function inTransaction(statements: readonly string[]): string {
  return ['begin', ...statements, 'commit'].map((statement) => `${statement};`).join('\n');
}

/** @param statements with `%s` where the table stands */
function forEachTable(...statements: readonly string[]): string {
  const roots = `'{${TABLES.join()}}'::regclass[]`;
  return `do $$ declare part regclass; begin
  for part in
    select relid from unnest(${roots}) as root, pg_partition_tree(root) union select unnest(${roots})
  loop
${statements.map((statement) => `    execute format('${statement}', part);`).join('\n')}
  end loop;
end $$`;
}

function quoted(role: string): string {
  return `"${role}"`;
}
