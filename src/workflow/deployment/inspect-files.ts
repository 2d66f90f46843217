import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ResourceError } from '#errors/index.ts';
import { type Position, TextLines } from '#json/index.ts';
import type { Finding } from '../engine/index.ts';
import { ProcessFileError } from '../engine/index.ts';
import { lintForms } from '../form/index.ts';
import { compileAll } from './deploy.ts';
import { isDeployable, passedOver, readResources } from './deployment-file.ts';

/** What a deployment of a file would refuse and warn of. */
export interface InspectedFile {
  readonly name: string;
  readonly refusals: readonly FoundInFile[];
  readonly warnings: readonly FoundInFile[];
}

export interface FoundInFile extends Finding {
  /** The line from 1, where the text that is meant could be found. */
  readonly line?: number;
  readonly column?: number;
}

/** Compiles the process files of a directory without deploying any. No such directory holds no files. */
export async function inspectProcessFiles(
  directory: string,
  platform: Parameters<typeof compileAll>[0],
): Promise<readonly InspectedFile[]> {
  const names = await readdir(directory).catch(() => []);
  const inspected: InspectedFile[] = [];
  for (const name of names.filter(isDeployable).sort()) {
    const file = await inspectFile(name, await readFile(join(directory, name)), platform);
    if (file !== undefined) inspected.push(file);
  }
  return inspected;
}

async function inspectFile(
  name: string,
  bytes: Buffer,
  platform: Parameters<typeof compileAll>[0],
): Promise<InspectedFile | undefined> {
  const text = name.toLowerCase().endsWith('.bar') ? '' : bytes.toString('utf8');
  const placeOf = elementPlaces(text);
  const placed = (finding: Finding) => ({ ...finding, ...placeOf(finding.element) });
  try {
    const resources = await readResources(name, bytes);
    if (resources === undefined) {
      const finding = passedOver(name, bytes);
      return finding && { name, refusals: [], warnings: [finding] };
    }
    const processes = await compileAll(platform, { name, resources });
    const warnings = processes.flatMap(({ process, mistakes, doubts }) => [
      ...process.warnings,
      ...mistakes,
      ...doubts,
      ...lintForms(process, resources),
    ]);
    return { name, refusals: [], warnings: warnings.map(placed) };
  } catch (error) {
    if (!(error instanceof ResourceError)) throw error;
    const { id = 'WORKFLOW_REFUSED', line, column } = (error.detail ?? {}) as Partial<FoundInFile>;
    const findings = error instanceof ProcessFileError ? error.findings : [];
    if (findings.length > 0) return { name, refusals: findings.map(placed), warnings: [] };
    const place = line === undefined || column === undefined ? {} : { line, column };
    return { name, refusals: [{ id, element: '', message: error.message, ...place }], warnings: [] };
  }
}

/** Where the element of an id begins. The text is read through once, however many are asked for. */
function elementPlaces(text: string): (element: string) => Position | undefined {
  const lines = new TextLines(text);
  let starts: Map<string, number> | undefined;
  return (element) => {
    starts ??= elementStarts(text);
    const start = starts.get(element);
    return start === undefined ? undefined : lines.positionAt(start);
  };
}

function elementStarts(text: string): Map<string, number> {
  const starts = new Map<string, number>();
  let start = 0;
  for (const { 1: id, index } of text.matchAll(/<|\sid\s*=\s*["']([^"']*)["']/g)) {
    if (id === undefined) start = index;
    else if (!starts.has(id)) starts.set(id, start);
  }
  return starts;
}
