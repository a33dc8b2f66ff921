import { z } from 'zod';

/** Why two assets are connected, the strongest reason first. */
export const CONNECTION_REASONS = [
  'identical_bytes',
  'attachment_copy',
  'near_duplicate',
  'same_template',
  'semantic_neighbor',
] as const;

/** `nodeId` identifies the asset only within this response. A redacted node shows only that it exists. */
const ConnectionNodeSchema = z.object({
  nodeId: z.string(),
  depth: z.int().min(0).max(2),
  label: z.string(),
  redacted: z.boolean(),
  assetId: z.string().nullable(),
  path: z.string().nullable(),
  scopeId: z.string().nullable(),
  scopeName: z.string().nullable(),
});

/** `similarity` is 1 if hashes are equal, otherwise an estimate. It is null for a redacted node. */
const ConnectionEdgeSchema = z.object({
  from: z.string(),
  to: z.string(),
  reason: z.enum(CONNECTION_REASONS),
  similarity: z.number().nullable(),
});

/** The first node is the requested asset. `truncated`: the limit of nodes was reached. */
export const ConnectionGraphSchema = z.object({
  nodes: z.array(ConnectionNodeSchema),
  edges: z.array(ConnectionEdgeSchema),
  truncated: z.boolean(),
});

export type ConnectionReason = (typeof CONNECTION_REASONS)[number];
export type ConnectionGraph = z.infer<typeof ConnectionGraphSchema>;
