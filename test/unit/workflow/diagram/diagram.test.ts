import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DiagramPainter, drawDiagram, renderPng } from '../../../../src/workflow/diagram/index.ts';
import { type Diagram, readDiagram } from '../../../../src/workflow/engine/index.ts';
import { bpmn, path } from '../engine/bpmn.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/bpmn/${name}.bpmn`, import.meta.url), 'utf8');
const gallery = fixture('gallery');
const collaboration = fixture('collaboration');
const pictured = (await readDiagram(gallery, 'gallery'))!;
const pools = (await readDiagram(collaboration, 'granting'))!;

/** The group of an element, with what is drawn in it. */
function group(svg: string, id: string): string {
  const start = svg.indexOf(`<g data-element-id="${id}"`);
  expect(start, `group of '${id}'`).toBeGreaterThan(-1);
  const next = svg.indexOf('<g data-element-id=', start + 1);
  return svg.slice(start, next === -1 ? undefined : next);
}

/** What a reader of pictures sees: size and colours. */
function decodePng(png: Buffer) {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
  return {
    width,
    height,
    at: (x: number, y: number) => [...rows.subarray(y * (width * 4 + 1) + 1 + x * 4).subarray(0, 3)],
  };
}

const withDi = (content: string, planes: string) =>
  bpmn(content).replace(
    '</definitions>',
    `<bpmndi:BPMNDiagram xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
      xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"><bpmndi:BPMNPlane bpmnElement="p">${planes}
      </bpmndi:BPMNPlane></bpmndi:BPMNDiagram></definitions>`,
  );
const at = (id: string, x: number | string, y = 0, width = 100, height = 80) =>
  `<bpmndi:BPMNShape bpmnElement="${id}"><dc:Bounds x="${x}" y="${y}" width="${width}" height="${height}"/>
  </bpmndi:BPMNShape>`;

