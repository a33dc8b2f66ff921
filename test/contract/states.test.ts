import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ACTION_TRANSITIONS } from '../../core/actions/action-states.ts';
import { TASK_TRANSITIONS } from '../../core/actions/task-states.ts';
import { FINDING_TRANSITIONS } from '../../core/findings/finding-states.ts';
import { ASSIGNMENT_TRANSITIONS } from '../../core/governance/assignment-states.ts';
import { MAPPING_TRANSITIONS, TAXONOMY_TRANSITIONS } from '../../core/governance/taxonomy-states.ts';
import type { Transition } from '../../core/kernel/transition.ts';
import { LICENSE_TRANSITIONS } from '../../core/licensing/license-state.ts';
import { DATASET_CANDIDATE_TRANSITIONS } from '../../core/models/dataset-candidate-states.ts';
import { RELEASE_TRANSITIONS } from '../../core/models/release-states.ts';
import { SUBSCRIPTION_TRANSITIONS } from '../../core/notifications/subscription-states.ts';
import {
  CANDIDATE_TRANSITIONS,
  type CandidateStatus,
  CandidateStatusSchema,
} from '../../core/review/candidate-states.ts';
import { OUTCOMES, REVISABLE_MS, refusal } from '../../core/review/decision.ts';
import { COVERAGE_TRANSITIONS, CURSOR_TRANSITIONS } from '../../core/sources/coverage-states.ts';
import { SUPPRESSION_TRANSITIONS } from '../../core/suppressions/suppression-states.ts';
import { CAMPAIGN_TRANSITIONS } from '../../core/work/campaign-states.ts';
import { SCANNER_TRANSITIONS } from '../../core/work/scanner-states.ts';
import { UNIT_TRANSITIONS } from '../../core/work/unit-states.ts';

type Rows = readonly Transition<string, string>[];

/** Each machine under the heading that its diagram has. */
const MACHINES: Readonly<Record<string, Rows>> = {
  'Scan campaign': CAMPAIGN_TRANSITIONS,
  'Work unit': UNIT_TRANSITIONS,
  'Coverage of a scope': COVERAGE_TRANSITIONS,
  'Delta cursor': CURSOR_TRANSITIONS,
  Scanner: SCANNER_TRANSITIONS,
  'Change subscription': SUBSCRIPTION_TRANSITIONS,
  'Review candidate': CANDIDATE_TRANSITIONS,
  'Dataset candidate': DATASET_CANDIDATE_TRANSITIONS,
  Release: RELEASE_TRANSITIONS,
  Finding: FINDING_TRANSITIONS,
  Action: ACTION_TRANSITIONS,
  Task: TASK_TRANSITIONS,
  'Owner assignment': ASSIGNMENT_TRANSITIONS,
  'Domain and information type': TAXONOMY_TRANSITIONS,
  'Regulatory mapping': MAPPING_TRANSITIONS,
  Suppression: SUPPRESSION_TRANSITIONS,
  License: LICENSE_TRANSITIONS,
};

const document = readFileSync(path.resolve(import.meta.dirname, '../../docs/states.md'), 'utf8');

/** The arrows of each diagram, by the heading above it. Anything in a diagram that is no arrow fails. */
const diagrams = new Map(
  [...document.matchAll(/^## (.+)\n[^#]*?```mermaid\nstateDiagram-v2\n([^`]*)```/gm)].map(
    ([, heading = '', diagram = '']) => [
      heading,
      diagram
        .trimEnd()
        .split('\n')
        .map((line) => {
          const [, from, to, trigger] = /^ {4}(\S+) --> (\S+): (\S+)$/.exec(line) ?? [];
          if (from === undefined || to === undefined || trigger === undefined)
            throw new Error(`not an arrow: ${line}`);
          return { from: from === '[*]' ? null : from, trigger, to };
        }),
    ],
  ),
);

const inOrder = (rows: Rows) => rows.map(({ from, trigger, to }) => `${from} ${trigger} ${to}`).sort();

test('every machine has a diagram, and every diagram a machine', () => {
  expect([...diagrams.keys()].sort()).toEqual(Object.keys(MACHINES).sort());
});

describe.each(Object.entries(MACHINES))('%s', (heading, rows) => {
  test('has a diagram with the rows of its table and no others', () => {
    expect(inOrder(diagrams.get(heading) ?? [])).toEqual(inOrder(rows));
    expect(new Set(inOrder(rows)).size).toBe(rows.length);
  });

  test('reaches every state from its beginning', () => {
    const reached = new Set<string | null>([null]);
    for (let size = 0; size < reached.size; ) {
      size = reached.size;
      for (const { from, to } of rows) if (reached.has(from)) reached.add(to);
    }
    expect(rows.filter(({ from }) => !reached.has(from))).toEqual([]);
  });
});

describe('the table of review candidates', () => {
  const OWNER_TRIGGERS = ['confirm', 'reject', 'route', 'defer'];
  const decided = (status: CandidateStatus) =>
    CANDIDATE_TRANSITIONS.filter(({ from, trigger }) => from === status && OWNER_TRIGGERS.includes(trigger));

  test.each(CandidateStatusSchema.options)(
    'has decisions of a %s one exactly where they are taken',
    (status) => {
      const now = REVISABLE_MS;
      const isTaken =
        refusal(
          { status, revision: 0 },
          { decidedAt: new Date(now), principalId: 'pri_1' },
          { principalId: 'pri_1', revision: undefined },
          false,
          now,
        ) === null;
      const outcomes = isTaken
        ? new Set(Object.values(OUTCOMES).map((outcome) => outcome.status))
        : new Set();
      expect(new Set(decided(status).map(({ to }) => to))).toEqual(outcomes);
    },
  );
});

/** The machines whose transitions the database checks, by table and column. */
const CHECKED: Readonly<Record<string, Rows>> = {
  'actions.status': ACTION_TRANSITIONS,
  'tasks.status': TASK_TRANSITIONS,
  'findings.status': FINDING_TRANSITIONS,
  'domains.status': TAXONOMY_TRANSITIONS,
  'information_types.status': TAXONOMY_TRANSITIONS,
  'regulatory_mappings.status': MAPPING_TRANSITIONS,
  'suppressions.status': SUPPRESSION_TRANSITIONS,
  'change_subscriptions.status': SUBSCRIPTION_TRANSITIONS,
  'candidates.status': CANDIDATE_TRANSITIONS,
  'model_releases.status': RELEASE_TRANSITIONS,
  'dataset_candidates.status': DATASET_CANDIDATE_TRANSITIONS,
  'scopes.coverage_state': COVERAGE_TRANSITIONS,
  'campaigns.status': CAMPAIGN_TRANSITIONS,
};

test('the database allows the transitions of the tables and no others', () => {
  const schema = readFileSync(path.resolve(import.meta.dirname, '../schema.sql'), 'utf8');
  const triggers = schema.matchAll(
    /^CREATE TRIGGER \S+ AFTER UPDATE ON public\.(\w+) FOR EACH ROW .*refuse_transition\('(\w+)', '([^']*)'\)/gm,
  );
  const allowed = [...triggers].map(([, table, column, pairs = '']) => [
    `${table}.${column}`,
    pairs.split(' '),
  ]);
  expect(Object.fromEntries(allowed)).toEqual(
    Object.fromEntries(
      Object.entries(CHECKED).map(([column, rows]) => [column, [...new Set(rows.flatMap(changeOf))].sort()]),
    ),
  );
});

const changeOf = ({ from, to }: Rows[number]) => (from === null || from === to ? [] : [`${from}>${to}`]);
