import type { Request, Resource } from '#resource/index.ts';

/** `_fields` is also the switch for what is costly to make. */
export function asksFor(request: Request, field: string): boolean {
  return request.fields.some((pointer) => pointer[0] === field);
}

export function asksForDiagram(request: Request): boolean {
  return asksFor(request, 'diagram');
}

/** `*` beside such a switch keeps all fields. */
export function keepAllFields(request: Request, answer: Resource): Resource {
  return asksFor(request, '*') ? { ...answer, fieldsSelected: true } : answer;
}

export const SVG = 'image/svg+xml';

/** The media type as which a field is wanted plain. */
export function wantedAs(request: Request): string | undefined {
  return request.method === 'read' ? request.mimeType : undefined;
}
