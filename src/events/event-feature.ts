import { type AuditConfig, auditConfig, managedConfig } from '#config/index.ts';
import { beforeCommit, type Change } from '#database/index.ts';
import type { Observation } from '#observability/index.ts';
import {
  CHANNEL,
  type Feature,
  type NodeGround,
  type NodePart,
  type Platform,
  WAKE_UP,
} from '#platform/index.ts';
import {
  type Context,
  formatPath,
  type RequestSink,
  rootContext,
  type SecurityContext,
} from '#resource/index.ts';
import { type AccessRules, recordedIn } from '#security/index.ts';
import type { EventDesk } from './event-desk.ts';
import { noteTelling, writeBatch } from './event-repository.ts';
import type { Judged } from './event-stream.ts';
import { EventStreams } from './event-streams.ts';
import { EventWriter } from './event-writer.ts';
import { eventsResource } from './events-resource.ts';
import { mayAsk, mayRead } from './may-listen.ts';
import { EVENT_LOOP, eventOfChange, eventOfLog, eventOfObservation, type ToldEvent } from './told-event.ts';
import { parseTopics, reading, type Topic } from './topic.ts';

export interface EventFeature extends Feature {
  /** Hears all that this node says, its script threads too. */
  readonly observe: (said: Observation) => void;
  readonly desk: EventDesk;
}

export interface EventFeatureOptions {
  readonly access: AccessRules;
  /** Shared by all threads: whether anybody in the cluster listens. */
  readonly listening: SharedArrayBuffer;
  readonly entrance: RequestSink;
}

/** `/events`, and what each node tells and hands on for it. */
export function eventFeature(platform: Platform, options: EventFeatureOptions): EventFeature {
  const { database, config, router, observe } = platform;
  const heard = new Int32Array(options.listening);
  const isHeard = () => Atomics.load(heard, 0) === 1;
  const asks = mayAsk({ ...options, router });
  const reads = mayRead(options);
  const types = () => config.get(managedConfig).objects.map(({ name }) => name);
  let writer: EventWriter | undefined;
  let streams: EventStreams | undefined;
  let nodeName = '';
  beforeCommit(database, async (unitOfWork) => {
    const { changes, actor } = unitOfWork;
    const topics = config.get(auditConfig).eventTopics;
    // Whether somebody listens counts when it is committed: who begins to listen then sees it.
    unitOfWork.afterCommit('tell who listens', () => {
      if (!isHeard()) return;
      const events = changes.flatMap((change) => eventOfChange(change, actor) ?? []);
      events.push(...recordsOf(changes, topics));
      if (events.length > 0) observe({ kind: 'changes.committed', events });
    });
  });

  /** Whoever may listen to a topic may see all of it, but for objects, and for operations, which are their makers'. */
  async function maySee(context: Context, { topic, resource }: ToldEvent): Promise<boolean> {
    if (topic === 'operation') return reads(context, reading(resource));
    return !topic.startsWith('object:') || asks(context, reading(resource));
  }

  async function judge(
    security: SecurityContext,
    events: readonly ToldEvent[],
    topics: readonly Topic[],
  ): Promise<Judged> {
    const context = listenerContext(security);
    const gone = new Set(events.flatMap((event) => (event.operation === 'delete' ? [event.resource] : [])));
    // Whoever listens to one object could read it until now: that it is gone is the last that they hear of it.
    const lost = new Set<string>();
    for (const { asks: request } of topics) {
      if (await asks(context, request)) continue;
      const path = formatPath(request.path);
      if (!gone.has(path)) throw new Error('The caller may not listen any more');
      lost.add(path);
    }
    const shown: ToldEvent[] = [];
    let isGap = false;
    for (const event of events) {
      if (lost.has(event.resource) || (await maySee(context, event))) {
        shown.push(event);
      } else {
        // Nobody can say any more whether the caller could read it.
        isGap ||= event.operation === 'delete' && router.judgesByScript([reading(event.resource)]);
      }
    }
    return { shown, isGap };
  }

  function node(ground: NodeGround): NodePart {
    const { membership, name, isWoken } = ground;
    const { nodeId } = membership;
    const failed = (error: unknown) => observe({ kind: 'loop.failed', loop: EVENT_LOOP, error });
    const own = new EventWriter({
      isHeard,
      write: (events, isGap) =>
        writeBatch(database.db, { node: name, isGap, events }, { channel: CHANNEL, topic: WAKE_UP.events }),
      failed,
    });
    const all = new EventStreams({
      database,
      nodeId,
      isWoken,
      judge,
      wakeAll: () => platform.notifier.notify(WAKE_UP.cluster),
      tellGap: () => own.tellGap(),
      observe,
    });
    writer = own;
    nodeName = name;
    streams = all;
    membership.onLook(async (nodes) => {
      const listened = nodes.some(({ state, listens }) => state === 'running' && listens);
      Atomics.store(heard, 0, listened ? 1 : 0);
      const me = nodes.find(({ id }) => id === nodeId);
      if (me !== undefined && me.tells !== listened) await noteTelling(database.db, nodeId, listened);
    });
    membership.onDrain((isDrained) => {
      if (isDrained) all.closeAll();
    });
    const writing = { name: 'event writer', start: async () => {}, stop: () => own.stop() };
    return {
      services: [writing, all],
      onWakeUp: { [WAKE_UP.events]: () => all.wake() },
      gauges: [
        {
          name: 'svc_event_streams',
          help: 'Clients that listen to events on this node',
          read: () => all.size,
        },
      ],
    };
  }

  return {
    resources: { events: eventsResource({ types, mayAsk: asks }) },
    node,
    desk: {
      async admit({ topics, ...caller }) {
        if (streams === undefined) throw new Error('Only a node has streams of events');
        return streams.admit({ ...caller, topics: parseTopics(topics, types()) });
      },
    },
    observe(said) {
      if (writer === undefined || !isHeard()) return;
      if (said.kind === 'changes.committed') return writer.tell(said.events);
      const logged = eventOfLog(said, nodeName);
      if (logged !== undefined) writer.tell([logged]);
      if (said.kind === 'login.attempted' && !config.get(auditConfig).eventTopics.authentication.enabled)
        return;
      const event = eventOfObservation(said);
      if (event === 'gap') writer.tellGap();
      else if (event !== undefined) writer.tell([event]);
    },
  };
}

/** The new entries of the audit: none is told of that the configuration leaves out. */
function recordsOf(changes: readonly Change[], topics: AuditConfig['eventTopics']): readonly ToldEvent[] {
  const recorded = new Set(changes.flatMap((change) => recordedIn(change, topics) ?? []));
  return [...recorded].map((name) => ({ topic: 'audit', resource: `audit/${name}`, operation: 'create' }));
}

/** For the rules: as the caller itself would ask, from outside. */
function listenerContext(security: SecurityContext) {
  return rootContext({
    id: 'events',
    transactionId: 'events',
    receivedAt: Date.now(),
    security,
    client: { isExternal: true, remoteAddress: '', remotePort: -1, userAgent: '', isSecure: false },
    http: null,
  });
}
