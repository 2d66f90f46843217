import type { ModdleElement } from 'bpmn-moddle';
import { PREFIXES } from './descriptor.ts';

/** Access to an element of the parsed file, whichever vendor prefix it uses. */

/** A vendor attribute (`flowable:assignee`), or undefined when it is absent or empty. */
export function vendorAttribute(element: ModdleElement, ...names: string[]): string | undefined {
  for (const name of names) {
    for (const prefix of PREFIXES) {
      const value = element.$attrs[`${prefix}:${name}`];
      if (value !== undefined && value !== '') return value;
    }
  }
  return undefined;
}

export function vendorFlag(element: ModdleElement, name: string, fallback = false): boolean {
  const value = vendorAttribute(element, name);
  return value === undefined ? fallback : value.toLowerCase() === 'true';
}

/** An attribute or text child without prefix, of BPMN or of an extension element. */
export function attribute(element: ModdleElement, name: string): string | undefined {
  const value = element[name] ?? element.$attrs[name];
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isElement(value) ? textOf(value) : undefined;
}

/** The text of an element such as `<script>` or an expression. */
export function textOf(element: ModdleElement | undefined): string | undefined {
  const text = element?.['body'] ?? element?.['text'];
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  return trimmed === '' ? undefined : trimmed;
}

export function child(element: ModdleElement, name: string): ModdleElement | undefined {
  const value = element[name];
  return isElement(value) ? value : undefined;
}

export function children(element: ModdleElement, name: string): ModdleElement[] {
  const value = element[name];
  return Array.isArray(value) ? value.filter(isElement) : [];
}

/** The extension elements of that tag, in document order. */
export function extensions(element: ModdleElement, tag: string): ModdleElement[] {
  const container = child(element, 'extensionElements');
  if (container === undefined) return [];
  return children(container, 'values').filter((value) => {
    const [prefix = '', name = ''] = value.$type.split(':');
    return PREFIXES.includes(prefix) && name.toLowerCase() === tag.toLowerCase();
  });
}

/** `bpmn:UserTask` → `userTask`. */
export function tagOf(element: ModdleElement): string {
  const name = element.$type.replace(/^.*:/, '');
  return name.charAt(0).toLowerCase() + name.slice(1);
}

export function idOf(element: ModdleElement): string {
  return attribute(element, 'id') ?? '';
}

export function documentationOf(element: ModdleElement): string | undefined {
  return children(element, 'documentation')
    .map(textOf)
    .find((text) => text !== undefined);
}

function isElement(value: unknown): value is ModdleElement {
  return typeof value === 'object' && value !== null && '$type' in value;
}
