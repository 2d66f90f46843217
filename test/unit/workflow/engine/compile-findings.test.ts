// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import type { CompileOptions } from '../../../../src/workflow/engine/index.ts';
import {
  boundary,
  bpmn,
  cancel,
  caught,
  compensation,
  cycle,
  end,
  error,
  eventSub,
  extension,
  flow,
  gateway,
  link,
  loop,
  message,
  note,
  path,
  service,
  start,
  sub,
  tag,
  terminate,
  thrown,
  timer,
  times,
  user,
} from './bpmn.ts';
import { refused, warned } from './findings-of.ts';

const one = (element: string, id = 'a') => bpmn(start() + element + end() + path('s', id, 'e'));

describe('refusals', () => {
  const inTransaction = (inner: string, rest = '') =>
    bpmn(start() + tag('transaction', 'm', {}, start('s2') + inner) + rest + path('s', 'm'));
  test.each<[string, string, string[]]>([
    ['an ad-hoc sub-process', one(tag('adHocSubProcess', 'a')), ['a UNSUPPORTED_ELEMENT']],
    ['a complex gateway', one(tag('complexGateway', 'a')), ['a UNSUPPORTED_ELEMENT']],
    ['an unknown element', one(`${user('a')}<wizardTask id="w"/>`), ['w UNREADABLE_ELEMENT']],
    ['an id used twice', bpmn(start() + user('a') + user('a') + path('s', 'a')), ['a UNREADABLE_ELEMENT']],
    ['a standard loop', one(user('a', {}, '<standardLoopCharacteristics/>')), ['a UNSUPPORTED_LOOP']],
    ['multi-instance without a count', one(user('a', {}, loop(''))), ['a EMPTY_LOOP']],
    [
      'variable aggregation',
      one(
        user(
          'a',
          {},
          loop(
            '<extensionElements><flowable:variableAggregation/></extensionElements><loopCardinality>1</loopCardinality>',
          ),
        ),
      ),
      ['a UNSUPPORTED_LOOP'],
    ],
    ['an element with an id that is none', bpmn(start() + user('a b')), ['a b UNREADABLE_ELEMENT']],
    [
      'an event-based gateway that waits for all of its events',
      bpmn(
        start() +
          gateway('eventBased', 'g', { eventGatewayType: 'Parallel' }) +
          caught('t', timer('PT1H')) +
          path('s', 'g', 't'),
      ),
      ['g BAD_EVENT_GATEWAY'],
    ],
    [
      'an event-based gateway that starts the process',
      bpmn(
        start() +
          gateway('eventBased', 'g', { instantiate: true }) +
          caught('t', timer('PT1H')) +
          path('s', 'g', 't'),
      ),
      ['g BAD_EVENT_GATEWAY'],
    ],
    [
      'a boundary event on a gateway',
      bpmn(start() + gateway('exclusive', 'g') + boundary('b', 'g', timer('PT1H')) + path('s', 'g')),
      ['b BAD_BOUNDARY'],
    ],
    [
      'a compensation handler in the flow',
      one(user('a', { isForCompensation: true })),
      ['a BAD_COMPENSATION'],
    ],
    ['a flow to a flow', bpmn(start() + user('a') + flow('s', 'a') + flow('a', 's-a')), ['a-s-a LOOSE_FLOW']],
    ['a cardinality that is none', one(user('a', {}, times('many'))), ['a BAD_LOOP']],
    ['a negative cardinality', one(user('a', {}, times(-1))), ['a BAD_LOOP']],
    ['more rounds than can be', one(user('a', {}, times(10_001))), ['a BAD_LOOP']],
    ['a priority that is none', one(user('a', { 'flowable:priority': 'high' })), ['a BAD_TASK']],
    ['a due date that is none', one(user('a', { 'flowable:dueDate': 'tomorrow' })), ['a BAD_TASK']],
    [
      'a calendar of its own for a due date',
      one(user('a', { 'flowable:dueDate': 'P1D', 'flowable:businessCalendarName': 'austria' })),
      ['a UNSUPPORTED_CALENDAR'],
    ],
    [
      'a calendar of its own for a timer',
      one(
        caught(
          'a',
          timer('PT1H').replace(
            '<timerEventDefinition',
            '<timerEventDefinition flowable:businessCalendarName="at"',
          ),
        ),
      ),
      ['a UNSUPPORTED_CALENDAR'],
    ],
    [
      'a retry cycle that is none',
      one(
        user(
          'a',
          {},
          extension('<flowable:failedJobRetryTimeCycle>often</flowable:failedJobRetryTimeCycle>'),
        ),
      ),
      ['a BAD_RETRY'],
    ],
    [
      'a condition that is no expression',
      bpmn(start() + user('a') + flow('s', 'a', 'yes')),
      ['s-a BAD_CONDITION'],
    ],
    [
      'a skip condition that is no expression',
      one(user('a', { 'flowable:skipExpression': 'yes' })),
      ['a BAD_CONDITION'],
    ],
    [
      'a mail without a recipient',
      one(tag('serviceTask', 'a', { 'flowable:type': 'mail' })),
      ['a MISSING_FIELD'],
    ],
    [
      'a request without an address',
      one(tag('serviceTask', 'a', { 'flowable:type': 'http' })),
      ['a MISSING_FIELD'],
    ],
    [
      'exceptions mapped by a call',
      one(
        tag('callActivity', 'a', { calledElement: 'x' }, extension('<flowable:mapException errorCode="E"/>')),
      ),
      ['a UNSUPPORTED_EXTENSION'],
    ],
    [
      'listeners of the engine',
      bpmn(extension('<flowable:eventListener class="x"/>') + start()),
      ['p UNSUPPORTED_EXTENSION'],
    ],
    [
      'forms of another engine',
      one(user('a', {}, extension('<camunda:formData/>'))).replace(
        'xmlns:flowable',
        'xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:flowable',
      ),
      ['a UNSUPPORTED_EXTENSION'],
    ],
    [
      'an expression for a script with a mistake',
      one(tag('scriptTask', 'a', { scriptFormat: 'juel' }, '<script>${1 +}</script>')),
      ['a BAD_EXPRESSION'],
    ],
    ['a service without implementation', one(tag('serviceTask', 'a')), ['a NO_IMPLEMENTATION']],
    [
      'a business rule task without one',
      one(tag('businessRuleTask', 'a', { 'flowable:type': 'dmn' })),
      ['a UNSUPPORTED_TYPE'],
    ],
    ['a shell task', one(tag('serviceTask', 'a', { 'flowable:type': 'shell' })), ['a UNSUPPORTED_TYPE']],
    ['a script task without a script', one(tag('scriptTask', 'a')), ['a NO_SCRIPT']],
    ['a call of nothing', one(tag('callActivity', 'a')), ['a NO_CALLED_ELEMENT']],
    ['a flow to nowhere', bpmn(start() + user('a') + path('s', 'a', 'b')), ['a-b LOOSE_FLOW']],
    [
      'a flow across a border',
      bpmn(start() + sub('m', start('s2') + user('a') + path('s2', 'a')) + path('s', 'm') + flow('s', 'a')),
      ['s-a CROSSING_FLOW'],
    ],
    [
      'a flow out of an end event',
      bpmn(start() + end() + user('a') + path('s', 'e', 'a')),
      ['e FLOW_FROM_END'],
    ],
    ['a flow into a start event', bpmn(start() + user('a') + path('s', 'a', 's')), ['s FLOW_TO_START']],
    ['no start event', bpmn(user('a')), ['p BAD_START']],
    ['two none start events', bpmn(start('x') + start('y')), ['p BAD_START']],
    [
      'a sub-process that starts by message',
      bpmn(start() + sub('m', start('s2', message())) + path('s', 'm')),
      ['s2 UNSUPPORTED_EVENT'],
    ],
    [
      'an event sub-process without an event',
      bpmn(start() + eventSub('m', start('s2'))),
      ['s2 UNSUPPORTED_EVENT'],
    ],
    [
      'an event sub-process for compensation',
      bpmn(start() + eventSub('m', start('s2', compensation()))),
      ['s2 UNSUPPORTED_EVENT'],
    ],
    [
      'a boundary event with two ways out',
      bpmn(
        start() +
          user('a') +
          boundary('b', 'a', timer('PT1M')) +
          user('c') +
          user('d') +
          path('s', 'a') +
          path('b', 'c') +
          path('b', 'd'),
      ),
      ['b BOUNDARY_FLOWS'],
    ],
    ['a boundary event on nothing', bpmn(start() + boundary('b', 'x', timer('PT1M'))), ['b LOOSE_BOUNDARY']],
    [
      'compensation without a handler',
      bpmn(start() + user('a') + boundary('b', 'a', compensation()) + path('s', 'a')),
      ['b LOOSE_BOUNDARY'],
    ],
    [
      'two timer values',
      one(
        caught(
          'a',
          '<timerEventDefinition><timeDuration>PT1M</timeDuration><timeCycle>R/PT1M</timeCycle></timerEventDefinition>',
        ),
      ),
      ['a BAD_TIMER'],
    ],
    ['no timer value', one(caught('a', '<timerEventDefinition/>')), ['a BAD_TIMER']],
    ['a bad duration', one(caught('a', timer('10 minutes'))), ['a BAD_TIMER']],
    ['an endless hurry', one(caught('a', cycle('R/PT0S'))), ['a BAD_TIMER']],
    ['an unknown message', one(caught('a', message('nope'))), ['a UNKNOWN_REFERENCE']],
    ['an error that is caught in passing', one(caught('a', error('broken'))), ['a UNSUPPORTED_EVENT']],
    ['a terminate event in passing', one(thrown('a', terminate)), ['a UNSUPPORTED_EVENT']],
    ['a link that nothing catches', one(thrown('a', link('x'))), ['a LOOSE_LINK']],
    ['a compensation of nothing', one(thrown('a', compensation('x'))), ['a UNKNOWN_REFERENCE']],
    [
      'a cancel end event outside of a transaction',
      bpmn(start() + end('a', cancel) + path('s', 'a')),
      ['a BAD_CANCEL'],
    ],
    [
      'a transaction that nothing catches',
      inTransaction(end('a', cancel) + path('s2', 'a')),
      ['m BAD_CANCEL'],
    ],
    [
      'a cancel event on a task',
      bpmn(start() + user('a') + boundary('b', 'a', cancel) + path('s', 'a')),
      ['b BAD_CANCEL'],
    ],
    [
      'an event gateway that leads to a task',
      bpmn(start() + gateway('eventBased', 'g') + user('a') + path('s', 'g', 'a')),
      ['g BAD_EVENT_GATEWAY'],
    ],
    ['a default flow of another node', one(user('a', { default: 's-a' })), ['a BAD_DEFAULT']],
    [
      'an unknown form type',
      one(user('a', {}, extension('<flowable:formProperty id="x" type="money"/>'))),
      ['a BAD_FORM'],
    ],
    ['an expression with a mistake', one(service('a', '${x +}')), ['a BAD_EXPRESSION']],
    ['a condition with a mistake', bpmn(start() + user('a') + flow('s', 'a', '${')), ['s-a BAD_EXPRESSION']],
    [
      'a listener without implementation',
      one(user('a', {}, extension('<flowable:taskListener event="create"/>'))),
      ['a BAD_LISTENER'],
    ],
    [
      'a listener for an unknown event',
      one(user('a', {}, extension('<flowable:taskListener event="claim" expression="${1}"/>'))),
      ['a BAD_LISTENER'],
    ],
    [
      'a listener after the transaction',
      one(
        user('a', {}, extension('<flowable:executionListener onTransaction="committed" expression="${1}"/>')),
      ),
      ['a BAD_LISTENER'],
    ],
    [
      'a mapping without a target',
      one(tag('callActivity', 'a', { calledElement: 'x' }, extension('<flowable:in source="y"/>'))),
      ['a BAD_MAPPING'],
    ],
  ])('%s', async (_title, xml, findings) => {
    expect(await refused(xml)).toEqual(findings);
  });

  test('what the host knows: delegates, scripts and cron', async () => {
    const options: CompileOptions = {
      hasDelegate: (name) => name === 'org.x.Known',
      checkScript: (format, source) => (format === 'groovy' && source === 'bad' ? 'line 1: no' : undefined),
      checkCron: (text) => (text === '0 0 * * * ?' ? undefined : 'no cron'),
    };
    expect(await refused(one(tag('serviceTask', 'a', { 'flowable:class': 'org.x.Known' })), options)).toEqual(
      [],
    );
    expect(await refused(one(tag('serviceTask', 'a', { 'flowable:class': 'org.x.Other' })), options)).toEqual(
      ['a UNKNOWN_DELEGATE'],
    );
    expect(await refused(one(tag('scriptTask', 'a', {}, '<script>bad</script>')), options)).toEqual([
      'a BAD_SCRIPT',
    ]);
    expect(await refused(one(caught('a', cycle('0 0 * * * ?'))), options)).toEqual([]);
    expect(await refused(one(caught('a', cycle('every day'))), options)).toEqual(['a BAD_TIMER']);
  });

  test('all at once', async () => {
    expect(await refused(bpmn(tag('serviceTask', 'a') + tag('scriptTask', 'b')))).toHaveLength(3);
  });
});

