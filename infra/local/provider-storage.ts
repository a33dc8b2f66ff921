import type { AdapterFactory, AdapterPayload } from 'oidc-provider';

type Entry = { payload: AdapterPayload; expiresAt: number };

/** What the local OpenID provider remembers, for as long as it runs. */
export function providerStorage(): AdapterFactory {
  return () => {
    const entries = new Map<string, Entry>();
    const dropExpired = () => {
      for (const [id, { expiresAt }] of entries) if (expiresAt <= Date.now()) entries.delete(id);
    };
    const findBy = async (wanted: (payload: AdapterPayload) => boolean) => {
      dropExpired();
      return [...entries.values()].find(({ payload }) => wanted(payload))?.payload;
    };
    return {
      upsert: async (id, payload, seconds = Number.POSITIVE_INFINITY) => {
        dropExpired();
        entries.set(id, { payload, expiresAt: Date.now() + seconds * 1000 });
      },
      find: async (id) => {
        dropExpired();
        return entries.get(id)?.payload;
      },
      findByUid: (uid) => findBy((payload) => payload.uid === uid),
      findByUserCode: (code) => findBy((payload) => payload.userCode === code),
      consume: async (id) => {
        const entry = entries.get(id);
        if (entry) entry.payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => {
        entries.delete(id);
      },
      revokeByGrantId: async (grantId) => {
        for (const [id, { payload }] of entries) if (payload.grantId === grantId) entries.delete(id);
      },
    };
  };
}
