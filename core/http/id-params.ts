import { z } from 'zod';

/** The path parameter of what is named by its id, as in `/api/assets/{id}`. */
export const IdParams = z.strictObject({ id: z.string().max(64) });
