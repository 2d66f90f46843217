import { describe, expect, it } from 'vitest';
import { boxOf, readDrawing } from './read-drawing.ts';

describe('a drawing of the server', () => {
  it('is read piece by piece, texts as they were meant', () => {
    const drawing = readDrawing(
      '<svg viewBox="0 0 9 9"><g data-element-id="a" class="userTask"><title>a &lt; &quot;b&quot; &amp;amp;</title><rect x="1" y="2" width="3" height="4"/></g></svg>',
    );
    expect(drawing?.pieces).toEqual([
      {
        name: 'g',
        attributes: { 'data-element-id': 'a', class: 'userTask' },
        pieces: [
          { name: 'title', attributes: {}, pieces: ['a < "b" &amp;'] },
          { name: 'rect', attributes: { x: '1', y: '2', width: '3', height: '4' }, pieces: [] },
        ],
      },
    ]);
  });

  it('has nothing that acts or leads elsewhere, whoever has drawn it', () => {
    const drawing = readDrawing(
      '<svg onload="a()"><script>b()</script><a href="https://example.com"><text>c</text></a><image href="x"/><g style="d" xlink:href="e" fill="red"/></svg>',
    );
    expect(drawing).toEqual({
      name: 'svg',
      attributes: {},
      pieces: [{ name: 'g', attributes: { fill: 'red' }, pieces: [] }],
    });
  });

  it('is none when it is something else', () => {
    expect(readDrawing('<html><svg/></html>')).toBeUndefined();
    expect(readDrawing('')).toBeUndefined();
  });

  it('says where each of its shapes is', () => {
    const shape = (inner: string) =>
      boxOf(readDrawing(`<svg><g>${inner}</g></svg>`) ?? { name: '', attributes: {}, pieces: [] });
    expect(shape('<g transform="translate(10 20)"><circle r="5"/></g>')).toEqual({
      x: 5,
      y: 15,
      width: 10,
      height: 10,
    });
    expect(shape('<path d="M 0 5 L 5 0 L 10 5 L 5 10 Z"/>')).toEqual({ x: 0, y: 0, width: 10, height: 10 });
    expect(shape('<title>only a name</title>')).toBeUndefined();
  });
});
