import { words } from '../../kernel/words.ts';
import type { DirectoryGroup, DirectoryPerson } from '../directory.ts';
import { PERSONAS } from './development-tenant.ts';
import { SITES } from './fixture-plan.ts';
import { emailOf, NAMES } from './people.ts';
import { seededRandom } from './random.ts';

/** The staff of the fixture's company: its personas, and everybody whom its files name. Pure data. */
export type FixturePerson = DirectoryPerson & { managerId: string | null };

/** `groupIds`: the groups inside the group. `ownerIds`: who manages the group; owners need not be members. */
export type FixtureGroup = DirectoryGroup & {
  memberIds: readonly string[];
  groupIds: readonly string[];
  ownerIds: readonly string[];
};

const idOf = (kind: 'dir' | 'grp', name: string) => `${kind}_${words(name).join('_')}`;

const CHIEF = 'Greta Hoffmann';
const CHIEF_ID = idOf('dir', CHIEF);

/** Heads that nobody signs in as. */
const HEADS: Readonly<Record<string, { title: string; department: string }>> = {
  [CHIEF]: { title: 'Chief Executive Officer', department: 'Executive Board' },
  'Nadia Petersen': { title: 'Chief Operating Officer', department: 'Operations' },
  'Samir Novak': { title: 'Head of Customer Support', department: 'Customer Support' },
  'Ulrich Keller': { title: 'Head of Information Technology', department: 'Information Technology' },
  'Paula Garcia': { title: 'Office Manager', department: 'Facilities' },
};

type Team = {
  department: string;
  headId: string;
  /** The site of the fixture where the team works. */
  site: string | null;
  titles: readonly [string, ...string[]];
};

const team = (department: string, headId: string, site: string | null, ...titles: Team['titles']): Team => ({
  department,
  headId,
  site,
  titles,
});

const TEAMS: readonly [Team, ...Team[]] = [
  team('Finance', 'pri_amara_okafor', 'Finance', 'Accountant', 'Controller', 'Treasury Analyst'),
  team(
    'Human Resources',
    'pri_lena_vogel',
    'People',
    'Recruiter',
    'Payroll Specialist',
    'Training Coordinator',
  ),
  team('Legal', 'pri_daniel_whitcombe', 'Legal', 'Legal Counsel', 'Contract Manager', 'Paralegal'),
  team('Security', 'pri_yuki_tanaka', null, 'Security Engineer', 'Security Analyst'),
  team('Sales', 'pri_sofia_marchetti', 'Sales', 'Account Manager', 'Sales Engineer', 'Pricing Analyst'),
  team(
    'Engineering',
    'pri_rafael_duarte',
    'Engineering',
    'Firmware Engineer',
    'Product Manager',
    'Test Engineer',
  ),
  team(
    'Operations',
    idOf('dir', 'Nadia Petersen'),
    'Operations',
    'Production Planner',
    'Buyer',
    'Safety Technician',
  ),
  team(
    'Customer Support',
    idOf('dir', 'Samir Novak'),
    'Customer support',
    'Support Agent',
    'Service Technician',
  ),
  team(
    'Information Technology',
    idOf('dir', 'Ulrich Keller'),
    null,
    'System Administrator',
    'Service Desk Agent',
  ),
  team('Facilities', idOf('dir', 'Paula Garcia'), 'General', 'Receptionist', 'Office Assistant'),
];

/** Who is neither the head of a team nor manages it reports to the team's head; a department without a team, to the chief. */
function managerIdOf(directoryId: string, department: string): string | null {
  if (directoryId === CHIEF_ID) return null;
  if (directoryId === 'pri_tomas_ibarra') return 'pri_helena_brandt';
  const headId = TEAMS.find((each) => each.department === department)?.headId ?? CHIEF_ID;
  return headId === directoryId ? CHIEF_ID : headId;
}

const personOf = (
  directoryId: string,
  displayName: string,
  { title, department }: { title: string; department: string },
): FixturePerson => ({
  ...{ directoryId, displayName, title, department, email: emailOf(displayName) },
  managerId: managerIdOf(directoryId, department),
});

/** What somebody does whom nothing else says it of; the same on every machine. */
function placeOf(name: string): { title: string; department: string } {
  const r = seededRandom(`staff/${name}`);
  const { department, titles } = r.pick(TEAMS);
  return { department, title: r.pick(titles) };
}

export const FIXTURE_PEOPLE: readonly FixturePerson[] = [
  ...PERSONAS.map((persona) => personOf(persona.id, persona.displayName, persona)),
  ...NAMES.map((name) => personOf(idOf('dir', name), name, HEADS[name] ?? placeOf(name))),
];

const EVERYBODY: FixtureGroup = {
  ...{ groupId: idOf('grp', 'All Employees'), displayName: 'All Employees', groupIds: [] },
  memberIds: FIXTURE_PEOPLE.map(({ directoryId }) => directoryId),
  ownerIds: [idOf('dir', 'Ulrich Keller')],
};

/** As the grants of the site name them. The head of the team owns them. Owners are members, and all employees visitors. */
function groupsOf(site: string): FixtureGroup[] {
  const { department, headId } = TEAMS.find((each) => each.site === site) ?? TEAMS[0];
  const staff = FIXTURE_PEOPLE.filter((person) => person.department === department);
  const group = (kind: string, memberIds: readonly string[], ...inside: FixtureGroup[]): FixtureGroup => ({
    ...{ groupId: idOf('grp', `${site} ${kind}`), displayName: `${site} ${kind}`, memberIds },
    groupIds: inside.map(({ groupId }) => groupId),
    ownerIds: [headId],
  });
  const owners = group('Owners', [headId]);
  const members = staff.map(({ directoryId }) => directoryId).filter((directoryId) => directoryId !== headId);
  return [owners, group('Members', members, owners), group('Visitors', [], EVERYBODY)];
}

export const FIXTURE_GROUPS: readonly FixtureGroup[] = [
  EVERYBODY,
  ...SITES.flatMap(({ name }) => groupsOf(name)),
];
