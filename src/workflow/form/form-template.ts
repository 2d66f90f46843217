/** A deployment as forms see it. */
export interface Resources {
  get(name: string): Uint8Array | undefined;
}

/** The text of the resource that a form key names; null when the deployment holds none of that name. */
export function findTemplate(formKey: string, resources: Resources): string | null {
  const bytes = resources.get(formKey);
  return bytes === undefined ? null : new TextDecoder().decode(bytes);
}
