import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { type ModuleText, moduleText } from './module-text.ts';

type Modules = Readonly<Record<string, ModuleText>>;

/**
 * The modules in a folder by their path in it. Parsing all takes half a second, so what comes of it is kept where Node keeps
 * compiled code: one file, which holds for the texts that it was made of.
 */
export function readModules(folder: URL): Modules {
  const root = fileURLToPath(folder);
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')] as const);
  const maker = readFileSync(new URL('./module-text.ts', import.meta.url), 'utf8');
  const hash = createHash('sha256')
    .update(JSON.stringify([process.version, maker, sources]))
    .digest('hex');
  const kept = read(hash);
  if (kept !== undefined) return kept;
  const modules = Object.fromEntries(sources.map(([path, source]) => [path, moduleText(source)]));
  keep(hash, modules);
  return modules;
}

/** The file, beside the code that Node has compiled; absent where nothing is kept. */
function keptFile(): string | undefined {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? undefined : join(folder, 'groovy-library.json');
}

function read(hash: string): Modules | undefined {
  const file = keptFile();
  if (file === undefined) return undefined;
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { hash: string; modules: Modules };
    return kept.hash === hash ? kept.modules : undefined;
  } catch {
    // None yet, or half of one.
    return undefined;
  }
}

/** Writes the file as a whole or not at all, because several threads do it at once. */
function keep(hash: string, modules: Modules): void {
  const file = keptFile();
  if (file === undefined) return;
  const fresh = `${file}.${process.pid}-${threadId}`;
  try {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(fresh, JSON.stringify({ hash, modules }));
    renameSync(fresh, file);
  } catch {
    // Where nothing can be written, each thread parses them.
  }
}
