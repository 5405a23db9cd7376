import type { TaskStatus } from '../client/types.gen';
import type { IconName } from '../shared/icons';

export const STATUS_ICON = {
  pending: 'circle', in_progress: 'play', blocked: 'hand', done: 'circle-check',
} as const satisfies Record<TaskStatus, IconName>;
