import { cronMistake } from '#cron/index.ts';
import type { Db } from '#database/index.ts';
import { wordsOf } from '#errors/index.ts';
import { hashOf } from '../deployment/deploy.ts';
import { lockDeployments } from '../deployment/deployment-repository.ts';
import { compile, type ProcessDefinition } from '../engine/index.ts';
import { insertForeignDefinition, insertForeignDeployment, listVersions } from './adoption-repository.ts';

/** Process files that were deployed together at another engine. */
export interface ForeignDeployment {
  readonly name: string;
  readonly deployedAt: number;
  readonly resources: ReadonlyMap<string, Buffer>;
  readonly definitions: readonly ForeignDefinition[];
}

export interface ForeignDefinition {
  readonly id: string;
  readonly key: string;
  readonly version: number;
  readonly resourceName: string;
  readonly tenantId: string;
  /** Nobody may start it there, and what runs of it stands still. */
  readonly isSuspended: boolean;
}

/** What a version of another engine is here. */
export type AdoptedDefinition =
  | {
      readonly id: string;
      readonly process: ProcessDefinition;
      /** Null in a plan, where it is not stored. */
      readonly deploymentId: number | null;
      readonly tenantId: string;
      readonly isNew: boolean;
    }
  | { readonly reason: string };

/**
 * Finds versions with the same file here, or stores them with their ids and numbers, so that their instances go on with
 * what they began with. Nobody starts them until the import is finished.
 *
 * @param isApplied false: finds out what would come of it
 * @returns by their ids at the other engine
 */
export async function adoptDefinitions(
  db: Db,
  place: string,
  { name, deployedAt, resources, definitions }: ForeignDeployment,
  isApplied: boolean,
): Promise<ReadonlyMap<string, AdoptedDefinition>> {
  if (isApplied) await lockDeployments(db);
  const adopted = new Map<string, AdoptedDefinition>();
  let deploymentId: number | null = null;
  for (const definition of definitions) {
    const { id, key, version, resourceName, tenantId, isSuspended } = definition;
    const bytes = resources.get(resourceName);
    const read = await readProcess(bytes, key);
    if ('reason' in read) {
      adopted.set(id, read);
      continue;
    }
    const versions = await listVersions(db, key);
    const same = versions.find((one) => bytes !== undefined && one.bytes.equals(bytes));
    if (same !== undefined) {
      adopted.set(id, { ...read, id: same.id, deploymentId: same.deploymentId, tenantId, isNew: false });
      continue;
    }
    if (versions.some((one) => one.version === version || one.id === id)) {
      const reason = `Version ${version} of '${key}' is here with another file: bring processes before a node deploys its own`;
      adopted.set(id, { reason });
      continue;
    }
    if (isApplied) {
      deploymentId ??= await insertForeignDeployment(db, {
        name,
        hash: hashOf(resources),
        place,
        deployedAt,
        resources,
      });
      await insertForeignDefinition(db, {
        id,
        key,
        version,
        name: read.process.name ?? null,
        category: read.process.category ?? null,
        description: read.process.documentation ?? null,
        deployment_id: deploymentId,
        resource_name: resourceName,
        tenant_id: tenantId,
        stopped_by: isSuspended ? 'svc import' : null,
      });
    }
    adopted.set(id, { ...read, id, deploymentId, tenantId, isNew: true });
  }
  return adopted;
}

async function readProcess(
  bytes: Buffer | undefined,
  key: string,
): Promise<{ readonly process: ProcessDefinition } | { readonly reason: string }> {
  if (bytes === undefined) return { reason: 'Its process file is not there' };
  try {
    const [process] = await compile(bytes.toString('utf8'), { key, checkCron: cronMistake });
    return { process };
  } catch (error) {
    return { reason: wordsOf(error) };
  }
}
