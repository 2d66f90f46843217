/** The name of a node's database sessions, by which a take-over ends them. */
export function sessionName(nodeId: number): string {
  return `svc:${nodeId}`;
}
