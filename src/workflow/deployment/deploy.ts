import { createHash } from 'node:crypto';
import { cronMistake } from '#cron/index.ts';
import type { Db, UnitOfWork } from '#database/index.ts';
import { BadRequestError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Scripts } from '#script/index.ts';
import { findLatest } from '../definition/definition-repository.ts';
import { noDelegates } from '../delegate/project-delegates.ts';
import { compile, type Finding, type ProcessDefinition, ProcessFileError } from '../engine/index.ts';
import { lintForms } from '../form/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { armStarts } from './arm-starts.ts';
import { checkCalls } from './check-calls.ts';
import { type CheckedScripts, checkScripts } from './check-scripts.ts';
import { compareProcesses } from './compare-processes.ts';
import {
  findLatestDeployment,
  insertDefinition,
  insertDeployment,
  listDefinitionsOf,
  lockDeployments,
  setSuspended,
  wasDeployed,
} from './deployment-repository.ts';

export interface DeploymentFile {
  /** The name of the file, by which a later one replaces it. */
  readonly name: string;
  readonly resources: ReadonlyMap<string, Buffer>;
  /** Where it was found. */
  readonly origin: string | null;
  /**
   * False at the first look of a node: then a file that another machine has deployed meanwhile in a newer form does
   * not come back.
   */
  readonly isNews: boolean;
  /**
   * The definition that the file was made from, which has to be the latest of its process; null for a process of which there
   * is none. Absent: whatever there is.
   */
  readonly replaces?: string | null;
  /** Asked before it brings what was not in force. @throws ForbiddenError */
  readonly admit?: () => Promise<void>;
}

export interface Deployed {
  readonly deploymentId: number;
  readonly definitions: readonly {
    readonly id: string;
    readonly version: number;
    readonly findings: readonly Finding[];
    /** The version that it would replace, and how they differ; only in a rehearsal. Null for a new process. */
    readonly replaces?: JsonObject | null;
  }[];
}

/**
 * Deploys a file: each of its processes gets a new version. A file that is as it was when it was last deployed is
 * left alone.
 *
 * @returns undefined when nothing has changed
 * @throws BadRequestError with everything that keeps a process from running
 */
export async function deploy(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  file: DeploymentFile,
  { compares = false }: { readonly compares?: boolean } = {},
): Promise<Deployed | undefined> {
  const hash = hashOf(file.resources);
  const db = await unitOfWork.db();
  await lockDeployments(db);
  const latest = await findLatestDeployment(db, file.name);
  if (latest?.content_hash === hash) {
    await resume(platform, unitOfWork, latest.id, file.admit);
    return undefined;
  }
  const isOthers = latest !== undefined && latest.origin !== file.origin;
  if (!file.isNews && isOthers && (await wasDeployed(db, file.name, hash))) return undefined;
  await file.admit?.();
  const processes = await compileAll(platform, file);
  if (file.replaces !== undefined) await requireLatest(db, processes, file.replaces);
  const deploymentId = await insertDeployment(db, { ...file, hash });
  const definitions: Deployed['definitions'][number][] = [];
  const together = new Set(processes.map(({ process }) => process.key));
  for (const { process, resourceName, xml, mistakes, doubts } of processes) {
    const findings = [
      ...process.warnings,
      ...mistakes,
      ...doubts,
      ...lintForms(process, file.resources),
      ...(await checkCalls(db, process, together)),
    ];
    const replaces = compares ? { replaces: await whatItReplaces(platform, db, process) } : {};
    const { id, version } = await insertDefinition(db, {
      key: process.key,
      name: process.name ?? null,
      category: process.category ?? null,
      description: process.documentation ?? null,
      deploymentId,
      resourceName,
      diagramName: diagramName(process.key, resourceName, xml, file.resources),
      findings,
    });
    definitions.push({ id, version, findings, ...replaces });
  }
  for (const { process } of processes) await armStarts(platform, unitOfWork, process.key);
  return { deploymentId, definitions };
}

