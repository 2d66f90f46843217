import { LRUCache } from 'lru-cache';
import type { Db } from '#database/index.ts';
import { didYouMean, NotFoundError } from '#errors/index.ts';
import { compile, type ProcessDefinition } from '../engine/index.ts';
import { type DefinitionRow, loadDefinition } from './definition-repository.ts';

/** A definition with what the engine walks. */
export interface CompiledDefinition {
  readonly row: DefinitionRow;
  readonly process: ProcessDefinition;
  /** The text of the process file. */
  readonly xml: string;
}

const MOST_KEPT = 500;

/**
 * Definitions, compiled once for each thread: what an id means never changes. Only `suspended` may be out of
 * date here.
 */
export class Definitions {
  readonly #compiled = new LRUCache<string, Promise<CompiledDefinition>>({ max: MOST_KEPT });

  /** @throws NotFoundError */
  async get(db: Db, id: string): Promise<CompiledDefinition> {
    const known = this.#compiled.get(id);
    if (known !== undefined) return known;
    const loading = load(db, id);
    this.#compiled.set(id, loading);
    loading.catch(() => this.#compiled.delete(id));
    return loading;
  }
}

async function load(db: Db, id: string): Promise<CompiledDefinition> {
  const stored = await loadDefinition(db, id);
  if (stored === undefined) throw unknownDefinition(id);
  const { bytes, ...row } = stored;
  const xml = bytes.toString('utf8');
  const [process] = await compile(xml, { key: row.key, isDeployed: true });
  return { row, process, xml };
}

/** @param keys those of which one may be meant */
export function unknownDefinition(id: string, keys: readonly string[] = []): NotFoundError {
  const hint = didYouMean(id, keys);
  return new NotFoundError(`There is no process definition '${id}'`, {
    id: 'WORKFLOW_NO_DEFINITION',
    ...(hint === undefined ? {} : { hint }),
  });
}
