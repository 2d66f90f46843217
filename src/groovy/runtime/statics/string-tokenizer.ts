import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/object-methods.ts';
import { toText } from '../text.ts';
import { noSuchElement } from '../throwable.ts';
import { JavaObject } from '../values.ts';

/** The words of a text between any of some characters. */
class StringTokenizer extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.StringTokenizer');
  readonly words: readonly string[];
  at = 0;

  constructor(text: string, separators: string, keepsSeparators: boolean) {
    super();
    const words: string[] = [];
    let word = '';
    const end = () => {
      if (word !== '') words.push(word);
      word = '';
    };
    for (const char of text) {
      if (!separators.includes(char)) word += char;
      else {
        end();
        if (keepsSeparators) words.push(char);
      }
    }
    end();
    this.words = words;
  }
}

function next(self: StringTokenizer): string {
  const word = self.words[self.at++];
  if (word === undefined) throw noSuchElement();
  return word;
}

const hasMore = (self: StringTokenizer) => self.at < self.words.length;

defineStatics('java.util.StringTokenizer', {
  'new/1-3': (text: unknown, separators: unknown = ' \t\n\r\f', keepsSeparators: unknown = false) =>
    new StringTokenizer(toText(text), toText(separators), keepsSeparators === true),
});
defineMethods('java.util.StringTokenizer', 'java.lang.Object', {
  'hasMoreTokens/0': hasMore,
  'hasMoreElements/0': hasMore,
  'nextToken/0': next,
  'nextElement/0': next,
  'countTokens/0': (self: StringTokenizer) => self.words.length - self.at,
  'toList/0': (self: StringTokenizer) => {
    const rest = self.words.slice(self.at);
    self.at = self.words.length;
    return rest;
  },
});
