// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import { compile } from '../../../../src/workflow/engine/index.ts';
import { bpmn, end, extension, path, start, tag, user } from './bpmn.ts';
import { refused } from './findings-of.ts';

const one = (element: string, id = 'a') => bpmn(start() + element + end() + path('s', id, 'e'));

describe('reading', () => {
  test('process attributes, forms and both namespaces', async () => {
    const form = extension(
      '<activiti:formProperty id="d" name="Decision" type="enum" required="true" default="${x}"><activiti:value id="y" name="Yes &amp; go"/></activiti:formProperty><flowable:formProperty id="r" writable="false" readable="false"/>',
    );
    const [definition] = await compile(
      bpmn(
        `<documentation>What it is for</documentation>${start('s', form, { 'flowable:formKey': 'start.xhtml' })}${user('a', {}, form)}${path('s', 'a')}`,
        {
          name: 'My process',
          'flowable:candidateStarterUsers': 'ann, bob',
          'activiti:candidateStarterGroups': 'staff',
        },
      ),
    );
    expect(definition).toMatchObject({
      key: 'p',
      name: 'My process',
      documentation: 'What it is for',
      category: 'test',
      candidateStarterUsers: ['ann', 'bob'],
      candidateStarterGroups: ['staff'],
    });
    expect(definition.nodes.get('a')).toMatchObject({
      formProperties: [
        {
          id: 'd',
          name: 'Decision',
          type: 'enum',
          isRequired: true,
          isReadable: true,
          isWritable: true,
          default: { text: '${x}' },
          values: [{ id: 'y', name: 'Yes & go' }],
        },
        { id: 'r', isReadable: false, isWritable: false, isRequired: false, values: [] },
      ],
    });
    expect(definition.nodes.get('s')).toMatchObject({ formKey: 'start.xhtml' });
  });

  test('attributes of the cousin engine, and of any prefix', async () => {
    const xml = one(user('a', { 'c:assignee': 'ann', 'f:owner': 'kim' })).replace(
      'xmlns:flowable="http://flowable.org/bpmn"',
      `xmlns:flowable="http://example.org/else" xmlns:c="http://camunda.org/schema/1.0/bpmn"
        xmlns:f="http://flowable.org/bpmn"`,
    );
    const task = (await compile(xml))[0].nodes.get('a');
    expect(task).toMatchObject({ assignee: { text: 'ann' }, owner: { text: 'kim' } });
  });

  test('what has been deployed once can be read again, whatever is refused today', async () => {
    const xml = one(user('a', { 'flowable:priority': 'high' }));
    expect(await refused(xml)).toEqual(['a BAD_TASK']);
    expect(await refused(xml, { isDeployed: true })).toEqual([]);
  });

  test('data objects with their type, named directly or by a definition', async () => {
    const data = (id: string, type: string, value: string) =>
      tag(
        'dataObject',
        id,
        { name: id, itemSubjectRef: type },
        extension(`<flowable:value>${value}</flowable:value>`),
      );
    const xml = (body: string) =>
      bpmn(body + start()).replace(
        '<process',
        '<itemDefinition id="flag" structureRef="xsd:boolean"/><process',
      );
    const [definition] = await compile(
      xml(
        data('a', 'xsd:int', '5') +
          data('b', 'flag', 'true') +
          data('c', 'xsd:string', '5') +
          data('d', 'xsd:double', '0.5'),
      ),
    );
    expect(definition.body.dataObjects).toEqual([
      { name: 'a', value: 5 },
      { name: 'b', value: true },
      { name: 'c', value: '5' },
      { name: 'd', value: 0.5 },
    ]);
    expect(await refused(xml(data('a', 'xsd:int', 'five')))).toEqual(['a BAD_DATA']);
  });

  test('an empty process is none', async () => {
    const two = one(user('a')).replace('<process', '<process id="empty"/><process');
    expect((await compile(two)).map(({ key }) => key)).toEqual(['p']);
    await expect(compile(bpmn(''))).rejects.toMatchObject({ detail: { id: 'WORKFLOW_NO_PROCESS' } });
  });

  test('elements without ids get the same ones each time', async () => {
    const xml = bpmn(
      '<startEvent id="s"/><userTask id="userTask_1"/><endEvent id="e"/><sequenceFlow sourceRef="s" targetRef="userTask_1"/><sequenceFlow sourceRef="userTask_1" targetRef="e"/><manualTask/><manualTask/>',
    );
    const [first, second] = [(await compile(xml))[0], (await compile(xml))[0]];
    expect([...first.flows.keys()]).toEqual(['sequenceFlow_1', 'sequenceFlow_2']);
    expect([...first.nodes.keys()]).toEqual(['s', 'userTask_1', 'e', 'manualTask_1', 'manualTask_2']);
    expect([...second.nodes.keys()]).toEqual([...first.nodes.keys()]);
  });

  test('executable unless it says otherwise, and by key among several', async () => {
    const two = bpmn(start() + user('a') + path('s', 'a')).replace(
      '</definitions>',
      `${tag('process', 'q', {}, start('s9'))}${tag('process', 'r', { isExecutable: false }, start('s8'))}</definitions>`,
    );
    expect((await compile(two)).map(({ key }) => key)).toEqual(['p', 'q']);
    expect((await compile(two, { key: 'q' }))[0].key).toBe('q');
    await expect(compile(two, { key: 'r' })).rejects.toMatchObject({
      code: 400,
      detail: { id: 'WORKFLOW_NO_PROCESS' },
    });
    await expect(compile(bpmn(start(), { isExecutable: false }))).rejects.toMatchObject({
      detail: { id: 'WORKFLOW_NO_PROCESS' },
    });
  });

  test('a definition is frozen', async () => {
    const [definition] = await compile(one(user('a')));
    expect(Object.isFrozen(definition.nodes.get('a')?.outgoing)).toBe(true);
  });

  test('pools, lanes, data and drawings take no part', async () => {
    const xml = bpmn(
      `<laneSet id="ls"><lane id="l"><flowNodeRef>a</flowNodeRef></lane></laneSet>${start()}${user('a')}<dataObjectReference id="dr" dataObjectRef="d"/><textAnnotation id="ta"><text>Hi</text></textAnnotation>${path('s', 'a')}`,
    );
    expect([...(await compile(xml))[0].nodes.keys()]).toEqual(['s', 'a']);
  });
});

describe('XML', () => {
  test('a byte order mark and blanks before it are let pass', async () => {
    expect((await compile(`\uFEFF \n${one(user('a'))}`))[0].key).toBe('p');
  });

  test.each([
    [
      'a document type',
      '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><definitions>&e;</definitions>',
      'document type',
    ],
    ['no end', '<definitions', 'ends inside a tag'],
    ['something else', '<html><body/></html>', 'is not BPMN'],
    ['no XML', 'hello', 'is not BPMN'],
    ['depth', `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`, 'deeper than 100'],
  ])('%s is refused', async (_title, xml, problem) => {
    await expect(compile(xml)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(problem) as string,
    });
  });

  test('size is limited', async () => {
    await expect(compile(' '.repeat(5_000_001))).rejects.toMatchObject({ code: 413 });
  });

  test('a document type inside a comment or text is none', async () => {
    expect(
      await refused(
        bpmn(`<!-- <!DOCTYPE x> --><documentation><![CDATA[<!DOCTYPE x>]]></documentation>${start()}`),
      ),
    ).toEqual([]);
  });
});
