import { createRootRoute } from '@tanstack/react-router';

/** Above all addresses; what is drawn around the pages is given to it by the router. */
export const rootRoute = createRootRoute();
