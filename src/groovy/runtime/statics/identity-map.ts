import { JavaMap } from '../java-map.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/map-methods.ts';
import { Entry } from '../values.ts';

/** Keys are found by what they are, not by what they equal. Texts and small numbers have no identity of their own. */
class IdentityMap extends JavaMap {
  constructor() {
    super('IdentityHashMap');
  }

  override find(key: unknown): Entry | undefined {
    return this.pairs.get(key);
  }

  override has(key: unknown): boolean {
    return this.pairs.has(key);
  }

  override get(key: unknown): unknown {
    return this.pairs.get(key)?.value ?? null;
  }

  override put(key: unknown, value: unknown): unknown {
    const entry = this.pairs.get(key);
    if (entry === undefined) {
      this.pairs.set(key, new Entry(key, value));
      this.changes++;
      return null;
    }
    const before = entry.value;
    entry.value = value;
    return before;
  }

  override remove(key: unknown): unknown {
    const entry = this.pairs.get(key);
    if (entry === undefined) return null;
    this.pairs.delete(key);
    this.changes++;
    return entry.value;
  }

  override emptyCopy(): JavaMap {
    return new IdentityMap();
  }
}

defineMethods('java.util.IdentityHashMap', 'java.util.Map', {});
defineStatics('java.util.IdentityHashMap', {
  'new/0-1': (source?: unknown) => {
    const map = new IdentityMap();
    if (source instanceof JavaMap) for (const { key, value } of source.list()) map.put(key, value);
    return map;
  },
});
