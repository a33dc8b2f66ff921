import type { AdapterFactory, AdapterPayload } from 'oidc-provider';

type Entry = { payload: AdapterPayload; expiresAt: number };

/** What the local OpenID provider remembers, for as long as it runs. */
export function providerStorage(): AdapterFactory {
  const models = new Map<string, Map<string, Entry>>();
  const find = (entries: Iterable<Entry>, wanted: (payload: AdapterPayload) => boolean) => {
    for (const { payload, expiresAt } of entries)
      if (expiresAt > Date.now() && wanted(payload)) return payload;
    return undefined;
  };
  return (model) => {
    const entries = new Map<string, Entry>();
    models.set(model, entries);
    return {
      upsert: async (id, payload, seconds = Number.POSITIVE_INFINITY) => {
        for (const [key, { expiresAt }] of entries) if (expiresAt <= Date.now()) entries.delete(key);
        entries.set(id, { payload, expiresAt: Date.now() + seconds * 1000 });
      },
      find: async (id) => {
        const entry = entries.get(id);
        return entry && find([entry], () => true);
      },
      findByUid: async (uid) => find(entries.values(), (payload) => payload.uid === uid),
      findByUserCode: async (code) => find(entries.values(), (payload) => payload.userCode === code),
      consume: async (id) => {
        const entry = entries.get(id);
        if (entry) entry.payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => {
        entries.delete(id);
      },
      revokeByGrantId: async (grantId) => {
        for (const each of models.values())
          for (const [id, { payload }] of each) if (payload.grantId === grantId) each.delete(id);
      },
    };
  };
}
