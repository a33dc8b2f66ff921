import type { TenantId } from '../../../core/kernel/ids.ts';
import type { FakeClouds } from '../../../core/runtime.ts';
import type { Acted } from './acts.ts';
import { startActsPage } from './acts-page.ts';
import { serviceViews } from './service-view.ts';

/** A fake of a cloud for `npm start`, with a page to act in it. */
export type LocalCloud = {
  /** What the service is composed with. */
  clouds: FakeClouds;
  /** The settings with which the service reads the fake. */
  settings: Record<string, string>;
  /** Where a person acts as the users of the fake. */
  actsUrl: string;
  /** Says where the service serves and keeps its data, so that notifications reach it and the page shows what it knows. */
  serve(service: { url: string; databaseUrl: string; tenantId: TenantId }): void;
  close(): Promise<void>;
};

type LocalCloudParts<Act extends string> = Pick<LocalCloud, 'clouds' | 'settings' | 'close'> & {
  acted: Acted<Act>;
  /** Forgets the calls that the fake keeps for tests, if there are too many. */
  forgetCalls(): void;
};

/** More calls than a test makes. */
export const MAX_CALLS = 10_000;

/** Serves the page of a fake. */
export async function startLocalCloud<Act extends string>({
  acted,
  forgetCalls,
  ...cloud
}: LocalCloudParts<Act>): Promise<LocalCloud> {
  let views: ReturnType<typeof serviceViews> | null = null;
  const page = await startActsPage(acted, async () => views?.read() ?? new Map());
  const timer = setInterval(forgetCalls, 1_000);
  return {
    ...cloud,
    actsUrl: page.origin,
    serve: ({ databaseUrl, tenantId }) => {
      views = serviceViews(databaseUrl, tenantId);
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([page.close(), cloud.close()]);
      await views?.close();
    },
  };
}
