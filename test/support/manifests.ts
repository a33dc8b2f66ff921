import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
  envFrom: z.unknown().optional(),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
  resources: z.looseObject({ requests: z.unknown(), limits: z.unknown() }),
});
const PodSpec = z.looseObject({
  automountServiceAccountToken: z.unknown(),
  securityContext: z.unknown(),
  containers: z.array(Container),
  volumes: z.array(
    z.looseObject({
      name: z.string(),
      secret: z.looseObject({ secretName: z.string() }).optional(),
    }),
  ),
});
const Template = z.looseObject({ template: z.looseObject({ spec: PodSpec }) });
const Workload = z.looseObject({ spec: Template });
const CronJob = z.looseObject({ spec: z.looseObject({ jobTemplate: z.looseObject({ spec: Template }) }) });

/** What every document says of itself. */
const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
export type Manifest = z.infer<typeof Manifest>;
export type Workload = { name: string; pod: z.infer<typeof PodSpec> };

/** Every document of a YAML stream. Throws if one is not well-formed. */
export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return Manifest.parse(document.toJS());
  });

/** Deployments, jobs and templates of jobs with their pods. */
export const workloadsOf = (manifests: readonly Manifest[]): Workload[] =>
  manifests.flatMap((manifest) => {
    const { name } = manifest.metadata;
    if (manifest.kind === 'CronJob')
      return [{ name, pod: CronJob.parse(manifest).spec.jobTemplate.spec.template.spec }];
    if (manifest.kind !== 'Deployment' && manifest.kind !== 'Job') return [];
    return [{ name, pod: Workload.parse(manifest).spec.template.spec }];
  });
