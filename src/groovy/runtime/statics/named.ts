import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { JavaObject } from '../values.ts';

class Named extends JavaObject {
  readonly type: JavaClass;
  readonly name: string;

  constructor(type: string, name: string) {
    super();
    this.type = classNamed(type);
    this.name = name;
  }

  override toText(): string {
    return this.name;
  }

  override key(): unknown {
    return this.name;
  }
}

const charset = (name: unknown) => new Named('java.nio.charset.Charset', toText(name));

defineStatics('java.nio.charset.Charset', {
  'forName/1': charset,
  'defaultCharset/0': () => charset('UTF-8'),
});

defineMethods('java.nio.charset.Charset', 'java.lang.Object', { 'name/0': (self: Named) => self.name });

defineStatics(
  'java.nio.charset.StandardCharsets',
  {},
  { UTF_8: charset('UTF-8'), US_ASCII: charset('US-ASCII'), ISO_8859_1: charset('ISO-8859-1') },
);

const locale = (name: string) => new Named('java.util.Locale', name);

defineStatics(
  'java.util.Locale',
  {
    'new/1-3': (...parts: unknown[]) => locale(parts.map(toText).join('_')),
    'getDefault/0': () => locale('en_US'),
    'forLanguageTag/1': (tag: unknown) => locale(toText(tag).replace('-', '_')),
  },
  {
    US: locale('en_US'),
    ENGLISH: locale('en'),
    UK: locale('en_GB'),
    ROOT: locale(''),
    GERMANY: locale('de_DE'),
    FRANCE: locale('fr_FR'),
  },
);

defineMethods('java.util.Locale', 'java.lang.Object', {
  'getLanguage/0': (self: Named) => self.name.split('_')[0],
});
