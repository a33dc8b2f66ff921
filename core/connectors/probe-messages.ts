import type { MessageSource } from './message-source.ts';
import { blocked, OK, type Probed, probed, type SourceProbe } from './probe.ts';

/**
 * Tests a source of messages by its own reads: each container that is selected, and the first page of one.
 * @param selected how the configuration names the containers, in its order
 * @param denied the result if the source refuses a container
 */
export async function probeMessages(
  source: MessageSource,
  { selected, denied }: { selected: readonly string[]; denied: Probed },
  signal: AbortSignal,
): Promise<Pick<SourceProbe, 'sites' | 'drive'>> {
  let first: string | undefined;
  const sites = await probed(async () => {
    const { containers, refused } = await source.listContainers(signal);
    first = containers.find(({ entry }) => !refused.some(({ name }) => name === entry))?.externalId;
    const names = selected.map((name) => name.toLowerCase());
    const [worst] = refused
      .map(({ name, reason }) => ({ position: names.indexOf(name.toLowerCase()) + 1, reason }))
      .sort((a, b) => a.position - b.position);
    if (worst === undefined) return first === undefined ? blocked('no_site') : OK;
    const why = worst.reason === 'denied' ? denied : blocked('site_not_found');
    return { ...why, position: worst.position };
  }, signal);
  const drive = await probed(async (): Promise<Probed> => {
    if (first === undefined) return sites.state === 'ok' ? blocked('no_site') : sites;
    const [feed] = await source.listFeeds(first, signal);
    if (feed !== undefined) await source.listMessages(first, feed, null, signal);
    return OK;
  }, signal);
  return { sites, drive };
}
