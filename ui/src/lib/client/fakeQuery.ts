// `?fake=demo|empty|1000&pace=1500&readonly=why&signedout&latency=40`: which make-believe owner to show.
import { FakeOwner } from './fake';
import { backlog, many, play } from './fakeScript';

export function fakeFromQuery(query: URLSearchParams): FakeOwner {
  const owner = new FakeOwner();
  const kind = query.get('fake') || 'demo';
  if (kind === 'demo') backlog(owner);
  else if (Number(kind) > 0) many(owner, Number(kind));
  owner.latencyMs = Number(query.get('latency') ?? 0);
  owner.readOnly = query.get('readonly');
  owner.signedOut = query.has('signedout');
  const pace = Number(query.get('pace') ?? 0);
  if (pace > 0) play(owner, pace);
  // For a test in a browser, which has no other hold on it.
  Object.assign(window, { __fake: owner });
  return owner;
}
