import type { ModdleElement } from 'bpmn-moddle';
import type { Box, Colours, Diagram, Edge, EventMark, Point, Shape } from '../diagram.ts';
import { attribute, child, children, idOf, tagOf, textOf } from './model-element.ts';
import { parseModel } from './process-file.ts';
import { withoutAbsent } from './read-user-task.ts';

/** More than anybody draws; what is beyond is left out. */
const MAX_ELEMENTS = 2000;
const MAX_POINTS = 200;
const MAX_COORDINATE = 100_000;
const MAX_NAME = 300;

/**
 * The drawing of a process in its file, or undefined when the file holds none. Of several drawings it is the
 * one that shows the process; the insides of collapsed sub-processes are not part of it.
 *
 * @throws BadRequestError `WORKFLOW_BAD_XML`, PayloadTooLargeError
 */
export async function readDiagram(xml: string, key: string): Promise<Diagram | undefined> {
  const { rootElement: root } = await parseModel(xml);
  const planes = children(root, 'diagrams').flatMap((diagram) => child(diagram, 'plane') ?? []);
  const plane = planes.find((candidate) => shows(candidate, key)) ?? planes[0];
  if (plane === undefined) return undefined;
  const drawn = children(plane, 'planeElement').slice(0, MAX_ELEMENTS);
  const shown = new Set(drawn.flatMap((item) => child(item, 'bpmnElement') ?? []));
  const shapes = drawn.flatMap((item) => readShape(item, shown) ?? []);
  if (shapes.length === 0) return undefined;
  return { shapes, edges: drawn.flatMap((item) => readEdge(item) ?? []), containers: readContainers(root) };
}

/** Whether a drawing is that of the process itself, or of a collaboration it takes part in. */
function shows(plane: ModdleElement, key: string): boolean {
  const subject = child(plane, 'bpmnElement');
  if (subject === undefined) return false;
  if (tagOf(subject) === 'process') return idOf(subject) === key;
  return children(subject, 'participants').some((pool) => {
    const process = child(pool, 'processRef');
    return process !== undefined && idOf(process) === key;
  });
}

function readShape(item: ModdleElement, shown: ReadonlySet<ModdleElement>): Shape | undefined {
  const element = child(item, 'bpmnElement');
  const box = readBox(child(item, 'bounds'));
  if (element === undefined || box === undefined || item.$type !== 'bpmndi:BPMNShape') return undefined;
  const tag = tagOf(element);
  const inner = children(element, 'flowElements');
  const isSubProcess = tag === 'subProcess' || tag === 'transaction' || tag === 'adHocSubProcess';
  const written = item['isExpanded'];
  return {
    id: idOf(element),
    tag,
    box,
    ...withoutAbsent({
      name: nameOf(element),
      label: readBox(child(item, 'label') && child(child(item, 'label')!, 'bounds')),
      event: readEvent(element, tag),
      loop: readLoop(element),
      isHorizontal: tag === 'participant' || tag === 'lane' ? item['isHorizontal'] !== false : undefined,
      isExpanded: isSubProcess
        ? typeof written === 'boolean'
          ? written
          : inner.some((node) => shown.has(node))
        : undefined,
      isEventSubProcess: element['triggeredByEvent'] === true ? true : undefined,
      isTransaction: tag === 'transaction' ? true : undefined,
      isForCompensation: element['isForCompensation'] === true ? true : undefined,
      isCollection: isCollection(element) ? true : undefined,
    }),
    ...readColours(item),
  };
}

function readEdge(item: ModdleElement): Edge | undefined {
  const element = child(item, 'bpmnElement');
  if (element === undefined || item.$type !== 'bpmndi:BPMNEdge') return undefined;
  const points = children(item, 'waypoint')
    .slice(0, MAX_POINTS)
    .flatMap((point) => readPoint(point) ?? []);
  if (points.length < 2) return undefined;
  const source = child(element, 'sourceRef');
  const isFlow = tagOf(element) === 'sequenceFlow';
  const isFromGateway = source !== undefined && tagOf(source).endsWith('Gateway');
  return {
    id: idOf(element),
    tag: tagOf(element),
    points,
    ...withoutAbsent({
      name: nameOf(element),
      label: readBox(child(item, 'label') && child(child(item, 'label')!, 'bounds')),
      isDefault: isFlow && source?.['default'] === element ? true : undefined,
      isConditional:
        isFlow && !isFromGateway && child(element, 'conditionExpression') !== undefined ? true : undefined,
      isDirected: ['One', 'Both'].includes(String(element['associationDirection'])) ? true : undefined,
    }),
    ...readColours(item),
  };
}

