/** A property's name as it stands in the names of its getter and setter. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
