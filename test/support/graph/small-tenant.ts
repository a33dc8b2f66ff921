import { type GraphFake, type GraphFakeOptions, startGraphFake } from './graph-fake.ts';
import { guidOf } from './ids.ts';
import type { Quirks } from './state.ts';
import type { TenantSpec } from './tenant.ts';

/** May do everything, and its secret. */
export const APP = { clientId: guidOf('application/small'), secret: 'small-secret' } as const;

const PERMISSIONS = [
  ...['Sites.FullControl.All', 'Files.ReadWrite.All', 'SensitivityLabels.Read.All'],
  ...['User.Read.All', 'GroupMember.Read.All', 'Organization.Read.All'],
];

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
        ...{ name: 'Small', apps: [{ ...APP, permissions: PERMISSIONS }], quirks },
        sites: [{ name: 'Finance', libraries: ['Documents'] }],
        ...more,
      },
    ],
  });
