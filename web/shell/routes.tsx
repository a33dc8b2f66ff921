import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { facetsQuery, listQuery } from '../assets/list-query.ts';
import { Skeleton } from '../design/notice.tsx';
import { queueQuery } from '../review/queue-query.ts';
import { NotFound } from './not-found.tsx';
import { queryClient } from './query-client.ts';
import { text } from './search.ts';
import { meQuery } from './session.ts';
import { Shell } from './shell.tsx';
import { ViewFailure } from './view-failure.tsx';
import { isForOthers } from './views.ts';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { returnTo?: string; code?: string } => ({
    ...text('returnTo', search),
    ...text('code', search),
  }),
  component: lazyRouteComponent(() => import('../auth/sign-in.tsx'), 'SignIn'),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const me = await context.queryClient.ensureQueryData(meQuery);
    if (me === null) {
      throw redirect({ to: '/sign-in', search: { returnTo: location.href }, replace: true });
    }
    // The first use of a locale takes as long as a view, so it is made while the service is asked.
    setTimeout(() => (0).toLocaleString());
    return { me };
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('../home/home.tsx'), 'Home'),
});

/** Filters and the question in view. */
export type ReviewSearch = {
  domain?: string;
  type?: string;
  severity?: string;
  why?: string;
  q?: string;
  question?: string;
  series?: string;
};

const reviewSearch = (search: Record<string, unknown>): ReviewSearch => ({
  ...text('domain', search),
  ...text('type', search),
  ...text('severity', search),
  ...text('why', search),
  ...text('q', search),
  ...text('question', search),
  ...text('series', search),
});

const review = createRoute({
  getParentRoute: () => shell,
  path: '/review',
  validateSearch: reviewSearch,
  // What a view reads first is read while the view itself is loaded.
  loader: ({ context: { queryClient, me }, location }) => {
    if (isForOthers(me, location.pathname)) return;
    void queryClient.prefetchQuery(queueQuery(reviewSearch(location.search)));
  },
  component: lazyRouteComponent(() => import('../review/review.tsx'), 'Review'),
});

/** Filters of the list of assets. An empty text removes one. */
export type AssetSearch = {
  q?: string;
  domain?: string;
  type?: string;
  scope?: string;
  severity?: string;
  label?: string;
  exposure?: string;
  format?: string;
  content?: string;
  sort?: string;
  columns?: string;
};

export const assetSearch = (search: Record<string, unknown>): AssetSearch => ({
  ...text('q', search),
  ...text('domain', search),
  ...text('type', search),
  ...text('scope', search),
  ...text('severity', search),
  ...text('label', search),
  ...text('exposure', search),
  ...text('format', search),
  ...text('content', search),
  ...text('sort', search),
  ...text('columns', search),
});

const assets = createRoute({
  getParentRoute: () => shell,
  path: '/assets',
  validateSearch: assetSearch,
  loader: ({ context: { queryClient, me }, location }) => {
    if (isForOthers(me, location.pathname)) return;
    const search = assetSearch(location.search);
    void queryClient.prefetchQuery(listQuery(search));
    void queryClient.prefetchQuery(facetsQuery(search));
  },
  component: lazyRouteComponent(() => import('../assets/asset-list.tsx'), 'AssetList'),
});

const asset = createRoute({
  getParentRoute: () => shell,
  path: '/assets/$assetId',
  component: lazyRouteComponent(() => import('../assets/asset.tsx'), 'Asset'),
});

/** Filters of the findings. */
export type FindingSearch = { status?: string; severity?: string; kind?: string; domain?: string };

const findings = createRoute({
  getParentRoute: () => shell,
  path: '/findings',
  validateSearch: (search: Record<string, unknown>): FindingSearch => ({
    ...text('status', search),
    ...text('severity', search),
    ...text('kind', search),
    ...text('domain', search),
  }),
  component: lazyRouteComponent(() => import('../findings/findings.tsx'), 'Findings'),
});

/** Filters of the list of actions. */
export type ActionSearch = {
  status?: string | undefined;
  kind?: string | undefined;
  mine?: string | undefined;
};

const actions = createRoute({
  getParentRoute: () => shell,
  path: '/actions',
  validateSearch: (search: Record<string, unknown>): ActionSearch => ({
    ...text('status', search),
    ...text('kind', search),
    ...text('mine', search),
  }),
  component: lazyRouteComponent(() => import('../actions/action-list.tsx'), 'ActionList'),
});

const action = createRoute({
  getParentRoute: () => shell,
  path: '/actions/$actionId',
  component: lazyRouteComponent(() => import('../actions/action.tsx'), 'ActionView'),
});

/** Filters of the list of tasks. */
export type TaskSearch = { status?: string | undefined; mine?: string | undefined };

const tasks = createRoute({
  getParentRoute: () => shell,
  path: '/actions/tasks',
  validateSearch: (search: Record<string, unknown>): TaskSearch => ({
    ...text('status', search),
    ...text('mine', search),
  }),
  component: lazyRouteComponent(() => import('../actions/task-list.tsx'), 'TaskList'),
});

const design = createRoute({
  getParentRoute: () => root,
  path: '/design',
  component: lazyRouteComponent(() => import('../design/design-page.tsx'), 'DesignPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    design,
    shell.addChildren([home, review, assets, asset, findings, actions, action, tasks]),
  ]),
  context: { queryClient },
  defaultPreload: 'intent',
  defaultErrorComponent: ViewFailure,
  defaultPendingComponent: () => (
    <div className="page">
      <Skeleton />
    </div>
  ),
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