describe('a drawing', () => {
  test('shows every element of the file, named for scripts and style sheets', () => {
    for (const diagram of [pictured, pools]) {
      const { svg } = drawDiagram(diagram);
      for (const { id } of [...diagram.shapes, ...diagram.edges]) group(svg, id);
    }
    expect(pictured.shapes).toHaveLength(79);
    expect(pools.edges).toHaveLength(10);
  });

  test.each([
    ['t_userTask', '<circle'],
    ['exclusiveGateway', 'M -6.5 -7.5'],
    ['endEvent_timer', '<circle r="10"'],
    ['m0', 'M -4.5 -5.5 V 5.5'],
    ['m1', 'M -5.5 -4.5 H 5.5'],
    ['closed', 'M 0 -4 V 4'],
    ['tx', 'rx="5"'],
    ['esp', 'stroke-dasharray="2 3"'],
    ['es', 'stroke-dasharray="4 2.6"'],
    ['b2', 'stroke-dasharray="4 2.6"'],
    ['t_callActivity', 'stroke-width="3.6"'],
    ['startEvent_timer', '#23804c'],
  ])('marks %s', (id, mark) => {
    expect(group(drawDiagram(pictured).svg, id)).toContain(mark);
  });

  test('tells interrupting from other events, and thrown from caught ones', () => {
    const { svg } = drawDiagram(pictured);
    expect(group(svg, 'b1')).not.toContain('stroke-dasharray');
    expect(group(svg, 'intermediateCatchEvent_signal')).toContain('fill="none" stroke="#41619a"');
    expect(group(svg, 'intermediateThrowEvent_signal')).toContain('fill="#41619a" stroke="#41619a"');
  });

  test('tells default, conditional and message flows', () => {
    const flows = Object.fromEntries(
      [...pictured.edges, ...pools.edges].map((edge) => [edge.id, edge] as const),
    );
    expect(flows['xf2']).toMatchObject({ isDefault: true });
    expect(flows['xf3']).toMatchObject({ isConditional: true });
    // A condition behind a gateway is no news.
    expect(flows['xf1']?.isConditional).toBeUndefined();
    expect(group(drawDiagram(pools).svg, 'm1')).toContain('stroke-dasharray="8 5"');
  });

  test('wraps names at words and cuts what does not fit', async () => {
    const { svg } = drawDiagram(pictured);
    const lines = [...group(svg, 't_userTask').matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, line]) => line);
    expect(lines).toEqual(['Approve the', 'request of a', 'contractor']);
    const name = 'a long name that goes on '.repeat(6).trim();
    const diagram = await readDiagram(withDi(`<task id="t" name="${name}"/>`, at('t', 0)), 'p');
    const text = group(drawDiagram(diagram!).svg, 't');
    expect(text).toMatch(/…<\/tspan><\/text>/);
    expect(text).toContain(`<title>${name}</title>`);
  });

  test('shows expressions in names by what they are about', async () => {
    const name = `Approve \${role} for \${person.name}, \${a + 1}`;
    const diagram = await readDiagram(withDi(`<task id="t" name="${name}"/>`, at('t', 0)), 'p');
    expect(diagram!.shapes[0]!.name).toBe('Approve ‹role› for ‹name›, …');
  });

  test('lights up where an instance stands, and the closed sub-process around it', () => {
    const { svg } = drawDiagram(pictured, { active: ['t_userTask', 'hidden', 'unknown'] });
    expect([...svg.matchAll(/data-element-id="([^"]+)" class="\w+ active"/g)].map(([, id]) => id)).toEqual([
      't_userTask',
      'closed',
    ]);
    expect(group(svg, 't_userTask')).toContain('#d61f1f');
    expect(drawDiagram(pictured).svg).not.toContain('#d61f1f');
  });

  test('keeps the colours of its author, when they are plain ones', async () => {
    const coloured = (colour: string) =>
      withDi(
        '<task id="t"/>',
        at('t', 0).replace(
          'bpmnElement',
          `xmlns:bioc="http://bpmn.io/schema/bpmn/biocolor/1.0" bioc:fill="${colour}" bpmnElement`,
        ),
      );
    expect(drawDiagram((await readDiagram(coloured('#bbdefb'), 'p'))!).svg).toContain('fill="#bbdefb"');
    expect(drawDiagram((await readDiagram(coloured('url(http://x)'), 'p'))!).svg).not.toContain('url(');
  });

  test('is undefined for a file without one', async () => {
    expect(await readDiagram(bpmn(path('start', 'end')), 'p')).toBeUndefined();
    expect(
      await new DiagramPainter().png({ id: 'p:1', key: 'p', xml: bpmn(path('start', 'end')) }),
    ).toBeUndefined();
  });

  test('of several is the one that shows the process', async () => {
    const two = withDi('<task id="t"/>', at('t', 0)).replace(
      '<bpmndi:BPMNDiagram',
      `<bpmndi:BPMNDiagram xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
        xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"><bpmndi:BPMNPlane bpmnElement="other">${at('t', 500)}
        </bpmndi:BPMNPlane></bpmndi:BPMNDiagram><bpmndi:BPMNDiagram`,
    );
    expect((await readDiagram(two, 'p'))!.shapes[0]!.box.x).toBe(0);
  });
});

