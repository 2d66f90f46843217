import { didYouMean, NotFoundError } from '#errors/index.ts';
import { answerFromMemory, collection, type RouteHandler, resource } from '#resource/index.ts';

/** What clients of the field look for before they offer it. */
const FEATURES = [
  { _id: 'workflow', name: 'workflow', enabled: true },
  { _id: 'email', name: 'email', enabled: true },
  { _id: 'registration', name: 'registration', enabled: false },
  { _id: 'passwordReset', name: 'passwordReset', enabled: false },
  { _id: 'retrieveUsername', name: 'retrieveUsername', enabled: false },
] as const;

/** `/info/features`: what a user interface of the field may offer here. */
export function featuresResource(): RouteHandler {
  return collection({
    description: { title: 'features' },
    query: async (_context, request) => answerFromMemory(request, FEATURES),
    async read(_context, _request, id) {
      const found = FEATURES.find(({ _id }) => _id === id);
      if (found === undefined) {
        const ids = FEATURES.map(({ _id }) => _id);
        throw new NotFoundError(`There is no feature '${id}'`, {
          id: 'INFO_NO_FEATURE',
          hint: didYouMean(id, ids) ?? `There are ${ids.join(', ')}`,
        });
      }
      const { _id, ...content } = found;
      return resource(id, null, content);
    },
  });
}
