import { int } from './arguments.ts';
import { classNamed } from './java-class.ts';
import { exception, illegalArgument } from './throwable.ts';
import { Byte, markList } from './values.ts';

const BYTE = classNamed('byte');
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function byteArray(codes: readonly number[]): unknown[] {
  return markList(
    codes.map((code) => new Byte(code)),
    { name: 'array', isFixed: true, isReadOnly: false, element: BYTE },
  );
}

function codesOf(bytes: readonly unknown[]): number[] {
  return bytes.map((byte) => int(byte) & 0xff);
}

type Encoding = 'utf8' | 'latin1' | 'ascii' | 'utf16' | 'utf16be' | 'utf16le';
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  utf8: 'utf8',
  iso88591: 'latin1',
  latin1: 'latin1',
  usascii: 'ascii',
  ascii: 'ascii',
  utf16: 'utf16',
  utf16be: 'utf16be',
  utf16le: 'utf16le',
};

function encodingOf(charset: string): Encoding {
  const found = ENCODINGS[charset.toLowerCase().replace(/[-_]/g, '')];
  if (found === undefined) throw exception('java.io.UnsupportedEncodingException', charset);
  return found;
}

/** The bytes of a text, in UTF-8 unless another character set is named. */
export function bytesOf(text: string, charset = 'UTF-8'): unknown[] {
  const encoding = encodingOf(charset);
  if (encoding === 'utf8') return utf8Of(text);
  const units = text.split('').map((unit) => unit.charCodeAt(0));
  if (encoding === 'latin1' || encoding === 'ascii') {
    const most = encoding === 'ascii' ? 0x7f : 0xff;
    return byteArray(
      [...text].map((char) => (char.length > 1 || char.charCodeAt(0) > most ? 0x3f : char.charCodeAt(0))),
    );
  }
  const pairs = units.flatMap((unit) =>
    encoding === 'utf16le' ? [unit & 0xff, unit >> 8] : [unit >> 8, unit & 0xff],
  );
  return byteArray(encoding === 'utf16' && pairs.length > 0 ? [0xfe, 0xff, ...pairs] : pairs);
}

function utf8Of(text: string): unknown[] {
  const codes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) codes.push(code);
    else if (code < 0x800) codes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) codes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else
      codes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      );
  }
  return byteArray(codes);
}

export function textOfBytes(bytes: readonly unknown[], charset = 'UTF-8'): string {
  const codes = codesOf(bytes);
  const encoding = encodingOf(charset);
  if (encoding === 'latin1') return codes.map((code) => String.fromCharCode(code)).join('');
  if (encoding === 'ascii')
    return codes.map((code) => String.fromCharCode(code > 0x7f ? 0xfffd : code)).join('');
  if (encoding !== 'utf8') return textOfPairs(codes, encoding);
  let text = '';
  for (let at = 0; at < codes.length; ) {
    const first = codes[at++] ?? 0;
    const more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : -1;
    let code = more < 0 ? 0xfffd : more === 0 ? first : first & (0x3f >> more);
    for (let each = 0; each < more; each++) {
      const next = codes[at];
      if (next === undefined || (next & 0xc0) !== 0x80) {
        code = 0xfffd;
        break;
      }
      code = (code << 6) | (next & 63);
      at++;
    }
    text += String.fromCodePoint(code > 0x10ffff ? 0xfffd : code);
  }
  return text;
}

function isMark(first: number | undefined, second: number | undefined): boolean {
  return (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
}

function textOfPairs(codes: readonly number[], encoding: Encoding): string {
  const isMarked = encoding === 'utf16' && codes.length > 1 && isMark(codes[0], codes[1]);
  const isLittle = encoding === 'utf16le' || (isMarked && codes[0] === 0xff);
  let text = '';
  for (let at = isMarked ? 2 : 0; at + 1 < codes.length; at += 2) {
    const [first, second] = [codes[at] ?? 0, codes[at + 1] ?? 0];
    text += String.fromCharCode(isLittle ? first | (second << 8) : (first << 8) | second);
  }
  return text;
}

export function encodeBase64(bytes: readonly unknown[], isUrl = false, isPadded = true): string {
  const codes = codesOf(bytes);
  let text = '';
  for (let at = 0; at < codes.length; at += 3) {
    const group = ((codes[at] ?? 0) << 16) | ((codes[at + 1] ?? 0) << 8) | (codes[at + 2] ?? 0);
    const length = Math.min(codes.length - at, 3) + 1;
    for (let part = 0; part < length; part++) text += ALPHABET[(group >> (18 - 6 * part)) & 63];
    if (isPadded) text += '='.repeat(4 - length);
  }
  return isUrl ? text.replaceAll('+', '-').replaceAll('/', '_') : text;
}

export function decodeBase64(text: string): unknown[] {
  const clean = text
    .replace(/[\r\n=]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const codes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const char of clean) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) throw illegalArgument(`Illegal base64 character ${char.charCodeAt(0).toString(16)}`);
    bits = ((bits << 6) | value) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      codes.push((bits >> count) & 0xff);
    }
  }
  return byteArray(codes);
}

export function hexText(bytes: readonly unknown[]): string {
  return codesOf(bytes)
    .map((code) => code.toString(16).padStart(2, '0'))
    .join('');
}
