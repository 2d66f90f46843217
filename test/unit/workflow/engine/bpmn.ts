/** Builds process files for tests; ids are those of the arguments, flows are called `from-to`. */
type Attributes = Readonly<Record<string, string | number | boolean>>;

export const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export function tag(name: string, id: string, attributes: Attributes = {}, inner = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`);
  return `<${name} id="${id}"${written.join('')}>${inner}</${name}>`;
}

/** Everything that may stand beside the process. */
const ROOT_ELEMENTS = `
  <message id="hello" name="hello"/><signal id="alarm" name="alarm"/><signal id="local" name="local" flowable:scope="processInstance"/>
  <error id="broken" errorCode="BROKEN"/><error id="other" errorCode="OTHER"/><escalation id="up" escalationCode="UP"/>`;

export function bpmn(body: string, attributes: Attributes = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:flowable="http://flowable.org/bpmn" xmlns:activiti="http://activiti.org/bpmn" targetNamespace="test">
  ${ROOT_ELEMENTS}${tag('process', 'p', attributes, body)}</definitions>`;
}

/** Flows along a path, such as `path('s', 'a', 'e')`. */
export function path(...ids: readonly string[]): string {
  return ids
    .slice(1)
    .map((id, index) => flow(ids[index]!, id))
    .join('');
}

export function flow(from: string, to: string, condition?: string, attributes: Attributes = {}): string {
  const inner =
    condition === undefined
      ? ''
      : `<conditionExpression xsi:type="tFormalExpression">${escapeXml(condition)}</conditionExpression>`;
  return tag('sequenceFlow', `${from}-${to}`, { sourceRef: from, targetRef: to, ...attributes }, inner);
}

export const start = (id = 's', inner = '', attributes: Attributes = {}) =>
  tag('startEvent', id, attributes, inner);
export const end = (id = 'e', inner = '') => tag('endEvent', id, {}, inner);
export const user = (id: string, attributes: Attributes = {}, inner = '') =>
  tag('userTask', id, { name: id, ...attributes }, inner);
export const service = (id: string, expression: string, attributes: Attributes = {}, inner = '') =>
  tag('serviceTask', id, { 'flowable:expression': expression, ...attributes }, inner);
/** A service task that notes its id in the log of the test. */
export const note = (id: string, attributes: Attributes = {}, inner = '') =>
  service(id, `\${log.add('${id}')}`, attributes, inner);
export const gateway = (
  kind: 'exclusive' | 'parallel' | 'inclusive' | 'eventBased',
  id: string,
  attributes: Attributes = {},
) => tag(`${kind}Gateway`, id, attributes);
export const sub = (id: string, body: string, attributes: Attributes = {}) =>
  tag('subProcess', id, attributes, body);
export const eventSub = (id: string, body: string) => sub(id, body, { triggeredByEvent: true });
export const boundary = (id: string, on: string, event: string, interrupting = true) =>
  tag('boundaryEvent', id, { attachedToRef: on, cancelActivity: interrupting }, event);
export const caught = (id: string, event: string) => tag('intermediateCatchEvent', id, {}, event);
export const thrown = (id: string, event = '') => tag('intermediateThrowEvent', id, {}, event);

export const timer = (duration: string) =>
  `<timerEventDefinition><timeDuration>${duration}</timeDuration></timerEventDefinition>`;
export const cycle = (text: string) =>
  `<timerEventDefinition><timeCycle>${text}</timeCycle></timerEventDefinition>`;
export const message = (ref = 'hello') => `<messageEventDefinition messageRef="${ref}"/>`;
export const signal = (ref = 'alarm') => `<signalEventDefinition signalRef="${ref}"/>`;
export const error = (ref?: string) =>
  ref === undefined ? '<errorEventDefinition/>' : `<errorEventDefinition errorRef="${ref}"/>`;
export const escalation = (ref = 'up') => `<escalationEventDefinition escalationRef="${ref}"/>`;
export const compensation = (activity?: string) =>
  activity === undefined
    ? '<compensateEventDefinition/>'
    : `<compensateEventDefinition activityRef="${activity}"/>`;
export const condition = (text: string) =>
  `<conditionalEventDefinition><condition>${escapeXml(text)}</condition></conditionalEventDefinition>`;
export const link = (name: string) => `<linkEventDefinition name="${name}"/>`;
export const cancel = '<cancelEventDefinition/>';
export const terminate = '<terminateEventDefinition/>';

export const loop = (inner: string, attributes: Attributes = {}) => {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  return `<multiInstanceLoopCharacteristics${written.join('')}>${inner}</multiInstanceLoopCharacteristics>`;
};
export const times = (count: number | string, attributes: Attributes = {}, completion?: string) =>
  loop(
    `<loopCardinality>${escapeXml(String(count))}</loopCardinality>${completion === undefined ? '' : `<completionCondition>${escapeXml(completion)}</completionCondition>`}`,
    attributes,
  );
/** A process of one activity between its start and its end, and what stands beside the activity. */
export const around = (...elements: readonly string[]) =>
  bpmn(start() + elements.join('') + end() + path('s', /id="([^"]*)"/.exec(elements[0]!)![1]!, 'e'));
export const extension = (inner: string) => `<extensionElements>${inner}</extensionElements>`;
/** A compensation boundary on an activity, with its handler. */
export const undoneBy = (activity: string, handler: string) =>
  boundary(`undo-${activity}`, activity, '<compensateEventDefinition/>') +
  tag('association', `undo-${activity}-${handler}`, {
    sourceRef: `undo-${activity}`,
    targetRef: handler,
    associationDirection: 'One',
  });
