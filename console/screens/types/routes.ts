import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';

export const listRoute = createRoute({ getParentRoute: () => rootRoute, path: '/types' });

export const typeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/types/$type' });
