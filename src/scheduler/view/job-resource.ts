import { pageResult } from '#repo/index.ts';
import {
  type CollectionProvider,
  collection,
  dbOf,
  newIdOf,
  plainQuery,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  requireSameId,
} from '#resource/index.ts';
import { type JobActions, ownId } from '../job-actions.ts';
import type { KeptSchedules, SchedulerPlatform } from '../schedule/kept-schedules.ts';
import { requireNoSecretContext } from '../schedule/secret-context.ts';
import { listInvokeContexts } from '../store/job-repository.ts';
import { type JobView, queryJobViews } from './job-view-repository.ts';
import { validatingCron } from './scheduler-resource.ts';

/** `/scheduler/job`: the schedules. */
export function jobResource(
  platform: SchedulerPlatform,
  schedules: KeptSchedules,
  actions: JobActions,
): RouteHandler {
  return { ...validatingCron(collection(jobProvider(platform, schedules, actions))), envelopes: 'seals' };
}

function jobProvider(
  platform: SchedulerPlatform,
  schedules: KeptSchedules,
  actions: JobActions,
): CollectionProvider {
  return {
    description: { title: 'schedules' },

    async create(context, request) {
      const { _id } = request.content;
      if (request.byAction === true && _id !== undefined) throw ownId(_id);
      return schedules.create(context, newIdOf(request), request.content);
    },

    read: (context, _request, id) => schedules.read(context, id),

    exists: async (context, id) => (await schedules.find(context, id)) !== undefined,

    async update(context, request, id) {
      requireSameId(request.content, id);
      return schedules.update(context, id, request.content, request.revision);
    },

    delete: (context, request, id) => schedules.delete(context, id, request.revision),

    async query(context, request) {
      const db = await dbOf(platform, context);
      await requireNoSecretContext(plainQuery(request).filter, request.sortKeys, platform.secrets, () =>
        listInvokeContexts(db),
      );
      const views = await queryJobViews(
        await questionReaderOf(platform, context),
        request,
        platform.nodeName,
      );
      const shown = new Map<JobView, Resource>();
      for (const view of views.rows) shown.set(view, await schedules.show(context, view));
      return pageResult(
        views,
        ({ id }) => id,
        (view) => shown.get(view)!,
      );
    },

    ...actions,
  };
}
