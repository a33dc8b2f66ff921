import { z } from 'zod';
import { assignLabel, type DriveWorld } from './drive-acts.ts';
import { type Answer, badRequest, GraphError } from './errors.ts';
import { guidOf, tokenOf } from './ids.ts';
import { pageOfList } from './lists.ts';
import { type Call, READ_FILES, type Route } from './route.ts';
import { GRAPH_TYPES } from './schemas.ts';
import type { Assigned, Drive, Item, Label, LabelOperation, Lock, Tenant } from './state.ts';
import { itemNamed } from './visible.ts';

/** Endings of files that hold a label. Others have none, and take none. */
const LABELLED = /\.(docx|docm|xlsx|xlsm|xlsb|pptx|pptm|pdf)$/i;
/** After this a label is there, whether or not anybody asked the monitor. */
const DUE_MS = 60_000;

/**
 * Documented codes (`driveitem-extractsensitivitylabels`). Nobody recorded a body: this one has the shape of every
 * error. The refusals of files in use are seen (OneDrive/onedrive-api-docs#1199, #912).
 */
const LOCKED: Readonly<Record<Lock, { code: string; message: string; innerCode: string | null }>> = {
  fileDoubleKeyEncrypted: {
    ...{ code: 'fileDoubleKeyEncrypted', innerCode: null },
    message: 'The file is protected by double key encryption and cannot be opened.',
  },
  fileDecryptionNotSupported: {
    ...{ code: 'fileDecryptionNotSupported', innerCode: null },
    message: 'The encrypted file has properties with which it cannot be opened.',
  },
  fileDecryptionDeferred: {
    ...{ code: 'fileDecryptionDeferred', innerCode: null },
    message: 'The file is being processed for decryption.',
  },
  checkedOut: {
    ...{ code: 'accessDenied', innerCode: 'resourceLocked' },
    message: 'The file is currently checked out or locked for editing by another user.',
  },
  openForEditing: {
    ...{ code: 'accessDenied', innerCode: 'resourceLocked' },
    message: 'The resource you are attempting to access is locked',
  },
};

const locked = (lock: Lock): GraphError => {
  const { code, message, innerCode } = LOCKED[lock];
  return new GraphError(423, code, message, { innerCode });
};

const CANNOT_BE_READ: readonly Lock[] = [
  ...(['fileDoubleKeyEncrypted', 'fileDecryptionNotSupported', 'fileDecryptionDeferred'] as const),
];

const assignBody = z.strictObject({
  /** Empty: removes the label. */
  sensitivityLabelId: z.union([z.guid(), z.literal('')]),
  assignmentMethod: z.enum(['standard', 'privileged', 'auto']).optional(),
  justificationText: z.string().optional(),
});

const result = GRAPH_TYPES.extractSensitivityLabelsResult;
const extraction = z.union([result, z.strictObject({ '@odata.context': z.string(), value: result })]);

/** No type of the metadata (`asyncJobStatus`). */
const jobStatus = z.strictObject({
  operation: z.string(),
  percentageComplete: z.number().min(0).max(100),
  status: z.enum(['notStarted', 'inProgress', 'completed', 'failed']),
  resourceId: z.string().optional(),
  error: GRAPH_TYPES.publicError.optional(),
});

const everyLabel = (labels: readonly Label[]): Label[] =>
  labels.flatMap((label) => [label, ...label.sublabels]);

const labelJson = (label: Label): object => ({
  ...{ id: label.id, name: label.name, displayName: label.name, description: `Label ${label.name}` },
  ...{ toolTip: `Files that are ${label.name.toLowerCase()}`, priority: label.priority },
  ...{ hasProtection: label.hasProtection, isDefault: false },
});

