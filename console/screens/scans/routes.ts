import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';

export const listRoute = createRoute({ getParentRoute: () => rootRoute, path: '/scans' });

export const scanRoute = createRoute({ getParentRoute: () => rootRoute, path: '/scans/$id' });
