// The desktop window's way: three commands of the process that opened it.
import { Channel, invoke } from '@tauri-apps/api/core';
import { type Client, type FeedMessage, isRefusal, type Outcome, Refused, Unreachable } from './client';

export function tauriClient(): Client {
  return {
    async view(name, params) {
      try {
        return await invoke('view', { name, params });
      } catch (error) {
        if (isRefusal(error)) throw new Refused(error);
        throw new Unreachable(String(error));
      }
    },
    async call(project, tool, args) {
      try {
        return await invoke<Outcome>('call', { project, tool, arguments: args });
      } catch (error) {
        throw new Unreachable(String(error));
      }
    },
    feed(listener) {
      let open = true;
      const channel = new Channel<FeedMessage[]>();
      channel.onmessage = (messages) => {
        if (open) listener(messages);
      };
      invoke('feed', { channel }).catch(() => {
        if (open) listener([{ type: 'lost' }]);
      });
      return () => {
        open = false;
      };
    },
  };
}