function extract(call: Call, world: LabelWorld): Answer {
  const { item } = itemNamed(call);
  settleDue(call.tenant, world, call.now);
  if (item.kind !== 'file') throw new GraphError(400, 'notSupported', 'Only files have labels.');
  if (item.lock !== null && CANNOT_BE_READ.includes(item.lock)) throw locked(item.lock);
  if (item.refused) throw new GraphError(403, 'accessDenied', 'Access denied');
  // Documented: an entry for each tenant that labelled the file. Nobody recorded their order.
  const labels = [
    ...item.foreignLabels.map(({ labelId, tenantId }) => ({
      ...{ sensitivityLabelId: labelId, assignmentMethod: 'standard', tenantId },
    })),
    ...(item.label === null
      ? []
      : [
          {
            ...{ sensitivityLabelId: item.label.labelId, assignmentMethod: item.label.method },
            tenantId: call.tenant.id,
          },
        ]),
  ];
  const context = `${call.base}/$metadata#microsoft.graph.extractSensitivityLabelsResult`;
  const shown = LABELLED.test(item.name) ? labels : [];
  // Documented answers have `labels` under `value`, the metadata has it at the top.
  if (!call.tenant.quirks.labelsUnderValue)
    return { status: 200, body: { '@odata.context': context, labels: shown } };
  const type = '#microsoft.graph.extractSensitivityLabelsResult';
  return { status: 200, body: { '@odata.context': context, value: { '@odata.type': type, labels: shown } } };
}

/** What the documentation of `assignSensitivityLabel` lets a call fail with. */
function assertAssignable(call: Call, item: Item, asked: z.infer<typeof assignBody>): void {
  // Seen (microsoftgraph/microsoft-graph-explorer-v4#3756, pnp/powershell#4792).
  if (!call.app.metered) {
    throw new GraphError(
      402,
      'paymentRequired',
      'Payment Required. Ensure that your application is able to call this premium API.For details see https://aka.ms/graph-metered-overview',
    );
  }
  if (item.lock !== null) throw locked(item.lock);
  if (item.kind !== 'file' || !LABELLED.test(item.name)) {
    // The status is seen (pnp/powershell, discussion 5418), its code is not.
    throw new GraphError(415, 'notSupported', 'The file type is not supported.');
  }
  const labels = everyLabel(call.tenant.labels);
  const wanted = labels.find(({ id }) => id === asked.sensitivityLabelId);
  // Seen (Microsoft Q&A 2080891), for a label that exists and is not published too.
  if (asked.sensitivityLabelId !== '' && wanted === undefined)
    throw badRequest('The sensitivity label is not available.', 'badArgument');
  const current = labels.find(({ id }) => id === item.label?.labelId);
  const isDowngrade = current !== undefined && (wanted === undefined || wanted.priority < current.priority);
  // Documented without status and code.
  if (isDowngrade && (asked.justificationText ?? '') === '') {
    throw badRequest('A justification is required to downgrade or remove a label.');
  }
  // Documented: some protected labels an application cannot take off or change.
  if (isDowngrade && current.hasProtection) {
    throw new GraphError(
      501,
      'notSupported',
      'The label is protected and needs a person with rights to the file.',
    );
  }
}

function assign(call: Call, world: LabelWorld): Answer {
  const { drive, item } = itemNamed(call);
  const asked = assignBody.parse(call.body);
  assertAssignable(call, item, asked);
  const id = guidOf(`operation/${call.tenant.operations.size}/${item.id}`);
  const assigned: Assigned | null =
    asked.sensitivityLabelId === ''
      ? null
      : { labelId: asked.sensitivityLabelId, method: asked.assignmentMethod ?? 'standard' };
  call.tenant.operations.set(id, {
    ...{ id, driveId: drive.id, itemId: item.id, assigned, polls: 0, dueAt: call.now + DUE_MS },
    ...{ fails: world.failsNextLabel(), done: false },
  });
  const monitor = `${new URL(drive.webUrl).pathname.split('/').slice(0, 3).join('/')}/_api/v2.0/monitor/${id}`;
  return { status: 202, headers: { location: `${call.documentHost}${monitor}?tempAuth=${tokenOf(id)}` } };
}

