/** How things are drawn: one stroke and one fill a kind, text in one ink. */
export interface Style {
  readonly stroke: string;
  readonly fill: string;
}

export const INK = '#1f2937';
export const PAPER = '#ffffff';
export const LINE = '#4b5563';

export const ACTIVE: Style = { stroke: '#d61f1f', fill: '#fdeaea' };

/** Where a job is out of attempts. */
export const FAILED: Style = { stroke: '#7f1010', fill: '#f3b6b6' };

const TASK: Style = { stroke: '#41619a', fill: '#f3f6fc' };
const CONTAINER: Style = { stroke: '#41619a', fill: '#ffffff' };
const GATEWAY: Style = { stroke: '#a8740f', fill: '#fff7e0' };
const START: Style = { stroke: '#23804c', fill: '#eaf8ef' };
const END: Style = { stroke: '#333d4d', fill: '#eef0f3' };
const EVENT: Style = { stroke: '#41619a', fill: '#ffffff' };
const POOL: Style = { stroke: '#8593a8', fill: '#ffffff' };
const DATA: Style = { stroke: '#6b7686', fill: '#fbfbfc' };

/** Band of a pool or lane that holds its name. */
export const POOL_BAND = '#edf1f7';

export function styleOf(tag: string, isExpanded: boolean): Style {
  if (isExpanded) return CONTAINER;
  if (tag.endsWith('Gateway')) return GATEWAY;
  if (tag === 'startEvent') return START;
  if (tag === 'endEvent') return END;
  if (tag.endsWith('Event')) return EVENT;
  if (tag === 'participant' || tag === 'lane') return POOL;
  if (tag.startsWith('data') || tag === 'textAnnotation' || tag === 'group') return DATA;
  return TASK;
}

export const FONT_FAMILY = 'DejaVu Sans Condensed';
/** The bundled font, and what a browser may take when it has not got it. */
export const FONT_STACK = `'${FONT_FAMILY}', 'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif`;
export const FONT_SIZE = 12;
export const LABEL_SIZE = 11;
