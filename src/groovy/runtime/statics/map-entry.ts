import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { keyText } from '../hash-key.ts';
import { toText } from '../text.ts';
import { JavaObject } from '../values.ts';

/** A pair that stands in no map. */
class MapEntry extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.util.MapEntry');
  pairKey: unknown;
  value: unknown;

  constructor(key: unknown, value: unknown) {
    super();
    this.pairKey = key;
    this.value = value;
  }

  override key(): unknown {
    return `${keyText(this.pairKey)}=${keyText(this.value)}`;
  }

  override toText(): string {
    return `${toText(this.pairKey)}:${toText(this.value)}`;
  }
}

defineStatics('groovy.util.MapEntry', {
  'new/2': (key: unknown, value: unknown) => new MapEntry(key, value),
});
defineMethods('groovy.util.MapEntry', 'java.lang.Object', {
  'getKey/0': (self: MapEntry) => self.pairKey,
  'getValue/0': (self: MapEntry) => self.value,
  'setKey/1': (self: MapEntry, key: unknown) => {
    self.pairKey = key;
    return key;
  },
  'setValue/1': (self: MapEntry, value: unknown) => {
    self.value = value;
    return value;
  },
  'toString/0': (self: MapEntry) => self.toText(),
});