/** What labels need of the fake besides the call. */
export type LabelWorld = {
  driveWorld: (tenant: Tenant, drive: Drive) => DriveWorld;
  failsNextLabel: () => boolean;
};

function settle(tenant: Tenant, world: LabelWorld, operation: LabelOperation): void {
  if (operation.done) return;
  operation.done = true;
  const drive = tenant.drives.get(operation.driveId);
  const item = drive?.items.get(operation.itemId);
  if (operation.fails || drive === undefined || item === undefined || item.deleted) return;
  assignLabel(world.driveWorld(tenant, drive), item, operation.assigned);
}

function settleDue(tenant: Tenant, world: LabelWorld, now: number): void {
  for (const operation of tenant.operations.values())
    if (operation.dueAt <= now) settle(tenant, world, operation);
}

/**
 * The monitor, on the host of documents: `notStarted`, `inProgress`, then the end. Documented
 * (`long-running-actions-overview`, `asyncJobStatus`): 202 until it ends, no `Authorization`, and these fields. What a
 * failure adds is not documented; `error` has the shape of every error.
 */
export function answerMonitor(
  tenants: Iterable<Tenant>,
  world: LabelWorld,
  path: string,
  query: URLSearchParams,
): Answer {
  const id = path.split('/').at(-1) ?? '';
  const tenant = [...tenants].find(({ operations }) => operations.has(id));
  const operation = tenant?.operations.get(id);
  if (tenant === undefined || operation === undefined || query.get('tempAuth') !== tokenOf(id)) {
    throw new GraphError(404, 'itemNotFound', 'The operation was not found.');
  }
  operation.polls += 1;
  return jobAnswer(tenant, world, operation);
}

function jobAnswer(tenant: Tenant, world: LabelWorld, operation: LabelOperation): Answer {
  const answer = (status: 200 | 202, job: Omit<z.infer<typeof jobStatus>, 'operation'>): Answer => ({
    status,
    body: jobStatus.parse({ operation: 'AssignSensitivityLabel', ...job }),
  });
  if (!operation.done && operation.polls === 1)
    return answer(202, { percentageComplete: 0, status: 'notStarted' });
  if (!operation.done && operation.polls === 2)
    return answer(202, { percentageComplete: 50, status: 'inProgress' });
  settle(tenant, world, operation);
  if (operation.fails) {
    const error = { code: 'generalException', message: 'The label could not be assigned.' };
    return answer(200, { percentageComplete: 100, status: 'failed', error });
  }
  return answer(200, { percentageComplete: 100, status: 'completed', resourceId: operation.itemId });
}

const ITEM = '/drives/{drive}/items/{item}';

export const labelRoutes = (world: LabelWorld): readonly Route[] => [
  {
    ...{
      family: 'label_catalogue',
      method: 'GET',
      path: '/security/dataSecurityAndGovernance/sensitivityLabels',
    },
    ...{
      of: 'sensitivityLabel',
      list: true,
      permissions: ['SensitivityLabel.Read', 'SensitivityLabels.Read.All'],
    },
    answer: (call) => {
      const labels = call.tenant.labels.map((label) => ({
        ...labelJson(label),
        ...(label.sublabels.length === 0 ? {} : { sublabels: label.sublabels.map(labelJson) }),
      }));
      return pageOfList(call, labels, 'security/dataSecurityAndGovernance/sensitivityLabels');
    },
  },
  {
    ...{ family: 'labels_extract', method: 'POST', path: `${ITEM}/extractSensitivityLabels` },
    permissions: READ_FILES,
    schema: extraction,
    answer: (call) => extract(call, world),
  },
  {
    ...{ family: 'label_assign', method: 'POST', path: `${ITEM}/assignSensitivityLabel`, body: assignBody },
    permissions: ['Files.ReadWrite.All', 'Sites.ReadWrite.All'],
    answer: (call) => assign(call, world),
  },
];
