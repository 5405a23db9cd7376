import { describe, expect, it } from 'vitest';
import { format, parse } from './router';

describe('an address', () => {
  it.each(['#/board', '#/p/p%2F1/board', '#/p/p1/runs', '#/p/p1/board?task=3', '#/p/p1/board?task=3&tab=history&from=1&to=4', '#/connect', '#/p/p1/connect', '#/run/0192-ab?tab=log&seq=7&at=3&f=kind%3Anote', '#/p/p1/run/0192ab', '#/run/0192ab?seq=7&t0=5&t1=9', '#/rejected?run=0192&seq=4&state=open&group=tool', '#/board?at=7', '#/p/p1/board?run=0192&at=7', '#/p/p1/board?task=3&at=7', '#/runs?cmp=a%2Cb'])(
    '%s is read and written the same',
    (address) => expect(format(parse(address))).toBe(address),
  );
  it.each(['', '#', '#/'])('%j is the board', (address) => expect(parse(address)).toMatchObject({ view: 'board', project: null, task: null }));
  it.each(['#/nowhere', '#/board/3', '#/p/%zz/board', '#/run', '#/run/x y', '#/run/0192/more'])('%s is unknown, and is said as it was asked', (address) => {
    expect(parse(address)).toEqual({ view: 'unknown', asked: address.slice(1) });
  });
  it.each(['0', '-1', '1e3', 'x', '99999999999'])('task=%s is no task', (task) => expect(parse(`#/board?task=${task}`)).toMatchObject({ task: null }));
});
