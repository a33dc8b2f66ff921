import { existsSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * The address of a file in `shared`, which lies beside the repository, and one folder further up for a worktree. It is not
 * everywhere.
 */
export function besideRepository(file: string): string {
  const places = ['../shared', '../../shared'].map((folder) => path.resolve(root, folder, file));
  return places.find((place) => existsSync(place)) ?? path.resolve(root, '../shared', file);
}
