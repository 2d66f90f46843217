import { meaningValue, typeValue } from './class-references.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { ownField } from './properties.ts';
import { importedStatic } from './static-imports.ts';

export function generateName(g: Generation, name: string, at: number): string {
  const local = g.scope.find(name);
  if (local !== undefined) {
    g.notes.use(local);
    return local.js;
  }
  if (name === 'it' && g.context.owner !== '$c' && g.context.declaration === undefined) {
    return `${mark(at)}$.name(${g.context.owner},${g.free(name)})`;
  }
  const own = ownField(g, name);
  if (own !== undefined) return own;
  const meaning = g.classes.find(name.replaceAll('[]', ''), g.context.className);
  if (meaning !== undefined) {
    const type = { name, dimensions: 0, at };
    return name.endsWith('[]') ? typeValue(g, type) : meaningValue(g, meaning);
  }
  if (g.classes.missing.isImported(name)) {
    g.classes.missing.report(name, at);
    return 'null';
  }
  const imported = importedStatic(g, name, false, at);
  if (imported !== undefined) return `${mark(at)}$.property(${imported.type},${imported.member})`;
  return freeName(g, name, at);
}

/** A variable of the script itself is looked at first: most names are one, and have a value. */
function freeName(g: Generation, name: string, at: number): string {
  const { owner } = g.context;
  const general = `${mark(at)}$.name(${owner},${g.free(name)})`;
  if (owner !== '$s') return general;
  g.notes.read(name, at);
  return `(${g.variableEntry(name)}?.value??${general})`;
}
