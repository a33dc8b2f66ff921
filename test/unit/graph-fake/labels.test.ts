import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asker } from '../../support/graph/ask.ts';
import type { FakeLibrary, GraphFake } from '../../support/graph/graph-fake.ts';
import { guidOf } from '../../support/graph/ids.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';
import type { Label, Lock } from '../../support/graph/state.ts';

const label = (name: string, priority: number, hasProtection = false, sublabels: Label[] = []): Label => ({
  ...{ id: guidOf(`label/${name}`), name, priority, hasProtection, sublabels },
});
const SECRET_LEGAL = label('Secret for Legal', 4, true);
const LABELS = [label('Public', 0), label('Internal', 2), label('Secret', 3, false, [SECRET_LEGAL])];
const [PUBLIC, INTERNAL] = LABELS.map(({ id }) => id);

let fake: GraphFake;
let library: FakeLibrary;
let ask: ReturnType<typeof asker>;
let item: string;
let id: string;

beforeEach(async () => {
  fake = await smallFake({}, {}, { labels: LABELS });
  library = fake.library('Finance');
  ask = asker(fake, APP.clientId);
  id = library.add('Plan.docx', 'Plan');
  item = `/drives/${library.id}/items/${id}`;
});
afterEach(() => fake.close());

const labelsOf = async () => (await ask.post(`${item}/extractSensitivityLabels`)).body.labels;
const assign = (body: object) => ask.post(`${item}/assignSensitivityLabel`, body);
const assigned = (sensitivityLabelId: string | undefined) => [
  expect.objectContaining({ sensitivityLabelId, assignmentMethod: 'standard', tenantId: fake.tenant().id }),
];

describe('labels of the fake of Graph', () => {
  test('the catalogue lists labels with the labels below them', async () => {
    const { body } = await ask.get('/security/dataSecurityAndGovernance/sensitivityLabels');
    expect(
      body.value.map(({ name, sublabels }) => [name, (sublabels as Label[] | undefined)?.length]),
    ).toEqual([
      ['Public', undefined],
      ['Internal', undefined],
      ['Secret', 1],
    ]);
  });

  test('an assignment is accepted, watched at its monitor, and there at the end', async () => {
    const before = (await ask.get(item)).body;
    const { status, location } = await assign({ sensitivityLabelId: INTERNAL, assignmentMethod: 'standard' });
    expect(status).toBe(202);
    expect(await labelsOf()).toEqual([]);
    const seen = [];
    for (let poll = 0; poll < 3; poll++) {
      const response = await fetch(location);
      seen.push([response.status, ((await response.json()) as { status: string }).status]);
    }
    expect(seen).toEqual([
      [202, 'notStarted'],
      [202, 'inProgress'],
      [200, 'completed'],
    ]);
    expect(await labelsOf()).toEqual(assigned(INTERNAL));
    expect((await ask.get(item)).body.eTag).not.toBe(before.eTag);
  });

  test('an assignment that nobody watches is there after a minute', async () => {
    let now = Date.now();
    const timed = await smallFake({}, { clock: () => now }, { labels: LABELS });
    try {
      const at = timed.library('Finance');
      const own = asker(timed, APP.clientId);
      const path = `/drives/${at.id}/items/${at.add('Plan.docx', 'Plan')}`;
      await own.post(`${path}/assignSensitivityLabel`, { sensitivityLabelId: PUBLIC });
      now += 61_000;
      expect((await own.post(`${path}/extractSensitivityLabels`)).body.labels).toHaveLength(1);
    } finally {
      await timed.close();
    }
  });

  test('a lower label and none at all need a justification', async () => {
    library.label(id, INTERNAL ?? '');
    for (const sensitivityLabelId of [PUBLIC, '']) {
      expect((await assign({ sensitivityLabelId })).status).toBe(400);
      expect((await assign({ sensitivityLabelId, justificationText: 'It is public.' })).status).toBe(202);
    }
  });

  test('a label that protects cannot be taken off by an application', async () => {
    library.label(id, SECRET_LEGAL.id);
    expect(await assign({ sensitivityLabelId: '', justificationText: 'It is public.' })).toMatchObject({
      ...{ status: 501, body: { error: { code: 'notSupported' } } },
    });
  });

  test('an application that nobody pays for is told so', async () => {
    fake.app(APP.clientId).metered = false;
    ask.signInAgain();
    expect(await assign({ sensitivityLabelId: PUBLIC })).toMatchObject({
      ...{ status: 402, body: { error: { code: 'paymentRequired' } } },
    });
  });

  test.each<[Lock, string, number, number]>([
    ['fileDoubleKeyEncrypted', 'fileDoubleKeyEncrypted', 423, 423],
    ['fileDecryptionNotSupported', 'fileDecryptionNotSupported', 423, 423],
    ['fileDecryptionDeferred', 'fileDecryptionDeferred', 423, 423],
    ['checkedOut', 'accessDenied', 200, 423],
    ['openForEditing', 'accessDenied', 200, 423],
  ])('a file that is %s answers a write with %s', async (lock, code, read, write) => {
    library.lock(id, lock);
    expect((await ask.post(`${item}/extractSensitivityLabels`)).status).toBe(read);
    expect(await assign({ sensitivityLabelId: PUBLIC })).toMatchObject({
      status: write,
      body: { error: { code } },
    });
  });

  test('an assignment can be accepted and fail', async () => {
    fake.failLabels(1);
    const { location } = await assign({ sensitivityLabelId: PUBLIC });
    await fetch(location);
    await fetch(location);
    expect(await (await fetch(location)).json()).toMatchObject({
      status: 'failed',
      error: { code: 'generalException' },
    });
    expect(await labelsOf()).toEqual([]);
    expect(fake.violations).toEqual([]);
  });

  test('files of other kinds have no label and take none, unknown labels are refused', async () => {
    const text = `/drives/${library.id}/items/${library.add('Plan.txt', 'Plan')}`;
    expect((await ask.post(`${text}/extractSensitivityLabels`)).body.labels).toEqual([]);
    expect((await ask.post(`${text}/assignSensitivityLabel`, { sensitivityLabelId: PUBLIC })).status).toBe(
      415,
    );
    expect((await assign({ sensitivityLabelId: guidOf('no label') })).status).toBe(400);
  });

  test('labels come under `value` where a tenant is so', async () => {
    fake.tenant().quirks.labelsUnderValue = true;
    library.label(id, INTERNAL ?? '');
    expect((await ask.post(`${item}/extractSensitivityLabels`)).body.value).toMatchObject({
      labels: assigned(INTERNAL),
    });
  });
});
