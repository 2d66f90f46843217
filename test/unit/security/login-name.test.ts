import { describe, expect, it } from 'vitest';
import { foldName, mixesAlphabets, nameKey } from '../../../src/security/authentication/login-name.ts';

describe('a name by which somebody logs in', () => {
  it.each([
    ['Alice', 'capitals'],
    ['alice ', 'a blank behind it'],
    [' alice', 'a blank before it'],
    ['ａｌｉｃｅ', 'wide letters'],
    ['ali\u200bce', 'a blank without width'],
    ['\ufeffalice', 'a mark of the byte order'],
    ['al\u00adice', 'a hyphen that is not seen'],
    ['alıce', 'an i without its dot'],
  ])('%j is alice, though it has %s', (name) => {
    expect(nameKey(name)).toBe(nameKey('alice'));
  });

  it.each([
    ['аӏісе', 'alice'],
    ['сосо', 'coco'],
    ['νενα', 'veva'],
  ])('%j, in look-alikes throughout, is kept apart from %j', (name, double) => {
    expect(nameKey(name)).toBe(nameKey(double));
    expect(foldName(name)).not.toBe(foldName(double));
  });

  it.each(['жанна', 'Юлия', 'σοφία', '花子', 'たろう', 'דנה', 'zoë', 'kim@example.com', 'o’brien', 'x1'])(
    '%j is a name of its own',
    (name) => {
      expect(mixesAlphabets(name)).toBe(false);
      expect(nameKey(name)).toBe(foldName(name));
    },
  );

  it.each(['аlice', 'alicе', 'pаypal', 'αdmin', 'Анна-Smith'])('%j mixes alphabets', (name) => {
    expect(mixesAlphabets(name)).toBe(true);
  });

  it.each(['太郎さん', 'ＡＢＣ株式会社', '김金kim'])('%j has letters that are written together', (name) => {
    expect(mixesAlphabets(foldName(name))).toBe(false);
  });
});
