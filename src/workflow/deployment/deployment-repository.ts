import { sql } from 'kysely';
import { type Db, LOCK, lockNamed, oneRow } from '#database/index.ts';
import type { Finding } from '../engine/index.ts';

export interface Deployment {
  readonly id: number;
  readonly name: string;
  readonly content_hash: string;
  readonly origin: string | null;
}

/** One deployment at a time in the whole cluster, until the end of the transaction. */
export async function lockDeployments(db: Db): Promise<void> {
  await lockNamed(db, LOCK.deployment);
}

export async function findLatestDeployment(db: Db, name: string): Promise<Deployment | undefined> {
  const { rows } = await sql<Deployment>`
    select id, name, content_hash, origin from workflow_deployment where name = ${name} order by id desc limit 1`.execute(
    db,
  );
  return rows[0];
}

/** Whether a file of that name was ever deployed with that content. */
export async function wasDeployed(db: Db, name: string, hash: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from workflow_deployment where name = ${name} and content_hash = ${hash} limit 1`.execute(db);
  return rows.length > 0;
}

/** The last deployment of every name that was found there. */
export async function listDeploymentsFrom(db: Db, origin: string): Promise<Deployment[]> {
  const { rows } = await sql<Deployment>`
    select distinct on (name) id, name, content_hash, origin from workflow_deployment
    where origin = ${origin} order by name, id desc`.execute(db);
  return rows;
}

export async function insertDeployment(
  db: Db,
  {
    name,
    hash,
    origin,
    resources,
  }: {
    name: string;
    hash: string;
    origin: string | null;
    resources: ReadonlyMap<string, Buffer>;
  },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into workflow_deployment (name, content_hash, origin) values (${name}, ${hash}, ${origin})
    returning id`.execute(db);
  const { id } = oneRow(rows);
  await sql`insert into workflow_resource (deployment_id, name, bytes)
            select ${id}::bigint, r.name, r.bytes
            from unnest(${[...resources.keys()]}::text[], ${[...resources.values()]}::bytea[]) as r(name, bytes)`.execute(
    db,
  );
  return id;
}

export async function insertDefinition(
  db: Db,
  definition: {
    readonly key: string;
    readonly name: string | null;
    readonly category: string | null;
    readonly description: string | null;
    readonly deploymentId: number;
    readonly resourceName: string;
    readonly diagramName: string | null;
    readonly findings: readonly Finding[];
  },
): Promise<{ id: string; version: number }> {
  const { key, name, category, description, deploymentId, resourceName, diagramName, findings } = definition;
  const { rows } = await sql<{ id: string; version: number }>`
    with next as (
      select coalesce(max(version), 0) + 1 as version, nextval('workflow_number')::text as number
      from workflow_definition where key = ${key}
    )
    insert into workflow_definition
      (id, key, version, name, category, description, deployment_id, resource_name, diagram_resource_name, findings)
    select case when length(${key}::text || ':' || version || ':' || number) > 64 then number
                else ${key}::text || ':' || version || ':' || number end,
           ${key}, version, ${name}, ${category}, ${description}, ${deploymentId}, ${resourceName}, ${diagramName},
           ${JSON.stringify(findings)}::jsonb
    from next
    returning id, version`.execute(db);
  return oneRow(rows);
}

/** @throws what Postgres says when instances still run */
export async function deleteDeployment(db: Db, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from workflow_deployment where id = ${id}`.execute(db);
  return numAffectedRows === 1n;
}

export async function listDefinitionsOf(
  db: Db,
  deploymentId: number,
): Promise<{ id: string; key: string }[]> {
  const { rows } = await sql<{ id: string; key: string }>`
    select id, key from workflow_definition where deployment_id = ${deploymentId} order by id`.execute(db);
  return rows;
}

/** Whether instances of any definition of the deployment run. */
export async function isInUse(db: Db, deploymentId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from workflow_state s join workflow_definition d on d.id = s.definition_id
    where d.deployment_id = ${deploymentId} limit 1`.execute(db);
  return rows.length > 0;
}

export async function setSuspended(db: Db, deploymentId: number, isSuspended: boolean): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update workflow_definition set suspended = ${isSuspended}, revision = revision + 1
    where deployment_id = ${deploymentId} and suspended <> ${isSuspended}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** What starts instances of a key by itself: subscriptions and start timers of all its versions. */
export async function removeStarts(db: Db, key: string): Promise<void> {
  await sql`with gone as (
              delete from workflow_subscription s using workflow_definition d
              where s.definition_id = d.id and d.key = ${key}
            )
            delete from workflow_job j using workflow_definition d
            where j.definition_id = d.id and d.key = ${key} and j.kind = 'startTimer'`.execute(db);
}

export async function insertStartSubscription(
  db: Db,
  start: { definitionId: string; element: string; event: 'message' | 'signal'; name: string },
): Promise<void> {
  await sql`insert into workflow_subscription (event, name, element, definition_id)
            values (${start.event}, ${start.name}, ${start.element}, ${start.definitionId})`.execute(db);
}
