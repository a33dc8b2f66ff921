import { hash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Offer, OfferSchema } from './offer.ts';

/** One-time codes, each a file. It is moved when the code is used, so that of many requests exactly one gets it. */
export type Codes = {
  /** A new code for an offer. */
  add(offer: Offer): Promise<string>;
  /** The offer of a code that was never used, for its tenant; else null. */
  redeem(code: string, tenantId: string): Promise<Offer | null>;
};

/** @param folder is created if it does not exist */
export async function openCodes(folder: string): Promise<Codes> {
  const used = path.join(folder, 'used');
  await mkdir(used, { recursive: true });
  // The name does not tell the code.
  const nameOf = (code: string) => `${hash('sha256', code)}.json`;
  return {
    add: async (offer) => {
      const code = randomBytes(15).toString('base64url');
      await writeFile(path.join(folder, nameOf(code)), JSON.stringify(offer), { flag: 'wx', mode: 0o600 });
      return code;
    },
    redeem: async (code, tenantId) => {
      const file = path.join(folder, nameOf(code));
      try {
        const offer = OfferSchema.parse(JSON.parse(await readFile(file, 'utf8')));
        // Another tenant does not use the code up.
        if (offer.tenantId !== tenantId) return null;
        await rename(file, path.join(used, nameOf(code)));
        return offer;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}
