import { BpmnModdle, type ModdleElement, type ModdleResult } from 'bpmn-moddle';
import { wordsOf } from '#errors/index.ts';
import { describeExtensions } from './descriptor.ts';
import type { Findings } from './findings.ts';
import { attribute, children, idOf, tagOf } from './model-element.ts';
import { reportUnreadable } from './unreadable-part.ts';
import { badXml, guardXml } from './xml-guard.ts';

/** A parsed file: its processes, and what its references mean. */
export interface ProcessFile {
  readonly processes: readonly ModdleElement[];
  readonly category: string | undefined;
  /** The id of an element, given to it when it has none. */
  id(element: ModdleElement): string;
  /** The element a reference attribute names, or the bare text when there is no such element. */
  reference(element: ModdleElement, name: string): ModdleElement | string | undefined;
}

/** Finding the place of a mistake takes a walk through the file. */
const MAX_PLACES = 20;

const moddle = new BpmnModdle(describeExtensions());

/** @throws BadRequestError `WORKFLOW_BAD_XML`, PayloadTooLargeError */
export async function parseModel(text: string): Promise<ModdleResult> {
  return await moddle.fromXML(guardXml(text)).catch((error: unknown) => {
    const message = wordsOf(error);
    const reason = /nested error: (.*)/.exec(message)?.[1];
    const said = reason === undefined ? firstLine(message) : `${firstLine(message)}: ${reason}`;
    throw badXml(`is not BPMN: ${said}`, undefined, placeOf(message));
  });
}

/**
 * Parses a process file.
 *
 * @throws BadRequestError `WORKFLOW_BAD_XML`, PayloadTooLargeError
 */
export async function readProcessFile(text: string, findings: Findings): Promise<ProcessFile> {
  const result = await parseModel(text);
  const xml = guardXml(text);
  for (const [index, { message }] of result.warnings.entries()) {
    reportUnreadable(message, index < MAX_PLACES ? xml : '', findings);
  }
  const root = result.rootElement;
  const unresolved = new Map<ModdleElement, Map<string, string>>();
  for (const { element, property, id } of result.references) {
    const names = unresolved.get(element) ?? new Map<string, string>();
    unresolved.set(element, names.set(property.replace(/^.*:/, ''), id));
  }
  const ids = nameElements(root);
  return {
    processes: children(root, 'rootElements').filter((element) => element.$type === 'bpmn:Process'),
    category: attribute(root, 'targetNamespace'),
    id: (element) => ids.get(element) ?? idOf(element),
    reference(element, name) {
      const target = element[name];
      if (typeof target === 'object' && target !== null && '$type' in target) return target as ModdleElement;
      return unresolved.get(element)?.get(name);
    },
  };
}

/**
 * Ids for elements without one: `<tag>_<n>`, counted in document order, so that the same file always gives
 * the same ids and stored states still match after it has been compiled again.
 */
function nameElements(root: ModdleElement): Map<ModdleElement, string> {
  const elements: ModdleElement[] = [];
  const gather = (element: ModdleElement) => {
    for (const inner of [...children(element, 'rootElements'), ...children(element, 'flowElements')]) {
      elements.push(inner);
      gather(inner);
    }
  };
  gather(root);
  const taken = new Set(elements.map(idOf));
  const counts = new Map<string, number>();
  const ids = new Map<ModdleElement, string>();
  for (const element of elements) {
    if (idOf(element) !== '') continue;
    const tag = tagOf(element);
    let count = counts.get(tag) ?? 0;
    do count++;
    while (taken.has(`${tag}_${count}`));
    counts.set(tag, count);
    ids.set(element, `${tag}_${count}`);
  }
  return ids;
}

/** The parser counts from 0. */
function placeOf(message: string): { line: number; column: number } | undefined {
  const [, line, column] = /line: (\d+)\s+column: (\d+)/.exec(message) ?? [];
  return line === undefined ? undefined : { line: Number(line) + 1, column: Number(column) + 1 };
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