/** Whoever comes later with a file that was made from the same version learns of the other one. */
async function requireLatest(
  db: Db,
  processes: readonly FoundProcess[],
  replaces: string | null,
): Promise<void> {
  const latest = await Promise.all(processes.map(({ process }) => findLatest(db, process.key)));
  const others = latest.flatMap((found) => found ?? []);
  if (replaces === null ? others.length === 0 : others.some(({ id }) => id === replaces)) return;
  const [other] = others;
  throw new PreconditionFailedError(
    other === undefined
      ? `There is no version of the process that the file was made from, '${replaces}'`
      : `Version ${other.version} of the process '${other.key}' is the latest, and the file was not made from it`,
    {
      id: 'WORKFLOW_NOT_LATEST',
      field: '/replaces',
      detail: { latest: other?.id ?? null },
      hint: 'Look at what has changed there; then say that this one is replaced, or leave `replaces` out',
    },
  );
}

async function whatItReplaces(
  { definitions }: WorkflowPlatform,
  db: Db,
  process: ProcessDefinition,
): Promise<JsonObject | null> {
  const latest = await findLatest(db, process.key);
  if (latest === undefined) return null;
  const before = await definitions.get(db, latest.id);
  return { _id: latest.id, version: latest.version, ...compareProcesses(before.process, process) };
}

/** A file that came back as it was before its removal. */
async function resume(
  platform: WorkflowPlatform,
  unitOfWork: UnitOfWork,
  deploymentId: number,
  admit: DeploymentFile['admit'],
): Promise<void> {
  const db = await unitOfWork.db();
  if (!(await setSuspended(db, deploymentId, false))) return;
  await admit?.();
  for (const { key } of await listDefinitionsOf(db, deploymentId)) await armStarts(platform, unitOfWork, key);
}

export function hashOf(resources: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256');
  for (const name of [...resources.keys()].sort()) {
    const bytes = resources.get(name)!;
    hash.update(`${name}\n${bytes.byteLength}\n`).update(bytes);
  }
  return hash.digest('hex');
}

const PROCESS_FILE = /\.(?:bpmn|bpmn20\.xml)$/i;

interface FoundProcess extends CheckedScripts {
  readonly process: ProcessDefinition;
  readonly resourceName: string;
  readonly xml: string;
}

/** @throws BadRequestError with everything that keeps a process from running */
export async function compileAll(
  {
    scripts,
    delegates,
    settings,
  }: Pick<WorkflowPlatform, 'delegates' | 'settings'> & {
    readonly scripts: Pick<Scripts, 'compile'>;
  },
  file: Pick<DeploymentFile, 'name' | 'resources'>,
): Promise<FoundProcess[]> {
  await delegates.refresh();
  const options = {
    checkCron: cronMistake,
    hasDelegate: (name: string) => delegates === noDelegates || delegates.find(name) !== undefined,
  };
  const found: FoundProcess[] = [];
  for (const [resourceName, bytes] of file.resources) {
    if (!PROCESS_FILE.test(resourceName) && !(file.resources.size === 1 && resourceName.endsWith('.xml')))
      continue;
    const xml = bytes.toString('utf8');
    for (const process of await compile(xml, options)) {
      const twin = found.find((other) => other.process.key === process.key);
      if (twin !== undefined) throw twice(process.key, twin.resourceName, resourceName);
      found.push({ process, resourceName, xml, ...(await checkScripts(scripts, process)) });
    }
  }
  const mistakes = found.flatMap((each) => each.mistakes);
  if (mistakes.length > 0 && settings().scripts.strict) throw new ProcessFileError(mistakes);
  if (found.length > 0) return found;
  throw new BadRequestError(`'${file.name}' holds no process file`, {
    id: 'WORKFLOW_NO_PROCESS',
    hint: 'Process files end with .bpmn20.xml or .bpmn',
  });
}

const IMAGES = ['png', 'svg', 'jpg', 'gif'];

/** An image that came along, or the name under which the drawn one is known; null without notation. */
function diagramName(
  key: string,
  resourceName: string,
  xml: string,
  resources: ReadonlyMap<string, Buffer>,
): string | null {
  const base = resourceName.replace(PROCESS_FILE, '').replace(/\.xml$/i, '');
  const names = [`${base}.${key}`, base].flatMap((stem) => IMAGES.map((extension) => `${stem}.${extension}`));
  const given = names.find((name) => resources.has(name));
  if (given !== undefined) return given;
  return /BPMNShape\b/.test(xml) ? `${base}.${key}.png` : null;
}

function twice(key: string, first: string, second: string): BadRequestError {
  return new BadRequestError(`The process '${key}' is in '${first}' and in '${second}'`, {
    id: 'WORKFLOW_PROCESS_TWICE',
  });
}
