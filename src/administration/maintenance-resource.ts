import { NotSupportedError } from '#errors/index.ts';
import { ActionTable, actionResult, bodyOf, NO_BODY, type RouteHandler, singleton } from '#resource/index.ts';

/** `/maintenance`: clients of the field ask whether the server takes no changes for a while, which it never does. */
export function maintenanceResource(): RouteHandler {
  const unknown = async () => {
    throw new NotSupportedError('The server has no maintenance mode', {
      id: 'MAINTENANCE_NONE',
      hint: 'Nodes are upgraded one by one, while the others serve',
    });
  };
  return singleton({
    description: { title: 'maintenance' },
    actions: new ActionTable({
      status: {
        does: 'Says that the server takes changes',
        takes: NO_BODY,
        answers: bodyOf({ maintenanceEnabled: { type: 'boolean' } }, 'maintenanceEnabled'),
        run: async () => actionResult({ maintenanceEnabled: false }),
      },
      enable: { does: 'There is no such mode', isDescribed: false, run: unknown },
      disable: { does: 'There is no such mode', isDescribed: false, run: unknown },
    }),
  });
}
