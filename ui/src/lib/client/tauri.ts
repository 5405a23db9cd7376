// The desktop window's way: four commands of the process that opened it.
import { Channel, invoke } from '@tauri-apps/api/core';
import { type Client, type FeedMessage, isRefusal, type Outcome, past, Refused, Unreachable } from './client';

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
    async bytes(name, params) {
      try {
        return await invoke<ArrayBuffer>('bytes', { name, params });
      } catch (error) {
        if (isRefusal(error)) throw new Refused(error);
        throw new Unreachable(String(error));
      }
    },
    async call(project, tool, args) {
      try {
        return await invoke<Outcome>('call', { project, tool, arguments: args, at: past.at() });
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
