import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import type { DefinitionRow } from '../definition/definition-repository.ts';

/** Begins the origin of a deployment that has come from another engine. */
const ORIGIN = 'import ';

export interface StoredVersion {
  readonly id: string;
  readonly version: number;
  readonly deploymentId: number;
  readonly bytes: Buffer;
}

/** All versions of a process that are here, with their files. */
export async function listVersions(db: Db, key: string): Promise<readonly StoredVersion[]> {
  const { rows } = await sql<StoredVersion>`
    select d.id, d.version, d.deployment_id as "deploymentId", r.bytes
    from workflow_definition d join workflow_resource r on r.deployment_id = d.deployment_id and r.name = d.resource_name
    where d.key = ${key} order by d.version`.execute(db);
  return rows;
}

export async function insertForeignDeployment(
  db: Db,
  deployment: {
    readonly name: string;
    readonly hash: string;
    readonly place: string;
    readonly deployedAt: number;
    readonly resources: ReadonlyMap<string, Buffer>;
  },
): Promise<number> {
  const { name, hash, place, deployedAt, resources } = deployment;
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into workflow_deployment (name, content_hash, origin, deployed_at)
      values (${name}, ${hash}, ${ORIGIN + place}, to_timestamp(${deployedAt / 1000}::float8)) returning id),
    held as (
      insert into workflow_resource (deployment_id, name, bytes)
      select made.id, r.name, r.bytes
      from made, unnest(${[...resources.keys()]}::text[], ${[...resources.values()]}::bytea[]) as r(name, bytes))
    select id from made`.execute(db);
  return oneRow(rows).id;
}

/** Nobody starts it, until the import is finished or a node finds its file. */
export async function insertForeignDefinition(
  db: Db,
  row: Pick<
    DefinitionRow,
    | 'id'
    | 'key'
    | 'version'
    | 'name'
    | 'category'
    | 'description'
    | 'deployment_id'
    | 'resource_name'
    | 'tenant_id'
    | 'stopped_by'
  >,
): Promise<void> {
  const {
    id,
    key,
    version,
    name,
    category,
    description,
    deployment_id,
    resource_name,
    tenant_id,
    stopped_by,
  } = row;
  await sql`
    insert into workflow_definition (id, key, version, name, category, description, deployment_id, resource_name, tenant_id, suspended, stopped_at, stopped_by)
    values (${id}, ${key}, ${version}, ${name}, ${category}, ${description}, ${deployment_id}, ${resource_name}, ${tenant_id}, true,
            ${stopped_by === null ? null : sql`now()`}, ${stopped_by})`.execute(db);
}

/** Deployments that have come whose processes nobody may start yet. */
export async function listHeldDeployments(db: Db): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select p.id from workflow_deployment p
    where p.origin ^@ ${ORIGIN} and exists (select from workflow_definition d where d.deployment_id = p.id and d.suspended)
    order by p.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes the deployments that have come and of which no instance runs. @returns how many */
export async function deleteUnusedDeployments(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from workflow_deployment p
    where p.origin ^@ ${ORIGIN} and exists (select from workflow_definition d where d.deployment_id = p.id and d.suspended)
      and not exists (select from workflow_state s join workflow_definition d on d.id = s.definition_id
                      where d.deployment_id = p.id)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** The revision of a tree, which its root counts; undefined when it does not run. */
export async function findTreeRevision(db: Db, rootId: string): Promise<number | undefined> {
  const { rows } = await sql<{ revision: number }>`
    select revision from workflow_state where instance_id = ${rootId} and root_id = ${rootId}`.execute(db);
  return rows[0]?.revision;
}

/** Deletes a tree with all that belongs to it, if it is at that revision still. */
export async function deleteTree(db: Db, rootId: string, revision: number): Promise<boolean> {
  const { rows } = await sql`
    with root as (
      select root_id from workflow_state where instance_id = ${rootId} and revision = ${revision} for update)
    delete from workflow_instance i using root where i.root_id = root.root_id returning i.id`.execute(db);
  return rows.length > 0;
}

/** A job that was given up at the other engine is given up here. */
export async function markDead(
  db: Db,
  { instanceId, element, exception }: { instanceId: string; element: string; exception: string | null },
): Promise<void> {
  await sql`
    update workflow_job set is_dead = true, retries = 0, exception = ${exception}
    where instance_id = ${instanceId} and element = ${element}`.execute(db);
}
