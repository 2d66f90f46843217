const INTERNAL_ROLE = /^(?:repo\/)?internal\/role\/([^/]+)$/;

/** The name of the internal role that a reference leads to; undefined for anything else. */
export function internalRole(reference: string): string | undefined {
  const segment = INTERNAL_ROLE.exec(reference)?.[1];
  return segment === undefined ? undefined : decodedSegment(segment);
}

/** A segment of a path; as it stands where it is wrongly encoded. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
