import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Has stacks name the sources of what runs from a bundle. Its maps are read when a stack is looked at, and not kept for
 * long: Node's own way takes 16 MB and 50 ms for each thread that never has an error.
 */
export function showSources(bundle: string): void {
  const maps = new Map<string, WeakRef<SourceMap>>();
  const folder = bundle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const place = new RegExp(`${folder}([^/]+\\.js):(\\d+):(\\d+)`, 'g');
  Error.prepareStackTrace = (error, sites) =>
    [wordsOf(error), ...sites].join('\n    at ').replace(place, (found, file: string, line, column) => {
      const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !('fileName' in origin)) return found;
      return `${new URL(origin.fileName, bundle).href}:${origin.lineNumber}:${origin.columnNumber}`;
    });

  function mapOf(file: string): SourceMap | undefined {
    const kept = maps.get(file)?.deref();
    if (kept !== undefined) return kept;
    try {
      const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${bundle}${file}.map`), 'utf8')));
      maps.set(file, new WeakRef(map));
      return map;
    } catch {
      // A bundle that is gone: the stack stays as it is.
      return undefined;
    }
  }
}

function wordsOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}
