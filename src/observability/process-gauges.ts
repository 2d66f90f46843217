import type { Gauge } from './gauge.ts';

/** What this process holds of the machine; what grows here while the load does not is a leak. */
export const processGauges: readonly Gauge[] = [
  {
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process',
    read: () => process.memoryUsage.rss(),
  },
  {
    name: 'nodejs_heap_size_used_bytes',
    help: 'Heap of the main thread that is in use',
    read: () => process.memoryUsage().heapUsed,
  },
  { name: 'svc_timers', help: 'Timers of the main thread that wait', read: () => countResources('Timeout') },
  {
    name: 'svc_sockets',
    help: 'Connections of the main thread, to clients and to the database',
    read: () => countResources('TCPSocketWrap'),
  },
];

function countResources(kind: string): number {
  return process.getActiveResourcesInfo().filter((active) => active === kind).length;
}
