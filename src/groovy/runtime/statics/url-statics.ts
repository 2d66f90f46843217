import { bytesOf, hexText } from '../bytes.ts';
import { defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { illegalArgument } from '../throwable.ts';

const SAFE = /[A-Za-z0-9.*_-]/;

defineStatics('java.net.URLEncoder', {
  'encode/1-2': (text: unknown) =>
    [...toText(text)].map((char) => (SAFE.test(char) ? char : char === ' ' ? '+' : percent(char))).join(''),
});

defineStatics('java.net.URLDecoder', {
  'decode/1-2': (text: unknown) => {
    try {
      return decodeURIComponent(toText(text).replaceAll('+', ' '));
    } catch {
      throw illegalArgument('URLDecoder: Illegal hex characters in escape (%) pattern');
    }
  },
});

function percent(char: string): string {
  return hexText(bytesOf(char)).toUpperCase().replace(/../g, '%$&');
}
