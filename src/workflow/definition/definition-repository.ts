import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonValue } from '#json/index.ts';

/** One version of a process as it is stored. */
export interface DefinitionRow {
  readonly id: string;
  readonly key: string;
  readonly version: number;
  readonly name: string | null;
  readonly category: string | null;
  readonly description: string | null;
  readonly deployment_id: number;
  readonly resource_name: string;
  readonly diagram_resource_name: string | null;
  readonly suspended: boolean;
  readonly revision: number;
  readonly tenant_id: string;
  readonly findings: JsonValue[];
  /** Nobody starts it and none of its instances runs; null when they do. */
  readonly stopped_at: Date | null;
  readonly stopped_by: string | null;
}

export interface StoredDefinition extends DefinitionRow {
  /** The process file. */
  readonly bytes: Buffer;
}

const COLUMNS = sql.raw(
  'd.id, d.key, d.version, d.name, d.category, d.description, d.deployment_id, d.resource_name, ' +
    'd.diagram_resource_name, d.suspended, d.revision, d.tenant_id, d.findings, d.stopped_at, d.stopped_by',
);

export async function findDefinition(db: Db, id: string): Promise<DefinitionRow | undefined> {
  const { rows } =
    await sql<DefinitionRow>`select ${COLUMNS} from workflow_definition d where d.id = ${id}`.execute(db);
  return rows[0];
}

/** Loads a definition with its process file. */
export async function loadDefinition(db: Db, id: string): Promise<StoredDefinition | undefined> {
  const { rows } = await sql<StoredDefinition>`
    select ${COLUMNS}, r.bytes from workflow_definition d
    join workflow_resource r on r.deployment_id = d.deployment_id and r.name = d.resource_name
    where d.id = ${id}`.execute(db);
  return rows[0];
}

export async function findLatest(db: Db, key: string): Promise<DefinitionRow | undefined> {
  const { rows } = await sql<DefinitionRow>`
    select ${COLUMNS} from workflow_definition d where d.key = ${key} order by d.version desc limit 1`.execute(
    db,
  );
  return rows[0];
}

/** The version of that key in a certain deployment. */
export async function findInDeployment(
  db: Db,
  key: string,
  deploymentId: number,
): Promise<DefinitionRow | undefined> {
  const { rows } = await sql<DefinitionRow>`
    select ${COLUMNS} from workflow_definition d
    where d.key = ${key} and d.deployment_id = ${deploymentId} order by d.version desc limit 1`.execute(db);
  return rows[0];
}

export async function findResource(db: Db, deploymentId: number, name: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: Buffer }>`
    select bytes from workflow_resource where deployment_id = ${deploymentId} and name = ${name}`.execute(db);
  return rows[0]?.bytes;
}

/** Keys that may be meant by one that there is not. */
export async function listKeys(db: Db): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select distinct key from workflow_definition limit 1000`.execute(db);
  return rows.map(({ key }) => key);
}
