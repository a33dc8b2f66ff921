import { z } from 'zod';

/** The path parameter of a resource with an id, as in `/api/assets/{id}`. */
export const IdParams = z.strictObject({ id: z.string().max(64) });
