import { type GraphFake, type GraphFakeOptions, startGraphFake } from './graph-fake.ts';
import { guidOf } from './ids.ts';
import { DOCUMENTED_PERMISSIONS } from './permissions.ts';
import type { Quirks } from './state.ts';
import type { TenantSpec } from './tenant.ts';

/** Has the documented permissions. */
export const APP = { clientId: guidOf('application/small'), secret: 'small-secret' } as const;

/** One site, `Finance`, with one empty library, and one application. */
export const smallFake = (
  quirks: Partial<Quirks> = {},
  options: Omit<GraphFakeOptions, 'tenants'> = {},
  more: Partial<TenantSpec> = {},
): Promise<GraphFake> =>
  startGraphFake({
    ...options,
    tenants: [
      {
        ...{ name: 'Small', apps: [{ ...APP, permissions: [...DOCUMENTED_PERMISSIONS] }], quirks },
        sites: [{ name: 'Finance', libraries: ['Documents'] }],
        ...more,
      },
    ],
  });
