import { readBarArchive } from './bar-archive.ts';

const DEPLOYABLE = /^[^.].*\.(?:bar|xml|bpmn)$/i;
const MODEL_NAMESPACE = 'http://www.omg.org/spec/BPMN/20100524/MODEL';

/** Whether a file of that name in the watched directory may be deployed. */
export function isDeployable(name: string): boolean {
  return DEPLOYABLE.test(name);
}

/**
 * The resources that a file consists of: those of an archive, or the file itself; undefined for XML that is
 * about something else.
 */
export async function readResources(
  name: string,
  bytes: Buffer,
): Promise<ReadonlyMap<string, Buffer> | undefined> {
  if (name.toLowerCase().endsWith('.bar')) return readBarArchive(bytes);
  return bytes.includes(MODEL_NAMESPACE) ? new Map([[name, bytes]]) : undefined;
}