describe('warnings', () => {
  const split = (kind: 'exclusive' | 'parallel', join: string) =>
    bpmn(
      start() +
        gateway(kind, 'g') +
        user('a') +
        user('b') +
        join +
        user('z') +
        path('s', 'g') +
        flow('g', 'a', kind === 'exclusive' ? '${x}' : undefined) +
        path('g', 'b', 'j', 'z') +
        path('a', 'j'),
    );

  test.each<[string, string, string[]]>([
    [
      'a parallel join after a decision',
      split('exclusive', gateway('parallel', 'j')),
      ['j JOIN_AFTER_DECISION'],
    ],
    ['branches that meet without a join', split('parallel', gateway('exclusive', 'j')), ['j MULTI_MERGE']],
    [
      'a script in a language that there is not',
      bpmn(
        `${start()}${tag('scriptTask', 'a', { scriptFormat: 'python' }, '<script>x</script>')}${path('s', 'a')}`,
      ),
      ['a SCRIPT_LANGUAGE'],
    ],
    ['a block that joins properly', split('parallel', gateway('parallel', 'j')), []],
    ['a decision that merges properly', split('exclusive', gateway('exclusive', 'j')), []],
    [
      'a decision without a default',
      bpmn(
        start() +
          gateway('exclusive', 'g') +
          user('a') +
          user('b') +
          path('s', 'g') +
          flow('g', 'a', '${x}') +
          flow('g', 'b', '${y}'),
      ),
      ['g NO_DEFAULT'],
    ],
    [
      'conditions of a parallel gateway',
      bpmn(start() + gateway('parallel', 'g') + user('a') + path('s', 'g') + flow('g', 'a', '${x}')),
      ['g IGNORED_CONDITION'],
    ],
    ['an element that is never reached', bpmn(start() + note('a')), ['a UNREACHABLE']],
    [
      'an extension that is not known',
      one(user('a', {}, extension('<flowable:glitter/>'))),
      ['a IGNORED_EXTENSION'],
    ],
    [
      'extensions of a modeler, within others as well',
      one(
        user(
          'a',
          {},
          extension(`<flowable:task-candidates-type><![CDATA[all]]></flowable:task-candidates-type>
            <flowable:formProperty id="f"><flowable:work-form-field-validation/></flowable:formProperty>
            <modeler:color xmlns:modeler="http://example.org/modeler">red</modeler:color>`),
        ),
      ),
      ['a IGNORED_EXTENSION', 'f IGNORED_EXTENSION'],
    ],
    [
      'identity links of other kinds',
      one(
        user(
          'a',
          {},
          extension(`<flowable:customResource flowable:name="auditor"><resourceAssignmentExpression>
            <formalExpression>user(x)</formalExpression></resourceAssignmentExpression></flowable:customResource>`),
        ),
      ),
      ['a IGNORED_EXTENSION'],
    ],
    [
      'a history level of its own',
      bpmn(extension('<flowable:historyLevel>none</flowable:historyLevel>') + start()),
      ['p IGNORED_EXTENSION'],
    ],
  ])('%s', async (_title, xml, findings) => {
    expect(await warned(xml)).toEqual(findings);
  });
});
