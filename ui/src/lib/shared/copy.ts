import { t } from './i18n/i18n.svelte';
import { notices } from './notices.svelte';

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where the page may not use the clipboard, the old way still works from a key or a click.
    const area = document.createElement('textarea');
    area.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  notices.show('done', t('copied'));
}