describe('hostile files', () => {
  test('names cannot break out of the text', async () => {
    const name = '&lt;/tspan&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x&#x1;';
    const diagram = await readDiagram(
      withDi(
        `<startEvent id="a&quot;b" name="x"/><task id="t" name="${name.replace('&#x1;', '')}"/>`,
        at('t', 0),
      ),
      'p',
    );
    const { svg } = drawDiagram(diagram!);
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;script&gt;');
    await renderPng(drawDiagram(diagram!));
    // Characters that XML cannot hold come from JSON, not from a file.
    const [shape] = diagram!.shapes;
    const odd: Diagram = { ...diagram!, shapes: [{ ...shape!, id: '"><x', name: 'a\u0000\u0001\ud800b' }] };
    const drawn = drawDiagram(odd);
    expect(drawn.svg).toContain('data-element-id="&quot;&gt;&lt;x"');
    expect(drawn.svg).toContain('<title>ab</title>');
    await renderPng(drawn);
  });

  test('shapes that are nowhere or of no size are left out', async () => {
    const content = ['a', 'b', 'c', 'd', 'e'].map((id) => `<task id="${id}"/>`).join('');
    const planes = [at('a', 0), at('b', '1e300'), at('c', 'NaN'), at('d', 0, 0, -5), at('nothing', 0)];
    const diagram = await readDiagram(withDi(content, planes.join('')), 'p');
    expect(diagram!.shapes.map(({ id }) => id)).toEqual(['a']);
  });

  test('a drawing of a square kilometre becomes a small picture', async () => {
    const wide = withDi('<task id="a"/><task id="b"/>', at('a', -99_000, -99_000) + at('b', 99_000, 99_000));
    const picture = decodePng(await renderPng(drawDiagram((await readDiagram(wide, 'p'))!)));
    expect(picture.width * picture.height).toBeLessThanOrEqual(3_000_000);
    const long = withDi('<task id="a"/><task id="b"/>', at('a', -99_000) + at('b', 99_000));
    const strip = decodePng(await renderPng(drawDiagram((await readDiagram(long, 'p'))!)));
    expect(strip.width).toBeLessThanOrEqual(8000);
  });

  test('letters that nobody could read cost nothing', async () => {
    const picture = async (name: string) => {
      const xml = withDi(`<task id="a" name="${name}"/><task id="b"/>`, at('a', 0) + at('b', 9000, 9000));
      return await renderPng(drawDiagram((await readDiagram(xml, 'p'))!));
    };
    expect((await picture('Somebody')).equals(await picture(''))).toBe(true);
    const many = Array.from({ length: 2100 }, (_, index) => `t${index}`);
    const book = withDi(
      many.map((id) => `<task id="${id}" name="${'word '.repeat(50)}"/>`).join(''),
      many.map((id, index) => at(id, index % 40, index % 50)).join(''),
    );
    const diagram = (await readDiagram(book, 'p'))!;
    expect(diagram.shapes).toHaveLength(2000);
    const bare = { ...diagram, shapes: diagram.shapes.map(({ name: _, ...shape }) => shape) };
    const [withNames, without] = [await renderPng(drawDiagram(diagram)), await renderPng(drawDiagram(bare))];
    expect(withNames.equals(without)).toBe(true);
  });

  test('a name without end is cut before it is measured', async () => {
    const diagram = await readDiagram(
      withDi(`<task id="t" name="${'x'.repeat(1_000_000)}"/>`, at('t', 0)),
      'p',
    );
    expect(drawDiagram(diagram!).svg.length).toBeLessThan(5000);
  });
});

describe('a picture', () => {
  const source = { id: 'granting:1', key: 'granting', xml: collaboration };

  test('is a PNG, red where the instance stands, with letters from the bundled font', async () => {
    const painter = new DiagramPainter();
    const plain = decodePng((await painter.png(source))!);
    const lit = decodePng((await painter.png(source, { active: ['review'] }))!);
    const { width, height } = drawDiagram(pools);
    expect([lit.width, lit.height]).toEqual([width * 2, height * 2]);
    // Inside the task, to the right of its sign.
    const place: [number, number] = [(330 - 140 + 80) * 2, (150 - 60 + 10) * 2];
    expect(plain.at(...place)).toEqual([0xf3, 0xf6, 0xfc]);
    expect(lit.at(...place)).toEqual([0xfd, 0xea, 0xea]);
    const band = Array.from({ length: 250 }, (_, index) => plain.at(2 * 35, 2 * (150 + index)));
    expect(
      band.some(([red]) => red! < 80),
      'ink of the name of the pool',
    ).toBe(true);
  });

  test('is made once for all who ask, and again only for another state', async () => {
    const painter = new DiagramPainter();
    const [first, second] = await Promise.all([
      painter.png(source, { active: ['a', 'b'] }),
      painter.png(source, { active: ['b', 'a'] }),
    ]);
    expect(second).toBe(first);
    expect(await painter.png(source, { active: ['a', 'b'] })).toBe(first);
    expect(await painter.png(source, { active: ['review'] })).not.toEqual(first);
  });

  test('too many at once are refused instead of piling up', async () => {
    const painter = new DiagramPainter();
    const tiny = withDi('<task id="t"/>', at('t', 0));
    const all = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => painter.png({ id: `p:${index}`, key: 'p', xml: tiny })),
    );
    const refused = all.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.reason).toMatchObject({ code: 503, detail: { id: 'WORKFLOW_DIAGRAMS_BUSY' } });
    expect(await painter.png({ id: 'p:0', key: 'p', xml: tiny })).toBeInstanceOf(Buffer);
  });
});
