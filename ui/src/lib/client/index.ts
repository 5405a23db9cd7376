import { isTauri } from '@tauri-apps/api/core';
import type { Client } from './client';
import { httpClient } from './http';
import { tauriClient } from './tauri';

declare const __FAKE__: boolean;

/** The way that leads to the owner from where this page runs. */
export async function chooseClient(): Promise<Client> {
  // Not in the build that ships.
  if (__FAKE__ && new URLSearchParams(location.search).has('fake')) {
    const { fakeFromQuery } = await import('./fakeQuery');
    return fakeFromQuery(new URLSearchParams(location.search));
  }
  return isTauri() ? tauriClient() : httpClient();
}

export * from './client';
