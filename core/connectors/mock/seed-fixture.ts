import { createHash } from 'node:crypto';
import type { Grant } from '../connector.ts';
import type { TemplateName } from './documents/templates.ts';
import { fixtureBytes, fixtureDocument } from './fixture-content.ts';
import { ANYONE_GRANT, ORGANIZATION_GRANT, siteGrants } from './fixture-grants.ts';
import { COPIES, type PlannedKind, type Rank, SITES } from './fixture-plan.ts';
import type { Fixture, FixtureItem, FixtureScope } from './fixture-store.ts';
import { dayOf } from './identifiers.ts';
import { LABEL_CATALOG } from './label-catalog.ts';
import { person } from './people.ts';
import { seededRandom } from './random.ts';

type Blueprint = {
  site: string;
  folder: string;
  template: TemplateName;
  format: FixtureItem['format'];
  contentKey: string;
  rank: Rank;
  /** By default, the name follows from the title and format of the document. */
  name?: string;
  declaredSize?: number;
  readable?: boolean;
};

/** The rows of a fresh fixture tenant. Pure: the same seed always gives the same rows. */
export function seedFixture(seed: string): Fixture {
  const planned = SITES.flatMap((site) =>
    site.kinds.flatMap((kind) => blueprintsOf(seed, site.externalId, kind)),
  );
  const copies = COPIES.flatMap(({ template, toSite, folder }) =>
    planned
      .filter((blueprint) => blueprint.template === template)
      .slice(0, 1)
      .map((original): Blueprint => ({ ...original, site: toSite, folder })),
  );
  const blueprints = [...planned, ...copies, ...oddities(seed)];
  const items: FixtureItem[] = [];
  const scopes = SITES.map(({ externalId, name }): FixtureScope => {
    const own = blueprints.filter((blueprint) => blueprint.site === externalId);
    const taken = new Set<string>();
    own.forEach((blueprint, at) => {
      items.push(itemOf(seed, name, blueprint, at + 1, taken));
    });
    return { externalId, name, kind: 'site', changeSeq: own.length, cursorEpoch: 1 };
  });
  return { scopes, items };
}

const blueprintsOf = (seed: string, site: string, kind: PlannedKind): Blueprint[] =>
  Array.from({ length: kind.count }, (_, at) => ({
    site,
    folder: kind.folder,
    template: kind.template,
    format: kind.format,
    contentKey: `${seed}/${site}/${kind.folder}/${kind.template}/${kind.format}/${at}`,
    rank: kind.rank,
  }));

/** Unusual files that a scan must handle. */
function oddities(seed: string): Blueprint[] {
  const odd = (name: string, format: FixtureItem['format'], more: Partial<Blueprint> = {}): Blueprint => ({
    site: 'site-general',
    folder: 'Transfer',
    template: 'meetingMinutes',
    format,
    contentKey: `${seed}/oddities/${name}`,
    rank: 1,
    name,
    ...more,
  });
  return [
    odd('Sealed offer.docx', 'encrypted'),
    odd('Damaged minutes.docx', 'corrupt'),
    odd('Housing.nwcad', 'binary'),
    odd('Placeholder.txt', 'empty'),
    odd('Line recording.csv', 'csv', { declaredSize: 6 * 1024 ** 3, readable: false }),
    odd('Locked case file.docx', 'docx', {
      site: 'site-legal',
      folder: 'Litigation',
      readable: false,
      rank: 3,
    }),
  ];
}

function itemOf(
  seed: string,
  siteName: string,
  plan: Blueprint,
  seq: number,
  taken: Set<string>,
): FixtureItem {
  const key = `${seed}/${plan.site}/${seq}`;
  const r = seededRandom(`${key}/row`);
  const source = {
    format: plan.format,
    template: plan.template,
    contentKey: plan.contentKey,
    contentRevision: 1,
    content: null,
  };
  const name = freeName(
    plan.name ?? `${fileName(fixtureDocument(source).title)}.${plan.format}`,
    plan.folder,
    taken,
  );
  return {
    ...source,
    scopeExternalId: plan.site,
    externalId: `itm-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`,
    name,
    folder: plan.folder,
    sizeBytes: plan.declaredSize ?? fixtureBytes(source).length,
    readable: plan.readable ?? true,
    metadataRevision: 1,
    labelGuid: labelOf(plan.rank, r.int(1, 100)),
    grants: [...siteGrants(siteName), ...extraGrants(r.int(1, 100), person(r, 'partner.example').email)],
    deleted: false,
    changeSeq: seq,
    createdAt: `${dayOf(r, r.int(2022, 2024))}T08:30:00.000Z`,
    modifiedAt: `${dayOf(r, 2025)}T14:05:00.000Z`,
    modifiedBy: person(r).email,
  };
}

const fileName = (title: string) =>
  title
    .replace(/[:/\\|?*"<>]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

function freeName(name: string, folder: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.');
  let free = name;
  for (let n = 2; taken.has(`${folder}/${free}`); n++)
    free = `${name.slice(0, dot)} (${n})${name.slice(dot)}`;
  taken.add(`${folder}/${free}`);
  return free;
}

/** A third has the label that fits, a few have one that is far too low, and the rest have none. */
function labelOf(rank: Rank, percent: number): string | null {
  if (percent <= 33) return LABEL_CATALOG[rank].guid;
  return percent <= 37 ? LABEL_CATALOG[0].guid : null;
}

/** Most items only have the grants of their site. Some are shared too widely for their content. */
function extraGrants(percent: number, guest: string): Grant[] {
  if (percent <= 6) return [ANYONE_GRANT];
  if (percent <= 14) return [ORGANIZATION_GRANT];
  if (percent <= 20)
    return [{ principal: guest, principalKind: 'user', external: true, role: 'read', inherited: false }];
  return [];
}
