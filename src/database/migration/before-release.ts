import { sql } from 'kysely';
import { ActivationError } from '#errors/index.ts';
import type { Db } from '../pool/database.ts';

/** A row of `schema_version`. */
export interface AppliedMigration {
  readonly name: string;
  readonly breaking: string | null;
}

/** Migrations up to the first release. All of them together made what those of the first release make. */
export const BEFORE_RELEASE: readonly string[] = [
  '0001_foundation',
  '0002_relationship',
  '0003_scheduler',
  '0004_configuration',
  '0005_index',
  '0006_queue',
  '0007_scan',
  '0008_workflow',
  '0009_workflow_order',
  '0010_security',
  '0011_condition',
  '0012_audit',
  '0013_months',
  '0014_run_index',
  '0015_node_configuration',
  '0016_task_order',
  '0017_candidates',
  '0018_concurrency_key',
  '0019_scan_transaction',
  '0020_lock_wait',
  '0021_ending',
  '0022_node_keys',
  '0023_transaction_parts',
  '0024_crypto_key',
  '0025_alone',
  '0026_removed',
  '0030_variable_owner',
  '0033_session_list',
  '0034_login_name',
  '0036_login_reserve',
  '0040_audit_seal',
  '0050_trigger_state',
  '0051_login_account',
  '0052_open_instances',
  '0053_sealed_overrides',
  '0054_called_instances',
  '0059_audit_limits',
  '0066_owner',
  '0068_starter_room',
  '0073_work',
  '0080_group_guards',
];

/** What the first release makes of an empty database. */
export const FIRST_RELEASE: readonly string[] = [
  '0001_database',
  '0002_cluster',
  '0003_configuration',
  '0004_crypto',
  '0005_queue',
  '0006_objects',
  '0007_authentication',
  '0008_audit',
  '0009_scheduler',
  '0010_taskscanner',
  '0011_workflow',
];

/**
 * The migrations of the first release that are to be noted as applied, because those before it have made the same.
 *
 * @throws ActivationError `DB_SCHEMA_BEFORE_RELEASE` when only some of those before it are there
 */
export function findUnnoted(applied: readonly AppliedMigration[]): readonly string[] {
  const names = new Set(applied.map(({ name }) => name));
  const lacking = BEFORE_RELEASE.filter((name) => !names.has(name));
  if (lacking.length === BEFORE_RELEASE.length) return [];
  if (lacking.length > 0) throw beforeRelease(lacking);
  return FIRST_RELEASE.filter((name) => !names.has(name));
}

/** This version lives with whatever broke the nodes of versions before the first release. */
export function forgiveBreaking(migration: AppliedMigration): AppliedMigration {
  return BEFORE_RELEASE.includes(migration.name) ? { ...migration, breaking: null } : migration;
}

/** Notes migrations as applied, and does nothing else. Several processes may do so at once. */
export async function noteApplied(db: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await sql`
    with noted as (
      insert into schema_version (name) select unnest(${names}::text[]) on conflict do nothing
    )
    insert into schema_migration (name, timestamp)
    select unnest(${names}::text[]), to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    on conflict do nothing`.execute(db);
}

function beforeRelease(lacking: readonly string[]): ActivationError {
  return new ActivationError([
    {
      id: 'DB_SCHEMA_BEFORE_RELEASE',
      where: '',
      message: `the database was made before the first release, and lacks the migrations ${lacking.join(', ')}`,
      hint: `start the last version before it, which knows ${BEFORE_RELEASE.at(-1)}, once with --migrate: that brings it up to date`,
    },
  ]);
}