/** What the drawing says of an event; undefined for anything else. */
function readEvent(element: ModdleElement, tag: string): EventMark | undefined {
  if (!tag.endsWith('Event')) return undefined;
  const definitions = children(element, 'eventDefinitions').map((definition) =>
    tagOf(definition).replace(/EventDefinition$/, ''),
  );
  const isParallel = element['parallelMultiple'] === true;
  const kind = definitions.length > 1 ? (isParallel ? 'parallelMultiple' : 'multiple') : definitions[0];
  return {
    ...withoutAbsent({ kind }),
    isThrowing: tag === 'endEvent' || tag === 'intermediateThrowEvent',
    isInterrupting: element['cancelActivity'] !== false && element['isInterrupting'] !== false,
  };
}

function readLoop(element: ModdleElement): Shape['loop'] {
  const loop = child(element, 'loopCharacteristics');
  if (loop === undefined) return undefined;
  if (tagOf(loop) !== 'multiInstanceLoopCharacteristics') return 'loop';
  return loop['isSequential'] === true ? 'sequential' : 'parallel';
}

function nameOf(element: ModdleElement): string | undefined {
  const text = textOf(child(element, 'text')) ?? attribute(element, 'text');
  const category = child(element, 'categoryValueRef');
  const name =
    tagOf(element) === 'textAnnotation'
      ? text
      : (attribute(element, 'name') ?? (category && attribute(category, 'value')));
  return name === undefined || name.trim() === '' ? undefined : readable(name.slice(0, MAX_NAME));
}

/** Expressions in a name are shown by what they are about: `${person.name}` as ‹name›. */
function readable(name: string): string {
  return name.replace(/[$#]\{([^}]*)\}/g, (_expression, inner: string) => {
    const [word] = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(inner.trim()) ?? [];
    return word === undefined ? '…' : `‹${word}›`;
  });
}

function isCollection(element: ModdleElement): boolean {
  const data = child(element, 'dataObjectRef');
  return element['isCollection'] === true || data?.['isCollection'] === true;
}

function readContainers(root: ModdleElement): Record<string, string> {
  const containers: Record<string, string> = {};
  const gather = (element: ModdleElement, container: string | undefined) => {
    for (const inner of children(element, 'flowElements')) {
      if (container !== undefined && idOf(inner) !== '') containers[idOf(inner)] = container;
      gather(inner, idOf(inner));
    }
  };
  for (const element of children(root, 'rootElements')) gather(element, undefined);
  return containers;
}

function readBox(bounds: ModdleElement | undefined): Box | undefined {
  const corner = bounds && readPoint(bounds);
  const width = size(bounds?.['width']);
  const height = size(bounds?.['height']);
  if (corner === undefined || width === undefined || height === undefined) return undefined;
  return { ...corner, width, height };
}

function readPoint(element: ModdleElement): Point | undefined {
  const { x, y } = element;
  return isCoordinate(x) && isCoordinate(y) ? { x, y } : undefined;
}

function size(value: unknown): number | undefined {
  return isCoordinate(value) && value > 0 ? value : undefined;
}

function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE;
}

/** Two editors' ways of writing colours, one of them known to the parser; anything but a plain colour is ignored. */
function readColours(item: ModdleElement): Colours {
  return withoutAbsent({
    stroke: colourOf(item['border-color'] ?? item['stroke'] ?? item.$attrs['color:border-color']),
    fill: colourOf(item['background-color'] ?? item['fill'] ?? item.$attrs['color:background-color']),
  });
}

function colourOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined;
}
