// A file that the browser saves.
import { h } from './elements.ts';

export function saveFile(name: string, parts: readonly BlobPart[]): void {
  const address = URL.createObjectURL(new Blob([...parts]));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
