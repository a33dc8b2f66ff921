import { type Me, seesActions } from './session.ts';

const can =
  (capability: Me['capabilities'][number]) =>
  ({ capabilities }: Me): boolean =>
    capabilities.includes(capability);

/** The views of the navigation, in its order: who has each, and its key after a `g`. */
export const VIEWS = [
  { to: '/', name: 'Home', key: 'h', has: () => true },
  { to: '/review', name: 'Review', key: 'r', has: can('review.read') },
  { to: '/assets', name: 'Assets', key: 'a', has: can('asset.metadata.read') },
  { to: '/findings', name: 'Findings', key: 'f', has: can('finding.read') },
  { to: '/actions', name: 'Actions', key: 'c', has: seesActions },
] as const satisfies readonly { to: string; name: string; key: string; has: (me: Me) => boolean }[];

/** Whether the address is in a view that the person does not have, by a link of somebody else. */
export const isForOthers = (me: Me, path: string): boolean =>
  VIEWS.some(({ to, has }) => (path === to || path.startsWith(`${to}/`)) && !has(me));
