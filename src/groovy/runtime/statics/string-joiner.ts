import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { JavaObject } from '../values.ts';

const STRING_JOINER_CLASS = classNamed('java.util.StringJoiner');

class StringJoiner extends JavaObject {
  readonly type: JavaClass = STRING_JOINER_CLASS;
  readonly parts: string[] = [];
  readonly #frame: readonly string[];

  constructor(frame: readonly string[]) {
    super();
    this.#frame = frame;
  }

  override toText(): string {
    const [separator = '', prefix = '', suffix = ''] = this.#frame;
    return prefix + this.parts.join(separator) + suffix;
  }
}

defineStatics('java.util.StringJoiner', {
  'new/1-3': (...frame: unknown[]) => new StringJoiner(frame.map(toText)),
});

defineMethods('java.util.StringJoiner', 'java.lang.Object', {
  'add/1': (self: StringJoiner, part: unknown) => {
    self.parts.push(toText(part));
    return self;
  },
  'length/0': (self: StringJoiner) => self.toText().length,
});
