// How a refused call came out: one word and one icon, the same everywhere.
import type { Outcome } from '../client/types.gen';
import type { Key } from '../shared/i18n/en';
import type { IconName } from '../shared/icons';

export const OUTCOMES = ['open', 'gave_up', 'loop', 'repaired', 'expected'] as const satisfies Outcome[];
export const OUTCOME_KEY: Record<Outcome, Key> = {
  open: 'outcome_open', repaired: 'outcome_repaired', gave_up: 'outcome_gave_up', loop: 'outcome_loop', expected: 'outcome_expected',
};
export const OUTCOME_ICON: Record<Outcome, IconName> = { open: 'circle', repaired: 'check', gave_up: 'ban', loop: 'rotate-ccw', expected: 'circle-check' };
