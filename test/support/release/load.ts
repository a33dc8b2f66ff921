import { setTimeout as sleep } from 'node:timers/promises';
import { inBusy } from './busy-tenant.ts';
import { get, post, type Session, signIn } from './session.ts';

/** What people of the busy tenant do while it is upgraded: they add files, start deltas and read. */
export type Load = {
  /** Sends the requests that follow to another host. Resolves when the last answer of the one before has come. */
  moveTo(url: string): Promise<void>;
  /** Ends the requests, then takes in what was added last, and resolves when no scan is left. */
  finish(): Promise<void>;
  /** Ids at the source of the files whose addition was answered. */
  added: ReadonlySet<string>;
  /** Answers so far, and the longest time that one took. */
  answers(): { count: number; slowestMs: number };
  /** What was not answered as it should be, and how often. */
  failures: ReadonlyMap<string, number>;
};

/** Requests at once. Each pauses after its answer, so that the load is bounded whatever the machine is. */
const READERS = 2;
const READ_PAUSE_MS = 100;
const WRITE_PAUSE_MS = 100;
const POLL_MS = 100;
/** A unit whose worker was killed waits for the end of its lease. */
const SETTLED_WITHIN_MS = 300_000;

const WRITER = inBusy('pri_priya_nair');
/** Each with what they read again and again. */
const READ: Readonly<Record<string, readonly string[]>> = {
  [WRITER]: ['/api/scans', '/api/sources', '/api/ops/overview', '/api/home'],
  [inBusy('pri_helena_brandt')]: ['/api/assets', '/api/landscape', '/api/governance/taxonomy', '/api/home'],
  [inBusy('pri_amara_okafor')]: [
    '/api/review/queue',
    '/api/findings',
    '/api/assets?q=invoice',
    '/api/auth/me',
  ],
  [inBusy('pri_marcus_bell')]: ['/api/audit', '/api/actions', '/api/auth/me'],
};

type Scope = { scopeId: string; externalId: string };
type Scan = { status: string };
const OPEN = ['pending', 'running'];

/** @param url of the host that serves first */
export async function startLoad(url: string): Promise<Load> {
  const people = new Map<string, Session>();
  for (const principalId of Object.keys(READ)) people.set(principalId, await signIn(url, principalId));
  const writer = people.get(WRITER) as Session;
  const scopes = await itemsOf<Scope>(url, writer, '/api/sources');

  let host = url;
  let goesOn = true;
  const answers = { count: 0, slowestMs: 0 };
  const underWay = new Map<Promise<unknown>, string>();
  const added = new Set<string>();
  const failures = new Map<string, number>();
  const failed = (what: string) => {
    failures.set(what, (failures.get(what) ?? 0) + 1);
    return null;
  };

  /** Resolves with the text of an answer that `fits`, and with null after noting any other. */
  const ask = async (
    named: string,
    fits: (status: number) => boolean,
    send: (url: string) => Promise<{ status: number; text: string }>,
  ): Promise<string | null> => {
    const began = performance.now();
    const sent = send(host).then(
      ({ status, text }) => {
        answers.count++;
        answers.slowestMs = Math.max(answers.slowestMs, performance.now() - began);
        if (fits(status)) return text;
        return failed(`${named}: ${status} ${text.slice(0, 200)}`);
      },
      (error: unknown) =>
        failed(`${named}: ${error instanceof Error ? (error.cause ?? error.message) : error}`),
    );
    underWay.set(sent, host);
    return sent.finally(() => underWay.delete(sent));
  };
  const postAs = (
    path: string,
    body: object,
    fits: (status: number) => boolean = (status) => status === 200,
  ) => ask(`POST ${path}`, fits, (url) => post(url, writer, path, body));

  const addFile = async (n: number, scopeExternalId: string) => {
    const content = `Invoice ${n}: please transfer the amount to IBAN DE89370400440532013000.`;
    const body = { action: 'add', scopeExternalId, name: `note-${n}.txt`, content };
    const text = await postAs('/api/dev/fixture/mutate', body);
    if (text !== null) added.add((JSON.parse(text) as { fileId: string }).fileId);
  };
  // A conflict is a delta that is still under way.
  const startDelta = (scopeId: string) =>
    postAs('/api/scans', { scopeId, kind: 'delta' }, (status) => [200, 409].includes(status));
  const write = async () => {
    for (let n = 0; goesOn; n++) {
      const { scopeId, externalId } = scopes[n % scopes.length] as Scope;
      await addFile(n, externalId);
      await startDelta(scopeId);
      await sleep(WRITE_PAUSE_MS);
    }
  };
  const readAgain = async (reader: number) => {
    const all = Object.entries(READ).flatMap(([who, paths]) => paths.map((path) => ({ who, path })));
    for (let n = reader; goesOn; n += READERS) {
      const { who, path } = all[n % all.length] as { who: string; path: string };
      await ask(
        `GET ${path}`,
        (status) => status === 200,
        (url) => get(url, people.get(who) as Session, path),
      );
      await sleep(READ_PAUSE_MS);
    }
  };
  const loops = [write(), ...Array.from({ length: READERS }, (_, reader) => readAgain(reader))];

  return {
    moveTo: async (next) => {
      const former = host;
      host = next;
      await Promise.all([...underWay].filter(([, at]) => at === former).map(([sent]) => sent));
    },
    finish: async () => {
      goesOn = false;
      await Promise.all(loops);
      await takeInAll(host);
    },
    added,
    answers: () => answers,
    failures,
  };
}

async function itemsOf<Item>(url: string, session: Session, path: string): Promise<Item[]> {
  const { status, text } = await get(url, session, path);
  if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
  return (JSON.parse(text) as { items: Item[] }).items;
}

/** Takes in all files of the busy tenant. Resolves when no scan is left. */
export async function takeInAll(url: string): Promise<void> {
  const writer = await signIn(url, WRITER);
  const settled = async () => {
    const deadline = Date.now() + SETTLED_WITHIN_MS;
    while ((await itemsOf<Scan>(url, writer, '/api/scans')).some(({ status }) => OPEN.includes(status))) {
      if (Date.now() > deadline) throw new Error('The scans do not end.');
      await sleep(POLL_MS);
    }
  };
  await settled();
  for (const { scopeId } of await itemsOf<Scope>(url, writer, '/api/sources')) {
    const { status, text } = await post(url, writer, '/api/scans', { scopeId, kind: 'delta' });
    if (status !== 200) throw new Error(`A delta was not started: ${status} ${text}`);
  }
  await settled();
}
