/** What `svc why` asks a node about; of schedules and users the database tells as well. */
export const WHY_OF_NODES = ['process', 'task', 'node', 'object', 'account', 'request'] as const;
