/** What one can listen to; objects besides, by their types. */
export const TOPICS: readonly string[] = [
  'firing',
  'schedule',
  'scan',
  'operation',
  'node',
  'task',
  'instance',
  'deadletter',
  'config',
  'audit',
  'log',
];
