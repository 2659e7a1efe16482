// For the checks of the console's import: gives it files.
import type { Tab } from '../support/browser.ts';

type Given = { readonly name: string; readonly bytes: Buffer };

/** Gives the page of an import a file, once `importHelpers` were evaluated in it. */
export async function giveFile(tab: Tab, { name, bytes }: Given): Promise<void> {
  await tab.until('document.querySelector("#import-file")');
  const file = JSON.stringify([name, bytes.toString('base64')]);
  await tab.evaluate(`giveFile(...${file})`);
}

/** Lets the page be given a file. */
export const importHelpers = `{
  window.giveFile = (name, base64) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], name));
    const input = document.querySelector('#import-file');
    input.files = transfer.files;
    input.dispatchEvent(new Event('change'));
  };
}`;
